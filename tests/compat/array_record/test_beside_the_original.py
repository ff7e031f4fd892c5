"""The same calls on the original and on the drop-in, where the original is installed: results, errors and texts.

Where the two differ on purpose, the case stands in a list of its own with the reason.
"""

from __future__ import annotations

import dataclasses
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from octavo.compat.array_record.python import array_record_data_source, array_record_module
from tests.compat.array_record.samples import flip, numbered

Use = Callable[[Any], Any]

RECORDS = numbered(40)


@pytest.fixture(scope="module")
def original_module() -> Any:
    return pytest.importorskip("array_record.python.array_record_module")


@pytest.fixture(scope="module")
def original_source() -> Any:
    return pytest.importorskip("array_record.python.array_record_data_source")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files that both read, some of them damaged."""
    folder = tmp_path_factory.mktemp("files")
    for name, records, options in (
        ("one", RECORDS, "group_size:1"),
        ("two", numbered(15, "two"), "group_size:1,brotli"),
        ("grouped", RECORDS, "group_size:7"),
        ("nothing", [], ""),
        ("to damage", [bytes([number]) * 500 for number in range(10)], "group_size:1,uncompressed"),
    ):
        writer = array_record_module.ArrayRecordWriter(str(folder / name), options)
        for record in records:
            writer.write(record)
        writer.close()
    data = (folder / "to damage").read_bytes()
    for name, offset in (
        ("damaged record", data.index(bytes([3]) * 500) + 7),
        ("damaged footer", data.index(b"transpose:false")),
        ("damaged postscript", len(data) - 65536 + 24 + 40 + 5),
    ):
        (folder / name).write_bytes(data)
        flip(folder / name, offset)
    (folder / "short").write_bytes(bytes(1000))
    (folder / "empty").touch()
    return folder


@dataclasses.dataclass
class Outcome:
    """What came of a call: a value, or an error's type and text."""

    value: Any = None
    error: type[BaseException] | None = None
    text: str = ""


def outcome(use: Use, of: Any) -> Outcome:
    try:
        return Outcome(use(of))
    except Exception as error:  # noqa: BLE001 - whatever it is, it is compared
        return Outcome(None, type(error), str(error))


def assert_same(ours: Outcome, theirs: Outcome) -> None:
    assert ours.value == theirs.value, ours.text
    if theirs.error is None or ours.error is None:
        assert ours.error is theirs.error
        return
    if theirs.error is TypeError:
        # The original's are made by its binding layer, before anything else is looked at; ours may say first that the
        # object is of no use anyway.
        assert issubclass(ours.error, TypeError | RuntimeError)
        return
    assert issubclass(ours.error, theirs.error)
    first_line = ours.text.split("\n")[0]
    # Of damage the original also says how long the chunk is, and where it stopped.
    beginning, _, rest = theirs.text.partition(" with length")
    assert first_line == theirs.text or (rest and first_line.startswith(beginning))


READER_USES: dict[str, Use] = {
    "ok": lambda reader: reader.ok(),
    "is_open": lambda reader: reader.is_open(),
    "num_records": lambda reader: reader.num_records(),
    "record_index": lambda reader: reader.record_index(),
    "writer_options_string": lambda reader: reader.writer_options_string(),
    "read_all": lambda reader: reader.read_all(),
    "read": lambda reader: reader.read(),
    "read 3 times": lambda reader: [reader.read() for _ in range(3)],
    "read past the end": lambda reader: [reader.read() for _ in range(100)],
    "seek, index": lambda reader: (reader.seek(5), reader.record_index()),
    "seek, read": lambda reader: (reader.seek(7), reader.read(), reader.read(), reader.read(), reader.record_index()),
    "seek back": lambda reader: (reader.read(), reader.read(), reader.read(), reader.seek(0), reader.read()),
    "seek -1": lambda reader: (reader.seek(-1), reader.record_index()),
    "seek -1, read": lambda reader: (reader.seek(-1), reader.read()),
    "seek far": lambda reader: (reader.seek(10**12), reader.record_index()),
    "seek 2**63": lambda reader: reader.seek(2**63),
    "seek numpy": lambda reader: (reader.seek(np.int64(3)), reader.record_index()),
    "seek 1.0": lambda reader: reader.seek(1.0),
    "seek None": lambda reader: reader.seek(None),
    "read, all, read": lambda reader: (reader.read(), reader.read([1]), reader.read_all(), reader.read()),
    "close": lambda reader: reader.close(),
    "close twice": lambda reader: (reader.close(), reader.close()),
    "close, ok": lambda reader: (reader.close(), reader.ok(), reader.is_open(), reader.num_records()),
    "close, options": lambda reader: (reader.close(), reader.writer_options_string(), reader.record_index()),
    "close, read": lambda reader: (reader.close(), reader.read()),
    "close, read []": lambda reader: (reader.close(), reader.read([])),
    "close, read [0]": lambda reader: (reader.close(), reader.read([0])),
    "close, read (0, 1)": lambda reader: (reader.close(), reader.read(0, 1)),
    "close, read_all": lambda reader: (reader.close(), reader.read_all()),
    "close, seek": lambda reader: (reader.close(), reader.seek(0)),
    "read_all(1)": lambda reader: reader.read_all(1),
    "read(1, 2, 3)": lambda reader: reader.read(1, 2, 3),
}  # fmt: skip
ONE_ARGUMENT = [
    [], [0], [5, 5, 0], (1, 2), range(3), range(0), [True], [39], [40], [0, 40], [2**63], [2**64 - 1], [2**64], [-1],
    [0, -1], 5, None, "12", b"12", {1}, {1: 2}, [1.0], ["1"], [[1]], np.array([1, 2]), np.array([1], dtype=np.uint8),
    np.array([1.0]), np.array([[1], [2]]), np.array([-1]), np.int64(3), np.array([], dtype=np.int64),
]  # fmt: skip
TWO_ARGUMENTS = [
    (0, 1), (0, 40), (3, 9), (-3, -1), (-3, 40), (-40, 3), (-41, 3), (0, 0), (3, 3), (5, 3), (0, 41), (40, 41),
    (0, 2**31 - 1), (-(2**31), 3), (0.0, 3), ("0", 3), (True, 3), (np.int64(1), np.int32(3)), ([0], 1), (0, None),
]  # fmt: skip
for one in ONE_ARGUMENT:
    READER_USES[f"read({one!r})"] = lambda reader, one=one: reader.read(one)  # type: ignore[misc]
for two in TWO_ARGUMENTS:
    READER_USES[f"read{two!r}"] = lambda reader, two=two: reader.read(*two)  # type: ignore[misc]

FILES = [
    "one",
    "grouped",
    "nothing",
    "damaged record",
    "damaged footer",
    "damaged postscript",
    "short",
    "empty",
    "missing",
    "",
]
ON_PURPOSE = {
    # The original gives records that are not there.
    *(("nothing", use) for use in READER_USES if use.startswith("read(")),
}


@pytest.mark.parametrize("file", FILES)
def test_readers_agree(file: str, folder: Path, original_module: Any):
    path = str(folder / file) if file else ""
    for name, use in READER_USES.items():
        if (file, name) in ON_PURPOSE:
            continue
        # Threads of the original's own make it slow, and change nothing else.
        theirs = outcome(use, original_module.ArrayRecordReader(path, "max_parallelism:0"))
        assert_same(outcome(use, array_record_module.ArrayRecordReader(path, "max_parallelism:0")), theirs)


def test_a_reader_that_failed_stays_failed_in_both(folder: Path, original_module: Any):
    path = str(folder / "damaged record")
    readers = [
        kind(path, "max_parallelism:0")
        for kind in (array_record_module.ArrayRecordReader, original_module.ArrayRecordReader)
    ]
    uses: list[Use] = [READER_USES["read 3 times"], READER_USES["read"], *READER_USES.values()]
    for use in uses:
        assert_same(*(outcome(use, reader) for reader in readers))


CONSTRUCTIONS: dict[str, Use] = {
    **{
        f"options {options}": lambda kind, options=options: kind("/nonexistent/file", options).ok()  # type: ignore[misc]
        for options in (
            "", ",,,", "max_parallelism:0", "max_parallelism:auto", "max_parallelism:-1", "max_parallelism",
            "readahead_buffer_size:16M", "readahead_buffer_size:16MB", "readahead_buffer_size:2G", "foo", "foo:1",
            "readahead_buffer_size:0,readahead_buffer_size:0", "index_storage_option:offloaded", "index_storage_option",
            "index_storage_option:offloaded,footer_prefetch_bytes:0", "index_storage_option:disk",
            "group_size:1", "group_size:0", "group_size:4,brotli:9", "brotli:12", "zstd,brotli", "zstd:-5", "snappy:3",
            "window_log:20,uncompressed", "uncompressed:true", "pad_to_block_boundary:true", "transpose:maybe",
            "default,brotli", "brotli,default", "saturation_delay_ms:0", "transpose_bucket_size:1.5k", " group_size:1",
        )
    },
    "bytes": lambda kind: kind(b"/nonexistent/file", b"").ok(),
    "keywords": lambda kind: kind(path="/nonexistent/file", options="", file_options=None, other=1).ok(),
    "buffer size": lambda kind: kind("/nonexistent/file", file_reader_buffer_size=32768).ok(),
    "no path": lambda kind: kind(),
    "None": lambda kind: kind(None),
    "a number": lambda kind: kind(3),
    "options None": lambda kind: kind("/nonexistent/file", None),
    "three arguments": lambda kind: kind("/nonexistent/file", "", 1),
}  # fmt: skip


@pytest.mark.parametrize("kind", ["ArrayRecordReader", "ArrayRecordWriter"])
@pytest.mark.parametrize("name", CONSTRUCTIONS)
def test_constructors_agree(kind: str, name: str, original_module: Any):
    ours, theirs = (
        outcome(CONSTRUCTIONS[name], getattr(module, kind)) for module in (array_record_module, original_module)
    )
    assert_same(ours, theirs)


WRITER_USES: dict[str, Use] = {
    "ok": lambda writer: (writer.ok(), writer.is_open()),
    "write": lambda writer: writer.write(b"x"),
    "write str": lambda writer: writer.write("x"),
    "write None": lambda writer: writer.write(None),
    "write int": lambda writer: writer.write(1),
    "write list": lambda writer: writer.write([b"x"]),
    "write nothing": lambda writer: writer.write(),
    "write by keyword": lambda writer: writer.write(record=b"x"),
    "close": lambda writer: (writer.close(), writer.ok(), writer.is_open()),
    "close again": lambda writer: writer.close(),
    "write closed": lambda writer: writer.write(b"x"),
}


@pytest.mark.parametrize("place", ["file", "missing/file", "."])
def test_writers_agree(place: str, tmp_path: Path, original_module: Any):
    path = f"{tmp_path}/{place}"
    writers = [kind(path) for kind in (original_module.ArrayRecordWriter, array_record_module.ArrayRecordWriter)]
    for use in WRITER_USES.values():
        theirs, ours = (outcome(use, writer) for writer in writers)
        assert_same(ours, theirs)


@pytest.mark.parametrize(
    "options", ["group_size:1,uncompressed", "group_size:5,uncompressed,transpose", "group_size:3,brotli:5"]
)
def test_writers_write_the_same_bytes(options: str, tmp_path: Path, original_module: Any):
    for name, module in (("ours", array_record_module), ("theirs", original_module)):
        writer = module.ArrayRecordWriter(str(tmp_path / name), options)
        for record in RECORDS:
            writer.write(record)
        writer.close()
    assert (tmp_path / "ours").read_bytes() == (tmp_path / "theirs").read_bytes()


@dataclasses.dataclass
class Instruction:
    filename: str
    skip: int
    take: int
    examples_in_shard: int = 0


PATHS: dict[str, Callable[[Path], Any]] = {
    "one": lambda folder: str(folder / "one"),
    "a Path": lambda folder: folder / "one",
    "two": lambda folder: [folder / "one", str(folder / "two")],
    "a tuple": lambda folder: (str(folder / "one"), str(folder / "two")),
    "a part": lambda folder: f"{folder}/one[3:9]",
    "parts": lambda folder: [f"{folder}/one[3:9]", Instruction(f"{folder}/two", 2, 5), folder / "one"],
    "nothing in it": lambda folder: [str(folder / "nothing"), str(folder / "one")],
    "no part": lambda folder: [f"{folder}/one[3:3]", f"{folder}/two"],
    "beyond": lambda folder: [Instruction(f"{folder}/two", 10, 30), f"{folder}/one[0:5]"],
    "a part of a missing file": lambda folder: [f"{folder}/missing[0:3]", f"{folder}/one[0:5]"],
    "missing": lambda folder: [str(folder / "one"), str(folder / "missing")],
    "short": lambda folder: str(folder / "short"),
    "damaged": lambda folder: str(folder / "damaged footer"),
    "no paths": lambda _: [],
    "a number": lambda _: 5,
    "numbers": lambda _: [5],
    "bytes": lambda folder: [bytes(folder)],
    "a set": lambda folder: {str(folder / "one")},
}
KEYS = [0, 1, 5, 6, 10, 11, 14, 39, 40, 54, 55, 10**6, 2**70, True, np.int64(3), np.array(4)]
BATCHES = [[0], [5, 0, 0], (1, 2), range(3), [10, 5, 34], [50, 3], [10**6], np.array([1, 2]), {1}]


def look_at(source: Any) -> list[Any]:
    """What both say of the same paths."""
    uses: list[Use] = [len, repr, list, lambda source: source._paths, lambda source: source._prefix_sums]
    uses += [lambda source, key=key: source[key] for key in KEYS]  # type: ignore[misc]
    uses += [lambda source, batch=batch: source.__getitems__(batch) for batch in BATCHES]  # type: ignore[misc]
    uses += [lambda source, key=key: source._reader_idx_and_position(key) for key in (-1, 0, 5, 10**6)]  # type: ignore[misc]
    uses += [lambda source: source._split_keys_per_reader([1, 0, 2])]
    return [outcome(use, source) for use in uses]


@pytest.mark.parametrize("name", PATHS)
def test_data_sources_agree(name: str, folder: Path, original_source: Any):
    ours, theirs = (
        outcome(module.ArrayRecordDataSource, PATHS[name](folder))
        for module in (array_record_data_source, original_source)
    )
    if theirs.error is not None:
        assert_same(ours, theirs)
        return
    for mine, original in (
        (ours.value, theirs.value),
        (pickle.loads(pickle.dumps(ours.value)), pickle.loads(pickle.dumps(theirs.value))),
    ):
        for our_outcome, their_outcome in zip(look_at(mine), look_at(original), strict=True):
            assert_same(our_outcome, their_outcome)


def test_both_can_be_imported_side_by_side_and_share_their_flags(original_source: Any):
    flags = pytest.importorskip("absl.flags")
    value = flags.FLAGS["grain_num_threads_fetching_records"].value
    assert value == 64
    assert original_source.ArrayRecordDataSource is not array_record_data_source.ArrayRecordDataSource
