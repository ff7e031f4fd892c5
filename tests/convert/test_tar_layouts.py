"""What files of a tar file become one record, as WebDataset has it, and what becomes of such records."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from octavo import _tf_example
from octavo.errors import FormatError, OptionError
from tests.convert import shelf
from tests.convert.archives import archive, files_of, sample

SAMPLES = [("a/1.jpg", b"J1"), ("a/1.json", b"{}"), ("a/2.jpg", b"J2"), ("a/2.seg.png", b"P2"), ("a/2.json", b"[]")]


def test_files_that_share_a_key_are_a_sample() -> None:
    records = shelf.read("tar", archive(SAMPLES))
    assert [_tf_example.parse(record) for record in records] == [
        {"__key__": [b"a/1"], "jpg": [b"J1"], "json": [b"{}"]},
        {"__key__": [b"a/2"], "jpg": [b"J2"], "json": [b"[]"], "seg.png": [b"P2"]},
    ]
    assert next(shelf.source("tar", archive(SAMPLES)).blocks()).names is None


def test_samples_come_back() -> None:
    records = shelf.read("tar", archive(SAMPLES), layout="samples")
    content = shelf.written("tar", records, layout="samples")
    assert shelf.read("tar", content, layout="samples") == records
    assert sorted(files_of(content)) == sorted(SAMPLES)


keys = st.from_regex(r"\A([a-z.]{1,3}/){0,2}[^./\x00-\x1f]{1,3}\Z")
extensions = st.from_regex(r"\A[^/\x00]{0,4}\Z").filter(lambda text: text.isprintable() and text != "__key__")


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.lists(st.tuples(keys, st.dictionaries(extensions, st.binary(max_size=5), min_size=1)), max_size=5))
def test_every_sample_comes_back(samples: list[tuple[str, dict[str, bytes]]]) -> None:
    distinct = [one for one, before in zip(samples, [("", {}), *samples], strict=False) if one[0] != before[0]]
    distinct = [one for index, one in enumerate(distinct) if not index or distinct[index - 1][0] != one[0]]
    records = [sample(key, **files) for key, files in distinct]
    assert shelf.read("tar", shelf.written("tar", records, layout="samples"), layout="samples") == records


def test_a_record_is_a_file_if_one_asks_for_files() -> None:
    assert shelf.read("tar", archive(SAMPLES), layout="files") == [content for _, content in SAMPLES]
    assert shelf.names_in("tar", archive(SAMPLES), layout="files") == [name for name, _ in SAMPLES]


def test_one_file_for_each_key_at_the_beginning_means_files() -> None:
    files = [("a.txt", b"1"), ("b.txt", b"2"), ("c", b"3"), ("c", b"4"), (".d", b"5"), (".d", b"6")]
    assert shelf.read("tar", archive(files)) == [content for _, content in files]


def test_a_single_file_is_a_file() -> None:
    assert shelf.read("tar", archive([("a.txt", b"1")])) == [b"1"]


def test_a_key_that_comes_twice_later_names_the_option() -> None:
    files = [("a.txt", b"1"), ("b.txt", b"2"), ("c.txt", b"3"), ("c.json", b"4")]
    with pytest.raises(OptionError, match=r"'c\.txt' and 'c\.json' share a key.*layout='files'.*layout='samples'"):
        shelf.read("tar", archive(files))
    with pytest.raises(OptionError, match="share a key"):
        shelf.source("tar", archive(files)).count()
    assert len(shelf.read("tar", archive(files), layout="samples")) == 3


@pytest.mark.parametrize(
    "name", ["README", "a/.hidden", "a.b/c", "x.__key__", b"x.\xff".decode("utf-8", "surrogateescape")]
)
def test_a_file_that_fits_no_sample_is_refused(name: str) -> None:
    with pytest.raises(FormatError, match=r"cannot be part of a sample.*layout='files'"):
        shelf.read("tar", archive([("0.txt", b""), (name, b"")]), layout="samples")


def test_an_extension_that_comes_twice_is_refused() -> None:
    with pytest.raises(FormatError, match=r"'a\.txt' comes twice"):
        shelf.read("tar", archive([("a.txt", b"1"), ("a.txt", b"2")]))


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (b"anything", "not an example"),
        (_tf_example.encode({"txt": [b"x"]}), "__key__"),
        (_tf_example.encode({"__key__": [b"a"]}), "something besides"),
        (_tf_example.encode({"__key__": [b"a", b"b"], "txt": [b"x"]}), "__key__"),
        (_tf_example.encode({"__key__": [1], "txt": [b"x"]}), "__key__"),
        (sample("a.b", txt=b""), "not be read as key"),
        (sample("a/", txt=b""), "not be read as key"),
        (sample("", txt=b""), "not be read as key"),
        (_tf_example.encode({"__key__": [b"a"], "b/c": [b"x"]}), "not be read as key"),
        (_tf_example.encode({"__key__": [b"a"], "label": [1]}), "'label' is not one string"),
        (_tf_example.encode({"__key__": [b"a"], "txt": [b"x", b"y"]}), "'txt' is not one string"),
        (_tf_example.encode({"__key__": [b"a"], "txt": []}), "'txt' is not one string"),
        (sample("first", txt=b"again"), "which it would join"),
    ],
)
def test_a_record_that_would_not_come_back_is_refused(record: bytes, reason: str) -> None:
    with pytest.raises(FormatError, match=f"record 1 is not a sample: .*{reason}.*layout='files'"):
        shelf.written("tar", [sample("first", txt=b""), record], layout="samples")


def test_features_in_another_order_are_refused() -> None:
    one, two = (_tf_example.encode({name: [b"x"]})[2:] for name in ("__key__", "txt"))
    swapped = b"\n" + bytes([len(one) + len(two)]) + two + one
    assert list(_tf_example.parse(swapped)) == ["txt", "__key__"]
    with pytest.raises(FormatError, match="order of their names"):
        shelf.written("tar", [swapped], layout="samples")


@pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")  # it leaves closing to the garbage collector
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
class TestWebdataset:
    """The package itself, where it is installed."""

    def test_what_it_writes_is_read(self, tmp_path: Path) -> None:
        webdataset = pytest.importorskip("webdataset")
        with webdataset.TarWriter(str(tmp_path / "x.tar")) as writer:
            for number in range(3):
                writer.write({"__key__": f"sample{number}", "txt": f"text {number}", "json": {"n": number}})
        found = [_tf_example.parse(record) for record in shelf.read("tar", tmp_path / "x.tar")]
        assert found[2] == {"__key__": [b"sample2"], "txt": [b"text 2"], "json": [b'{"n": 2}']}

    def test_it_reads_what_is_written(self, tmp_path: Path) -> None:
        webdataset = pytest.importorskip("webdataset")
        records = [sample(f"s{number}", txt=b"text %d" % number, cls=b"7") for number in range(3)]
        shelf.write("tar", tmp_path / "x.tar", records, layout="samples")
        data = webdataset.WebDataset(str(tmp_path / "x.tar"), shardshuffle=False)
        assert [(one["__key__"], one["txt"], one["cls"]) for one in data] == [
            (f"s{number}", b"text %d" % number, b"7") for number in range(3)
        ]
        shelf.write("tar", tmp_path / "files.tar", [b"1", b"2"])
        data = webdataset.WebDataset(str(tmp_path / "files.tar"), shardshuffle=False)
        assert [(one["__key__"], one["bin"]) for one in data] == [("000000000", b"1"), ("000000001", b"2")]
