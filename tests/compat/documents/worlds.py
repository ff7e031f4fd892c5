"""Files that the documents read and never write, made without the drop-ins."""

from __future__ import annotations

import io
import json
import pickle
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np

import octavo
from tests.compat.documents import png
from tests.naive import ffrecord

PIXELS = np.arange(5 * 7 * 3, dtype=np.uint8).reshape(5, 7, 3)
ANNOTATION = {"boxes": [[1, 2, 30, 40]], "label": "Käfer"}
ARRAY = np.arange(12, dtype=np.float32).reshape(3, 4)


def ffrecord_samples(name: str, count: int) -> None:
    """A file of the numbers from 0 on, each pickled as the documents have it."""
    Path(name).write_bytes(ffrecord.encode([pickle.dumps(number) for number in range(count)]))


def array_records(name: str, records: Iterable[bytes]) -> None:
    """An ArrayRecord file for random access, as the documents want it."""
    with octavo.create(name, format="array_record", group_size=1) as writer:
        writer.write_many(records)


def folder_to_pack(root: str) -> dict[str, bytes]:
    """The folder that the newer FFRecord README draws: content by relative path."""
    content = {
        "001.txt": b"one",
        "002.txt": b"two\n",
        "003.txt": b"",
        "just_a_figure.png": png.encode(PIXELS),
        "just_another_folder/004.txt": b"four",
        "just_another_folder/jsonfile.json": json.dumps(ANNOTATION, ensure_ascii=False).encode(),
        "just_another_folder/npyfile.npy": _saved(np.save),
        "just_another_folder/npzfile.npz": _saved(np.savez),
        "just_another_folder/another_folder/005.txt": "fünf\nlines".encode(),
    }
    for name, data in content.items():
        path = Path(root, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return content


def _saved(save: Callable[..., object]) -> bytes:
    buffer = io.BytesIO()
    save(buffer, ARRAY)
    return buffer.getvalue()
