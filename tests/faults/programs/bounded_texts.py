"""The same measure for what is no file of records: manifests, sidecars, packed folders, other containers, journals."""

from __future__ import annotations

import functools
import itertools
import json
import os
import resource
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import octavo
from octavo import _tf_example
from octavo.errors import OctavoError
from tests.faults import samples
from tests.faults.lies import sweep_folders, sweep_sidecars, sweep_texts
from tests.faults.lies.edges import Case
from tests.faults.programs.bounded import Meter, clear, demand, warmed
from tests.faults.programs.hostile import MEMORY_BYTES
from tests.faults.programs.outcome import error_of
from tests.naive import ffrecord, riegeli

Look = Callable[[str], object]


def _measure(folder: str, suffix: str, cases: Iterable[Case], looks: dict[str, Look], progress: str) -> None:
    warmed(folder)
    meter, count = Meter(), 0
    with open(progress, "wb", buffering=0) as told:
        for name, content in cases:
            count += 1
            path = os.path.join(folder, f"liar{suffix}")
            Path(path).write_bytes(content)
            for operation, look in looks.items():
                told.write(f"{name}: {operation}\n".encode(errors="replace"))
                meter.run(f"{name}: {operation}", functools.partial(look, path))
            clear(folder)
    meter.tell(cases=count)


def _look_into_folder(path: str) -> None:
    with octavo.Folder(path) as folder:
        names = list(itertools.islice(folder, 3))
        demand(what_holds=len(folder) >= len(names), otherwise="fewer names than names")
        list(itertools.islice(folder.walk(), 10))
        for name in names:
            demand(what_holds=folder[name] in sweep_folders.FILES, otherwise=f"{name} is no file of it")


def folders(folder: str, progress: str) -> None:
    """Tables of packed folders."""
    _measure(folder, ".ffr", sweep_folders.folders(), {"folder": _look_into_folder}, progress)


def _digest(path: str, **options: Any) -> None:
    octavo.digest(path, **options)


def _convert(path: str) -> None:
    octavo.convert(path, os.path.join(os.path.dirname(path), "converted.ffr"), overwrite=True)


def _tar(path: str) -> None:
    """No member may be missing without a word: what is not refused has three, or says otherwise of itself."""
    target = os.path.join(os.path.dirname(path), "converted.ffr")
    report = octavo.convert(path, target, layout="files", overwrite=True)
    demand(what_holds=report.record_count > 0, otherwise="an archive of files is read as none")


def tars(folder: str, progress: str) -> None:
    """Archives."""
    looks: dict[str, Look] = {"files": _tar, "samples": functools.partial(_digest, layout="samples")}
    _measure(folder, ".tar", sweep_texts.tars(), looks, progress)


def zipped_tars(folder: str, progress: str) -> None:
    """Archives in a stream."""
    _measure(folder, ".tar.gz", sweep_texts.zipped_tars(), {"digest": _digest}, progress)


def json_lines(folder: str, progress: str) -> None:
    """Lines."""
    looks: dict[str, Look] = {"lines": _convert, "column": functools.partial(_digest, column="a")}
    _measure(folder, ".jsonl", sweep_texts.json_lines(), looks, progress)


def examples(folder: str, progress: str) -> None:
    """Both messages, and the keys that are looked for first."""

    def parsed(path: str) -> None:
        _tf_example.parse(Path(path).read_bytes())

    def parsed_as_sequence(path: str) -> None:
        _tf_example.parse_sequence(Path(path).read_bytes())

    def outlined(path: str) -> None:
        _tf_example.parse(Path(path).read_bytes(), most_values=1000)

    looks: dict[str, Look] = {"example": parsed, "sequence": parsed_as_sequence, "outline": outlined}
    _measure(folder, ".bin", sweep_texts.examples(), looks, progress)


LISTED = {"a.ffr": [b"one", b"two", b"three"], "b.ffr": [b"four"]}
LISTED_RECORDS = [record for records in LISTED.values() for record in records]


def _all_listed(path: str) -> None:
    with octavo.open(path) as reader:
        demand(what_holds=reader.read_all() == LISTED_RECORDS, otherwise="other records")


def _first_and_last(path: str) -> None:
    with octavo.open(path) as reader:
        demand(what_holds=reader[0] in LISTED_RECORDS, otherwise="the first record")
        demand(what_holds=reader[-1] in LISTED_RECORDS, otherwise="the last record")


def _verify(path: str) -> None:
    octavo.verify(path)


def _partition(path: str) -> None:
    with octavo.open(path) as reader:
        for part in reader.partitions(2):
            with part.open() as opened:
                next(iter(opened), None)


def manifests(folder: str, progress: str) -> None:
    """Lists of two files, which are there."""
    beside = os.path.join(folder, "files")
    os.mkdir(beside)
    for name, records in LISTED.items():
        Path(beside, name).write_bytes(ffrecord.encode(records))
    octavo.write_manifest([os.path.join(beside, name) for name in LISTED], os.path.join(beside, "m.octm"))
    sound = json.loads(Path(beside, "m.octm").read_bytes())
    sound["paths"] = [os.path.join(beside, name) for name in LISTED]
    looks: dict[str, Look] = {
        "all": _all_listed,
        "single": _first_and_last,
        "verify": _verify,
        "digest": _digest,
        "partitions": _partition,
    }
    _measure(folder, ".octm", sweep_texts.manifests(sound), looks, progress)


def sidecars(folder: str, stream: str, progress: str) -> None:
    """Indexes beside a file that does not lie."""
    beside = os.path.join(folder, "files")
    os.mkdir(beside)
    path = os.path.join(beside, "records.riegeli" if stream == "riegeli" else "records")
    records = samples.records(30)
    if stream == "riegeli":
        Path(path).write_bytes(riegeli.encode([records[at : at + 4] for at in range(0, len(records), 4)]))
    else:
        samples.write_stream(path, records, stream, group_size=4)
    (index,) = octavo.write_index(path)

    def believed(lie: str) -> None:
        os.replace(lie, index)
        with octavo.open(path) as reader:
            found = [reader[number] for number in (0, len(reader) - 1)]
            demand(what_holds={*found} <= {*records}, otherwise="records that are none")
            demand(what_holds=reader.read_all() == records, otherwise="other records")

    cases = sweep_sidecars.sidecars(Path(index).read_bytes(), os.path.getsize(path))
    _measure(folder, ".octx", cases, {"read": believed}, progress)


def open_no_manifest(path: str) -> None:
    """Whatever it is, it is no manifest."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    error = error_of(OctavoError, lambda: octavo.open(path))
    demand(what_holds=error.path == path, otherwise="the error does not name the file")


def convert_beside_a_journal(source: str, target: str) -> None:
    """The name of the journal is taken by something that is none."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    error_of(OctavoError, lambda: octavo.convert(source, target))
    demand(what_holds=not os.path.exists(target), otherwise="there is a target all the same")
