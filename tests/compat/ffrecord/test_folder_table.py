"""The table of a packed folder beside `pickle`: the same structures, the same bytes, and nothing is ever run."""

from __future__ import annotations

import collections
import itertools
import pickle
import pickletools
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from octavo import errors
from octavo._core import encode_folder_table, parse_folder_table
from tests.compat.ffrecord.folders import MAGIC, Touching

Structure = OrderedDict[str, Any]

FILE_COUNT = 1 << 40
DEEPEST = 256
ONE_FRAME = 64 * 1024  # CPython's pickler begins another frame behind so many bytes

PICKLERS = [pickle.dumps, pickle._dumps]  # type: ignore[attr-defined] # the latter is in Python, and undocumented
CHARACTERS = st.characters(exclude_categories=(), exclude_characters="/\0") | st.sampled_from("ab\\\n\xe9\u0100\udcff")
NAMES = (st.text(CHARACTERS, min_size=1, max_size=8) | st.text("nü", min_size=120, max_size=300)).filter(
    lambda name: name not in {".", ".."}
)
INDICES = st.integers(0, 300) | st.integers(0, FILE_COUNT - 1)
FOLDERS: st.SearchStrategy[Structure] = st.recursive(
    st.builds(OrderedDict),
    lambda inner: st.dictionaries(NAMES, INDICES | inner, max_size=6).map(OrderedDict),
    max_leaves=12,
)
QUICK = settings(max_examples=150, deadline=None, derandomize=True)


def as_listed(structure: Structure) -> Structure:
    """The same with strings of their own, as those of a folder's listing are."""
    return OrderedDict(
        (
            name.encode(errors="surrogatepass").decode(errors="surrogatepass"),
            as_listed(value) if isinstance(value, OrderedDict) else value,
        )
        for name, value in structure.items()
    )


def assert_sound(structure: object) -> None:
    assert type(structure) is OrderedDict
    for name, value in structure.items():
        assert name not in {"", ".", ".."}
        assert not {"/", "\0"} & set(name)
        if type(value) is int:
            assert 0 <= value < FILE_COUNT
        else:
            assert_sound(value)


def nested(depth: int) -> Structure:
    structure: Structure = OrderedDict()
    for _ in range(depth):
        structure = OrderedDict(d=structure)
    return structure


@QUICK
@given(folder=FOLDERS, protocol=st.integers(0, 5), pickler=st.sampled_from(PICKLERS), shared=st.booleans())
def test_what_picklers_write_is_read_as_they_read_it(folder, protocol, pickler: Callable[..., bytes], shared):
    table = pickler(folder if shared else as_listed(folder), protocol)
    for one in (table, pickletools.optimize(table)):
        read = parse_folder_table(one, FILE_COUNT)
        assert read == pickle.loads(one) == folder
        assert_sound(read)


@QUICK
@given(folder=FOLDERS)
def test_what_is_written_is_what_the_pickler_writes(folder):
    record = encode_folder_table(folder)
    assert record.startswith(MAGIC)
    table = record.removeprefix(MAGIC)
    assert pickle.loads(table) == parse_folder_table(table, FILE_COUNT) == folder
    if len(table) < ONE_FRAME:
        assert table == pickle.dumps(as_listed(folder), 4)


@pytest.mark.parametrize("count", [0, 1, 2, 255, 256, 257, 999, 1000, 1001, 1002, 2001])
@pytest.mark.parametrize("protocol", range(6))
def test_folders_of_every_size(count, protocol):
    folder: Structure = OrderedDict((f"{number:04}", number) for number in range(count))
    folder["folder"] = OrderedDict(folder)
    assert parse_folder_table(pickle.dumps(folder, protocol), FILE_COUNT) == folder
    assert encode_folder_table(folder) == MAGIC + pickle.dumps(as_listed(folder), 4)


def test_a_large_folder_is_one_frame():
    folder = OrderedDict((f"{number:06}.jpg", number) for number in range(100_000))
    table = encode_folder_table(folder).removeprefix(MAGIC)
    assert int.from_bytes(table[3:11], "little") == len(table) - 11
    for one in (table, pickle.dumps(folder), pickle.dumps(folder, 0)):
        assert parse_folder_table(one, 100_000) == pickle.loads(one) == folder


def edited(table: bytes, edits: list[tuple[str, int, int, bytes]]) -> bytes:
    for kind, at, size, piece in edits:
        place = at % (len(table) + 1)
        behind = min(place + size, len(table))
        if kind == "replace":
            table = table[:place] + piece + table[place + len(piece) :]
        elif kind == "insert":
            table = table[:place] + piece + table[place:]
        elif kind == "delete":
            table = table[:place] + table[behind:]
        else:
            table = table[:behind] + table[place:]
    return table


OPCODES = [opcode.code.encode("latin-1") for opcode in pickletools.opcodes]
PIECES = (
    st.sampled_from(OPCODES) | st.binary(min_size=1, max_size=4) | st.sampled_from([b"h\0", b"g0\n", b")R", b"I1\n"])
)
EDITS = st.tuples(
    st.sampled_from(["replace", "insert", "delete", "repeat"]), st.integers(0, 1 << 16), st.integers(1, 20), PIECES
)


@settings(QUICK, max_examples=600)
@given(folder=FOLDERS, protocol=st.integers(0, 5), edits=st.lists(EDITS, min_size=1, max_size=4))
def test_a_table_that_was_tampered_with_is_refused_or_sound(folder, protocol, edits):
    table = edited(pickle.dumps(folder, protocol), edits)
    try:
        read = parse_folder_table(table, FILE_COUNT)
    except errors.FormatError:
        return
    assert_sound(read)
    try:
        loaded = pickle.loads(table)  # harmless: it was found to hold nothing but names and numbers
    except (pickle.UnpicklingError, EOFError, ValueError):
        return  # of frames and their ends it knows more
    assert read == loaded


@settings(QUICK, max_examples=300)
@given(table=st.binary(max_size=200) | st.lists(st.sampled_from(OPCODES), max_size=60).map(b"".join))
def test_noise_is_refused_or_sound(table):
    try:
        assert_sound(parse_folder_table(table, FILE_COUNT))
    except errors.FormatError as error:
        assert "of the folder table" in str(error)  # noqa: PT017 - either outcome is fine


@pytest.mark.parametrize("protocol", range(6))
@pytest.mark.parametrize("place", ["root", "value", "deep value"])
def test_nothing_in_a_table_is_run(tmp_path, protocol, place):
    evil = Touching(tmp_path / "touched")
    inside = OrderedDict(a=0, b=evil)
    structure = {"root": evil, "value": inside, "deep value": OrderedDict(c=inside)}[place]
    with pytest.raises(errors.FormatError, match=r"GLOBAL\): only collections\.OrderedDict may be named, not .*open"):
        parse_folder_table(pickle.dumps(structure, protocol), 4)
    assert not (tmp_path / "touched").exists()


@pytest.mark.parametrize(
    "other",
    [{"a": 0}, collections.Counter(a=1), collections.defaultdict(int, a=1), ["a"], ("a", 0), "a", 0, None, b"a", {"a"}],
    ids=lambda other: type(other).__name__,
)
@pytest.mark.parametrize("protocol", [0, 2, 4])
@pytest.mark.parametrize("inside", [False, True])
def test_only_ordered_dicts_are_folders(other, protocol, inside):
    if inside and other == 0:
        other = True
    structure = OrderedDict(x=other) if inside else other
    with pytest.raises(errors.FormatError):
        parse_folder_table(pickle.dumps(structure, protocol), 4)


@pytest.mark.parametrize("name", ["", ".", "..", "/", "a/b", "../../etc/passwd", "a\0b", 7, None, ("a",), b"a"])
@pytest.mark.parametrize("protocol", [0, 2, 4])
def test_keys_that_are_no_names_are_refused(name, protocol):
    with pytest.raises(errors.FormatError):
        parse_folder_table(pickle.dumps(OrderedDict([(name, 0)]), protocol), 4)


@pytest.mark.parametrize("index", [4, 5, -1, 1 << 31, 1 << 80, -(1 << 80), True, False, 1.0, None, "1"])
@pytest.mark.parametrize("protocol", [0, 2, 4])
def test_values_that_are_no_files_are_refused(index, protocol):
    with pytest.raises(errors.FormatError):
        parse_folder_table(pickle.dumps(OrderedDict(a=index), protocol), 4)


def test_indices_end_with_the_files():
    assert parse_folder_table(pickle.dumps(OrderedDict(a=3, b=3)), 4) == OrderedDict(a=3, b=3)
    with pytest.raises(errors.FormatError, match="file 3 is not there: there are 3"):
        parse_folder_table(pickle.dumps(OrderedDict(a=3)), 3)


@pytest.mark.parametrize("protocol", range(6))
def test_depth_is_limited(protocol):
    deepest = nested(DEEPEST)
    assert parse_folder_table(pickle.dumps(deepest, protocol), 0) == deepest
    with pytest.raises(errors.FormatError, match="nested deeper than 256"):
        parse_folder_table(pickle.dumps(nested(DEEPEST + 1), protocol), 0)


def test_the_deepest_nesting_is_no_depth_of_calls():
    levels = 1_000_000
    table = b"ccollections\nOrderedDict\nq\0)R" + b"Va\nh\0)R" * levels + b"s" * levels + b"."
    with pytest.raises(errors.FormatError, match="nested deeper than 256"):
        parse_folder_table(table, 0)


def test_folders_that_double_with_each_level_are_refused():
    structure: Structure = OrderedDict()
    for _ in range(100):
        structure = OrderedDict(a=structure, b=structure)
    with pytest.raises(errors.FormatError, match="in two places"):
        parse_folder_table(pickle.dumps(structure), 0)


def test_a_folder_inside_itself_is_refused():
    structure: Structure = OrderedDict()
    structure["again"] = OrderedDict(root=structure)
    with pytest.raises(errors.FormatError):
        parse_folder_table(pickle.dumps(structure), 0)
    with pytest.raises(errors.OptionError, match="nested deeper"):
        encode_folder_table(structure)


def test_two_entries_of_one_name_are_refused():
    table = pickle.dumps(OrderedDict(aa=0, ab=1), 0).replace(b"Vab", b"Vaa")
    with pytest.raises(errors.FormatError, match="two entries of the name 'aa'"):
        parse_folder_table(table, 2)


@pytest.mark.parametrize("protocol", range(6))
def test_bytes_are_neither_missing_nor_left_over(protocol):
    table = pickle.dumps(OrderedDict(a=0, b=OrderedDict(c=1)), protocol)
    for size in range(len(table)):
        with pytest.raises(errors.FormatError):
            parse_folder_table(table[:size], 2)
    with pytest.raises(errors.FormatError, match="1 bytes follow the end"):
        parse_folder_table(table + b".", 2)


def test_a_refusal_names_opcode_and_place():
    table = b"ccollections\nOrderedDict\n)R(Vx\nNu."
    with pytest.raises(errors.DamagedFileError, match=r"byte 31 of the folder table, opcode 0x4e \(NONE\)"):
        parse_folder_table(table, 2)


@pytest.mark.parametrize(
    ("structure", "refusal"),
    [
        ({1: 2}, errors.RecordTypeError),
        ({"a": None}, errors.RecordTypeError),
        ({"a": True}, errors.RecordTypeError),
        ({"a": "b"}, errors.RecordTypeError),
        ({"a": -1}, errors.OptionError),
        ({"a": 1 << 64}, errors.OptionError),
        ({"..": 1}, errors.OptionError),
        ({"a/b": 1}, errors.OptionError),
        ({"": {}}, errors.OptionError),
        ([], TypeError),
        (nested(DEEPEST + 1), errors.OptionError),
    ],
    ids=itertools.count(),
)
def test_structures_that_are_no_folder_are_not_written(structure, refusal):
    with pytest.raises(refusal):
        encode_folder_table(structure)


def test_any_mapping_is_written_in_its_order():
    assert encode_folder_table({"b": 0, "a": {}}) == MAGIC + pickle.dumps(OrderedDict(b=0, a=OrderedDict()), 4)
