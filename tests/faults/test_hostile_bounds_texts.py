"""What is no file of records, made to harm: an error or what is there, within a second and 100 MB."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

import octavo
from tests.faults import isolation
from tests.faults.programs import bounded_texts
from tests.faults.test_hostile_bounds import measure
from tests.naive import ffrecord

KINDS: dict[str, Callable[..., None]] = {
    "packed folder": bounded_texts.folders,
    "tar": bounded_texts.tars,
    "tar.gz": bounded_texts.zipped_tars,
    "JSON lines": bounded_texts.json_lines,
    "tf.Example": bounded_texts.examples,
}


@pytest.mark.parametrize("kind", KINDS)
def test_text_that_lies_is_an_error_or_does_not_matter(quick_path: Path, kind: str):
    measure(KINDS[kind], quick_path, least_cases=30)


@pytest.mark.parametrize("stream", ["riegeli", "go-none", "paddle-python-snappy", "tfrecord", "tfrecord-gzip"])
def test_number_of_a_sidecar_that_lies_changes_no_record(quick_path: Path, stream: str):
    measure(bounded_texts.sidecars, quick_path, least_cases=300, stream=stream)


def test_manifest_that_lies_is_an_error_or_does_not_matter(quick_path: Path):
    measure(bounded_texts.manifests, quick_path, least_cases=200)


@pytest.mark.parametrize("kind", ["pipe", "device", "hole"])
def test_manifest_that_is_no_file_is_an_error_and_nobody_waits(tmp_path: Path, kind: str):
    path = tmp_path / "liar.octm"
    match kind:
        case "pipe":
            os.mkfifo(path)
        case "device":
            path.symlink_to("/dev/zero")
        case "hole":
            path.touch()
            os.truncate(path, 1 << 40)
    isolation.check(bounded_texts.open_no_manifest, path=path)


@pytest.mark.parametrize("call", [octavo.digest, lambda path: octavo.diff(path, path)], ids=["digest", "diff"])
def test_manifest_of_urls_is_an_error_where_nothing_is(tmp_path: Path, call: Callable[[Path], object]):
    pytest.importorskip("obstore", reason="object stores need obstore")
    path = tmp_path / "urls.octm"
    path.write_text(
        '{"octavo": "manifest", "version": 1, "format": "ffrecord", "paths": ["memory://nothing/here.ffr"], '
        '"sizes": [59], "records": [3], "storing": ["verbatim"], "tags": [null]}'
    )
    with pytest.raises(octavo.errors.OctavoError):
        call(path)


def test_journal_that_is_a_hole_is_refused_in_little_memory(tmp_path: Path):
    (tmp_path / "in.ffr").write_bytes(ffrecord.encode([b"one"]))
    journal = tmp_path / "out.ffr.converting"
    journal.touch()
    os.truncate(journal, 1 << 40)
    isolation.check(bounded_texts.convert_beside_a_journal, source=tmp_path / "in.ffr", target=tmp_path / "out.ffr")


def test_pipe_in_the_place_of_a_journal_keeps_nobody_waiting(tmp_path: Path):
    (tmp_path / "in.ffr").write_bytes(ffrecord.encode([b"one"]))
    os.mkfifo(tmp_path / "out.ffr.converting")
    isolation.check(bounded_texts.convert_beside_a_journal, source=tmp_path / "in.ffr", target=tmp_path / "out.ffr")
