"""What reading costs: bytes and requests, counted by the server, and round trips one after the other."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import octavo
from tests.cloud import samples
from tests.cloud.conftest import Lead
from tests.cloud.servers import s3
from tests.cloud.servers.held_objects import HeldObjects
from tests.cloud.servers.http_server import HttpServer
from tests.cloud.servers.object_server import ObjectServer

pytest.importorskip("obstore")

COUNT = 6000
RECORDS = samples.make_records(COUNT)
KINDS = [samples.BY_NAME[name] for name in ("ffrecord", "array_record-1", "array_record-64", "recordio", "tfrecord")]
NO_INDEX_OF_ITS_OWN = {"recordio", "tfrecord"}
FIRST_LOOK_BYTES = 64 * 1024
"""What a file may cost beside its index, before its format and the size of its index are known."""
LATENCY_S = 0.5  # requests that are sent together come within this, also on a busy machine


class Shards:
    """The records in several files of one format, with sidecars where the format has no index."""

    def __init__(self, kind: samples.Kind, count: int, folder: Path) -> None:
        sidecar = kind.name in NO_INDEX_OF_ITS_OWN
        self.step = COUNT // count
        self.paths = [
            samples.write(kind, RECORDS[i * self.step :][: self.step], folder, stem=f"{count}-{i:02}", sidecar=sidecar)
            for i in range(count)
        ]
        self.files = self.paths + [path.with_name(path.name + ".octx") for path in self.paths if sidecar]

    def spans(self, numbers: list[int]) -> list[tuple[int, int]]:
        """What must be fetched: (first byte, size) of the chunks that the records are in, neighbours joined."""
        readers = [octavo.open(path) for path in self.paths]
        places = {(n // self.step, *readers[n // self.step]._place(n % self.step)) for n in numbers}
        spans: list[tuple[int, int]] = []
        before = None
        for shard, first, size in sorted(places):
            if before == (shard, first):
                spans[-1] = (spans[-1][0], spans[-1][1] + size)
            else:
                spans.append((first, size))
            before = (shard, first + size)
        return spans

    def index_bytes(self) -> int:
        """What tells where records are, in all files."""
        return sum(map(self._index_bytes, self.paths))

    @staticmethod
    def _index_bytes(path: Path) -> int:
        sidecar = path.with_name(path.name + ".octx")
        if sidecar.exists():
            return sidecar.stat().st_size
        with octavo.open(path) as reader:
            info = reader.info
            return 12 + 12 * len(reader) if info.format == "ffrecord" else info.total_bytes - info.encoded_bytes


@pytest.fixture(scope="module", params=KINDS, ids=str)
def kind(request: pytest.FixtureRequest) -> samples.Kind:
    found: samples.Kind = request.param
    return found


@pytest.fixture(scope="module", params=[1, 16], ids="{}-files".format)
def shards(request: pytest.FixtureRequest, kind: samples.Kind, tmp_path_factory: pytest.TempPathFactory) -> Shards:
    return Shards(kind, request.param, tmp_path_factory.mktemp("costs"))


@pytest.fixture
def urls(shards: Shards, held: HeldObjects, plain: HttpServer) -> list[str]:
    for file in shards.files:
        held.put(file.name, file.read_bytes())
    return [f"{plain.endpoint}/{path.name}" for path in shards.paths]


def open_with_index(urls: list[str], step: int) -> octavo.Reader:
    """Without a cache, and with the indexes read that are read late."""
    reader = octavo.open(urls, cache_bytes=0)
    reader.read(range(0, COUNT, step))
    return reader


@pytest.mark.parametrize("count", [1, 32, 256])
def test_a_batch_fetches_little_more_than_its_chunks(
    plain: HttpServer, shards: Shards, urls: list[str], count: int
) -> None:
    numbers = random.Random(count).sample(range(COUNT), count)
    spans = shards.spans(numbers)
    with open_with_index(urls, shards.step) as reader:
        plain.traffic.clear()
        assert reader.read(numbers) == [RECORDS[number] for number in numbers]
    assert plain.traffic.body_bytes() <= 1.3 * sum(size for _, size in spans)
    assert len(plain.traffic.exchanges()) <= len(spans)


def test_neighbours_are_one_request(plain: HttpServer, shards: Shards, urls: list[str]) -> None:
    numbers = list(range(130, 330))
    with open_with_index(urls, shards.step) as reader:
        plain.traffic.clear()
        assert reader.read(numbers) == RECORDS[130:330]
    assert len(plain.traffic.exchanges()) == 1


def test_a_batch_takes_few_round_trips(plain: HttpServer, shards: Shards, urls: list[str]) -> None:
    numbers = random.Random(3).sample(range(COUNT), 256)
    with open_with_index(urls, shards.step) as reader:
        plain.traffic.clear()
        plain.latency_s = LATENCY_S
        assert reader.read(numbers) == [RECORDS[number] for number in numbers]
    assert plain.traffic.rounds() < 10


def test_opening_and_one_record_do_not_read_the_files(plain: HttpServer, shards: Shards, urls: list[str]) -> None:
    with octavo.open(urls) as reader:
        assert reader[COUNT // 2] == RECORDS[COUNT // 2]
    ((_, chunk_bytes),) = shards.spans([COUNT // 2])
    allowed = shards.index_bytes() + 1.3 * chunk_bytes + FIRST_LOOK_BYTES * len(urls)
    assert plain.traffic.body_bytes() <= allowed


def test_files_are_opened_at_the_same_time(plain: HttpServer, urls: list[str]) -> None:
    plain.latency_s = LATENCY_S
    with octavo.open(urls) as reader:
        assert len(reader) == COUNT
    assert plain.traffic.rounds() < 10


def test_a_scan_reads_every_byte_about_once(plain: HttpServer, shards: Shards, urls: list[str]) -> None:
    with open_with_index(urls, shards.step) as reader:
        plain.traffic.clear()
        assert list(reader) == RECORDS
    assert plain.traffic.body_bytes() <= 1.05 * sum(path.stat().st_size for path in shards.paths)


def test_costs_are_the_same_on_s3(
    watched: HttpServer, moto: ObjectServer, lead: Lead, folder: str, tmp_path: Path
) -> None:
    server = lead(s3.s3_at(watched.endpoint))
    shards = Shards(samples.BY_NAME["array_record-1"], 4, tmp_path)
    for file in shards.files:
        moto.put(f"{folder}/{file.name}", file.read_bytes())
    numbers = random.Random(4).sample(range(COUNT), 64)
    spans = shards.spans(numbers)
    with open_with_index([server.url(f"{folder}/{path.name}") for path in shards.paths], shards.step) as reader:
        watched.traffic.clear()
        watched.latency_s = LATENCY_S
        assert reader.read(numbers) == [RECORDS[number] for number in numbers]
    assert watched.traffic.body_bytes() <= 1.3 * sum(size for _, size in spans)
    assert len(watched.traffic.exchanges()) <= len(spans)
    assert watched.traffic.rounds() < 10
