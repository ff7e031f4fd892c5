"""Files without an index from sources other than paths: short reads, and failures at every single read."""

from __future__ import annotations

import io
import itertools
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

import octavo
from octavo.errors import OctavoError, TornAppendWarning
from tests.faults import isolation, samples
from tests.faults.programs import interrupts

COUNT = 60
RECORDS = samples.records(COUNT)


@pytest.fixture(params=["paddle-python-snappy", "go-none", "tfrecord"])
def stream(request: pytest.FixtureRequest) -> str:
    one: str = request.param
    return one


@pytest.fixture
def content(quick_path: Path, stream: str) -> bytes:
    path = quick_path / "records"
    samples.write_stream(path, RECORDS, stream, group_size=7)
    return path.read_bytes()


class Limited(io.BytesIO):
    """A file that works for so many reads, and then no more."""

    def __init__(self, content: bytes, reads: int, most: int | None = None) -> None:
        super().__init__(content)
        self.reads = reads
        self.most = most

    def read(self, size: int | None = -1, /) -> bytes:
        if self.reads == 0:
            raise ConnectionResetError("the other side has gone away")
        self.reads -= 1
        return super().read(min(size or 0, self.most) if self.most else size)


WAYS: dict[str, Callable[[octavo.Reader], list[bytes]]] = {
    "read_all": lambda reader: reader.read_all(),
    "iteration": list,
    "single": lambda reader: [reader[number] for number in range(len(reader))],
    "batch": lambda reader: reader.read(range(len(reader))),
}


@pytest.mark.parametrize("most", [1, 5, 333])
def test_short_reads_make_no_difference(content: bytes, stream: str, most: int):
    reader = octavo.open(Limited(content, -1, most), format=samples.STREAMS[stream]["format"])
    for way in WAYS.values():
        assert way(reader) == RECORDS


SPOILT: dict[str, Callable[[bytes], bytes]] = {
    "sound": lambda content: content,
    "torn": lambda content: content[:-5],
    "damaged": lambda content: content[:30] + b"?" + content[31:],
    "lost": lambda content: b"?" + content[1:],
}


@pytest.mark.parametrize("spoilt", SPOILT)
@pytest.mark.parametrize("way", WAYS)
def test_failure_of_any_read_comes_through(content: bytes, stream: str, way: str, spoilt: str):
    """While the file is opened, searched through, and read: the source's own error, and records that are right."""
    failed = 0
    for reads in itertools.count():
        source = Limited(SPOILT[spoilt](content), reads)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", TornAppendWarning)
                reader = octavo.open(source, format=samples.STREAMS[stream]["format"], cache_bytes=0)
            found = WAYS[way](reader)
        except ConnectionResetError:
            failed += 1
            continue
        except OctavoError:
            assert spoilt in {"damaged", "lost"}
            break
        assert found == RECORDS[: len(found)]
        assert spoilt == "torn" or found == RECORDS
        break
    assert failed > 1


@pytest.mark.parametrize("answer", [b"", b"x", None, "text", b"x" * 10_000])
def test_source_that_answers_wrongly_while_it_is_opened_is_an_error(content: bytes, stream: str, answer):
    class Lying:
        name = "lying"
        size = len(content)

        def read_spans(self, spans):
            return [answer for _ in spans]

    with pytest.raises((OctavoError, TypeError, ValueError)):
        octavo.open(Lying(), format=samples.STREAMS[stream]["format"])


@pytest.mark.parametrize("difference", [-1, 1, 1000, 1 << 40, 1 << 62])
def test_source_that_lies_about_its_size_gives_a_part_or_an_error(content: bytes, stream: str, difference: int):
    class Lying(io.BytesIO):
        def seek(self, offset: int, whence: int = 0, /) -> int:
            return super().seek(offset, whence) + (difference if whence == io.SEEK_END else 0)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TornAppendWarning)
        try:
            found = octavo.open(Lying(content), format=samples.STREAMS[stream]["format"]).read_all()
        except OctavoError:
            return
    assert difference == -1
    assert found == RECORDS[: len(found)]


# What a source does while others wait for it.


@pytest.fixture(scope="module", params=[".recordio", ".tfrecord"])
def path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = tmp_path_factory.mktemp("sources") / f"some{request.param}"
    samples.write_plainly(path, samples.records(20_000))
    return path


@pytest.mark.parametrize("call", ["read_all", "iteration"])
def test_ctrl_c_ends_reading_from_a_source_in_python(path: Path, call: str):
    ended = isolation.check(interrupts.interrupt_a_slow_source, path=path, call=call)
    assert ended.output.strip() == "interrupted"


def test_ctrl_c_ends_the_scan_of_a_source_in_python(path: Path):
    ended = isolation.check(interrupts.interrupt_the_scan_of_a_slow_source, path=path)
    assert ended.output.strip() == "interrupted"


@pytest.mark.parametrize("way", ["read_all", "iteration", "batch"])
def test_damage_in_a_source_in_python_is_an_error(path: Path, way: str):
    first_byte = {".recordio": 20 + 4, ".tfrecord": 12}[path.suffix]
    isolation.check(interrupts.read_a_damaged_source, path=path, at=first_byte, way=way)


@pytest.mark.parametrize("way", ["read_all", "iteration", "batch"])
def test_exception_of_a_source_in_python_comes_through(path: Path, way: str):
    isolation.check(interrupts.read_a_failing_source, path=path, way=way)


def test_break_from_a_source_in_python_returns(path: Path):
    isolation.check(interrupts.leave_an_iteration_of_a_slow_source, path=path)
