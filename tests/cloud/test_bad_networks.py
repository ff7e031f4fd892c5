"""A network between client and server that is slow, narrow, or cuts connections: toxiproxy."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import octavo
from octavo import errors
from tests.cloud import samples
from tests.cloud.deadline import within
from tests.cloud.servers.object_server import ObjectServer
from tests.cloud.servers.patience import little_patience
from tests.cloud.servers.s3 import s3_at
from tests.cloud.servers.toxic import Toxiproxy

pytest.importorskip("obstore")

RECORDS = samples.make_records(1000, size=400)
NUMBERS = list(range(0, 1000, 17))
LIMIT_S = 120.0
GIVES_UP_SOON = little_patience("30s")
# Where nothing is heard, each attempt takes all of its time.
GIVES_UP_IN_TIME = little_patience("2s")
# Of so many requests some fail several times in a row, and a busy machine is slower than the network.
GOES_ON = little_patience("30s", retries=12)


@pytest.fixture
def patience() -> dict[str, Any]:
    """Options of the store; tests of what cannot be passed give others."""
    return GOES_ON


@pytest.fixture
def location(
    toxiproxy: Toxiproxy, versitygw: ObjectServer, patience: dict[str, Any], folder: str, tmp_path: Path
) -> Iterator[octavo.storage.InStore]:
    key = f"{folder}/records.array_record"
    versitygw.put(key, samples.content(samples.BY_NAME["array_record-1"], RECORDS, tmp_path))
    with toxiproxy.before(versitygw.endpoint) as endpoint:
        store = s3_at(endpoint).store(**patience)
        yield octavo.storage.InStore(store, key)


@pytest.mark.parametrize(
    ("kind", "attributes"),
    [
        ("latency", {"latency": 50, "jitter": 30}),
        ("bandwidth", {"rate": 400}),
        ("slicer", {"average_size": 500, "delay": 100}),
    ],
)
def test_a_slow_network_gives_the_records(
    toxiproxy: Toxiproxy, location: octavo.storage.InStore, kind: str, attributes: dict[str, int]
) -> None:
    with toxiproxy.toxic(kind, **attributes), octavo.open(location) as reader:
        assert within(LIMIT_S, lambda: reader.read(NUMBERS)) == [RECORDS[number] for number in NUMBERS]
        assert within(LIMIT_S, lambda: list(reader)) == RECORDS


@pytest.mark.parametrize(
    ("kind", "attributes", "patience"),
    [
        ("reset_peer", {"timeout": 0}, GIVES_UP_SOON),
        ("reset_peer", {"timeout": 10}, GIVES_UP_SOON),
        ("limit_data", {"bytes": 600}, GIVES_UP_SOON),
        ("timeout", {"timeout": 0}, GIVES_UP_IN_TIME),
    ],
)
def test_a_network_that_fails_is_told_and_forgotten(
    toxiproxy: Toxiproxy, location: octavo.storage.InStore, kind: str, attributes: dict[str, int]
) -> None:
    with octavo.open(location) as reader:
        with toxiproxy.toxic(kind, **attributes):
            with pytest.raises(errors.StorageError, match=r"records\.array_record"):
                within(LIMIT_S, lambda: reader.read(range(1000)))
            with pytest.raises(errors.StorageError, match=r"records\.array_record"):
                within(LIMIT_S, lambda: octavo.open(location))
        assert within(LIMIT_S, lambda: reader.read(NUMBERS)) == [RECORDS[number] for number in NUMBERS]


def test_a_network_that_fails_sometimes_is_passed(toxiproxy: Toxiproxy, location: octavo.storage.InStore) -> None:
    with toxiproxy.toxic("reset_peer", toxicity=0.2, timeout=0), octavo.open(location) as reader:
        assert within(LIMIT_S, lambda: reader.read(NUMBERS)) == [RECORDS[number] for number in NUMBERS]
