"""The newer README of FFRecord: data sets define `__getitem__`, loaders skip steps, and folders are packed."""

from __future__ import annotations

import ast
import functools
import io
import itertools
from pathlib import Path

import numpy as np

from tests.compat.documents import ffrecord_readmes, png, worlds
from tests.compat.documents.extract import collapsed
from tests.compat.documents.layouts import FFRECORD_NEWER
from tests.compat.documents.page import Document, Page

DOCUMENT = Document(
    "003",
    "ffrecord",
    functools.partial(collapsed, layouts=FFRECORD_NEWER),
    not_python={0: "a drawing of the file", 1: "a command that installs", 6: "a listing of the folder that is packed"},
)
_SAMPLES = 1700  # more than the hundred batches that are skipped
_STEPS = 107
_LISTING = 6
_AROUND_NAMES = {"$", "tree", "just_a_folder", "just_a_folder/", "├──", "└──", "│"}


@DOCUMENT.step(2)
def writing(page: Page) -> None:
    ffrecord_readmes.writing(page, 2)


@DOCUMENT.step(3)
def reading(page: Page) -> None:
    ffrecord_readmes.reading(page, 3)


@DOCUMENT.step(4, needs=("torch",))
def a_data_set_with_getitem(page: Page) -> None:
    ffrecord_readmes.data_set(page, 4, _SAMPLES)


@DOCUMENT.step(5, needs=("torch",))
def resuming_at_a_step(page: Page) -> None:
    page.give(epochs=7)
    batches = ffrecord_readmes.training(page, 5)
    resumed, after = batches[: _STEPS - 100], batches[_STEPS - 100 :]
    assert len(after) == _STEPS, "only the first epoch is shorter"
    assert sorted(itertools.chain(*after)) == list(range(_SAMPLES))
    assert len(set(itertools.chain(*resumed))) == _SAMPLES - 100 * 16


@DOCUMENT.step(7)
def packing(page: Page) -> None:
    content = worlds.folder_to_pack("just_a_folder")
    listed = set(page.blocks[_LISTING].text.split()) - _AROUND_NAMES
    assert listed == {part for name in content for part in Path(name).parts}
    lines = page.run(7).splitlines()
    assert [int(line.partition("/")[0]) for line in lines] == list(range(len(content)))
    assert [Path(line.partition(" ")[2]).relative_to(Path("just_a_folder").absolute()) for line in lines] == [
        Path(name) for name in _in_stored_order(content)
    ]


def _in_stored_order(names: dict[str, bytes]) -> list[str]:
    """Depth first, and sorted by name in every folder."""
    return sorted(names, key=lambda name: Path(name).parts)


@DOCUMENT.step(8)
def opening_what_was_packed(page: Page) -> None:
    results = [shown for shown in page.run_session(8) if shown.expected]
    assert len(results) == 5
    for shown in results:
        expected, given = shown.values()
        if isinstance(expected, list):  # they are sorted by name; the document has files before folders
            assert given == sorted(expected), shown
        else:
            assert given is expected, shown
    assert page.names["data"] == b"one"
    assert [bytes(data) for data in page.names["list_of_data"]] == [b"one", b"two\n"]


@DOCUMENT.step(9)
def images(page: Page) -> None:
    png.stand_in_for_opencv()
    page.give(io=io, np=np)
    page.run(9)
    assert np.array_equal(page.names["img"], worlds.PIXELS)
    # The block turns the order of colours around and writes that as if it were OpenCV's.
    assert np.array_equal(png.read("test.png"), worlds.PIXELS[:, :, ::-1])


@DOCUMENT.step(10)
def texts(page: Page) -> None:
    assert page.run(10) == "fünf\nlines\n"


@DOCUMENT.step(11)
def json(page: Page) -> None:
    assert ast.literal_eval(page.run(11)) == worlds.ANNOTATION


@DOCUMENT.step(12)
def arrays(page: Page) -> None:
    assert page.run(12) == f"{worlds.ARRAY}\n"
    assert np.array_equal(page.names["result"], worlds.ARRAY)


@DOCUMENT.step(13)
def archives_of_arrays(page: Page) -> None:
    page.names.pop("result", None)
    assert page.run(13) == "['arr_0.npy']\n"
    assert np.array_equal(page.names["result"], worlds.ARRAY)


@DOCUMENT.step(14)
def a_file_by_itself(page: Page) -> None:
    page.run(14)
    assert Path("just_a_name").read_bytes() == Path("just_a_folder/just_another_folder/npyfile.npy").read_bytes()
