"""`octavo partitions`."""

from __future__ import annotations

import pytest

import octavo as library
from tests.unit.layouts import LAYOUTS

RECORDS = [f"record {number}".encode() for number in range(1000)]


def open_task(task) -> library.Reader:
    """As docs/cli/partitions.md tells it."""
    spans = task["spans"] and tuple(tuple(span) for span in task["spans"])
    options = tuple(task["options"].items())
    paths = tuple(task["paths"])
    return library.Partition(task["start"], task["stop"], paths, task["skip"], options, spans).open()


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=list(LAYOUTS))
def test_tasks_are_opened_from_what_json_tells(octavo, layout, tmp_path):
    path = layout.write(tmp_path / "some", RECORDS)
    tasks = octavo("partitions", path.name, "-n", 7, "--json").json
    assert [list(task) for task in tasks] == [["start", "stop", "records", "paths", "skip", "spans", "options"]] * 7
    assert [record for task in tasks for record in open_task(task)] == RECORDS
    assert [task["stop"] - task["start"] for task in tasks] == [task["records"] for task in tasks]


def test_tasks_have_at_most_so_many_records(octavo, tmp_path):
    LAYOUTS["ffrecord"].write(tmp_path / "some", RECORDS)
    assert octavo("partitions", "some.ffr", "--max-records", 400).lines == [
        "  0   400  400  some.ffr",
        "400   800  400  some.ffr",
        "800  1000  200  some.ffr",
    ]


def test_files_of_a_task_are_told(octavo, tmp_path):
    for at in range(4):
        LAYOUTS["ffrecord"].write(tmp_path / f"part-{at}", RECORDS[:100])
    assert octavo("partitions", "part-*.ffr", "-n", 2).lines == [
        "  0  200  200  part-0.ffr and 1 more",
        "200  400  200  part-2.ffr and 1 more",
    ]


def test_nothing_is_no_task(octavo, tmp_path):
    LAYOUTS["ffrecord"].write(tmp_path / "none", [])
    assert octavo("partitions", "none.ffr", "-n", 2).stdout == b""
    assert octavo("partitions", "none.ffr", "-n", 2, "--json").json == []


@pytest.mark.parametrize(
    "arguments", [["x.ffr"], ["x.ffr", "-n", 2, "--max-records", 3], ["x.ffr", "-n", 0], ["-", "-n", 2]]
)
def test_what_cannot_be_is_wrong_usage(octavo, arguments):
    assert octavo("partitions", *arguments, check=2).stdout == b""
