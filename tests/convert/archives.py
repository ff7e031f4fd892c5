"""Tar files as Python's own library writes and reads them, and samples as octavo has them."""

from __future__ import annotations

import io
import tarfile
from typing import Any

from octavo import _tf_example


def archive(files: list[tuple[str, bytes]], format: int = tarfile.PAX_FORMAT, **about: Any) -> bytes:
    """What Python's own writer makes of files."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=format) as tar:
        for name, content in files:
            member = tarfile.TarInfo(name)
            member.size = len(content)
            for key, value in about.items():
                setattr(member, key, value)
            tar.addfile(member, io.BytesIO(content))
    return stream.getvalue()


def files_of(content: bytes) -> list[tuple[str, bytes]]:
    """What Python's own reader finds."""
    with tarfile.open(fileobj=io.BytesIO(content)) as tar:
        members = [(member.name, tar.extractfile(member)) for member in tar]
        return [(name, file.read()) for name, file in members if file is not None]


def sample(key: str, **files: bytes) -> bytes:
    features = {"__key__": [key.encode()]} | {name: [content] for name, content in files.items()}
    return _tf_example.encode(features)
