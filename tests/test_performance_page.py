"""The page about speed says what its figures say, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.page import condense, count, main, page
from benchmarks.page_chart import chart, headroom
from benchmarks.page_text import TOPICS, UNEXPLAINED

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"


def bar(**changes: Any) -> dict[str, Any]:
    return {"of": "octavo", "over": "bagz", "kind": "rate", "limit": 2.0, "value": 3.0, "met": True, **changes}


def case(name: str, *bars: dict[str, Any], absent: dict[str, str] | None = None) -> dict[str, Any]:
    engines = [
        {"engine": label, "items": 10, "rate": rate, "best_s": 0.5, "rounds_s": [0.5, 0.6], "cached": None}
        for label, rate in (("octavo", 3e6), ("bagz:one-thread", 1e6), ("floor-copy", 12.5))
    ]
    return {"name": name, "engines": engines, "absent": absent or {}, "bars": list(bars)}


def results(*cases: dict[str, Any], quick: bool = False) -> dict[str, Any]:
    machine = {
        "cpu": "Some CPU", "cores": 2, "memory": "2000000 kB", "kernel": "Linux", "python": "CPython 3.11.7",
        "versions": {"octavo": "0.1.0"},
    }  # fmt: skip
    return {"machine": machine, "rounds": 5, "quick": quick, "cases": list(cases)}


def test_page_and_picture_are_what_is_made_of_the_figures_beside_them():
    figures = json.loads((DOCS / "performance.json").read_text(encoding="utf-8"))
    assert page(figures) == (DOCS / "performance.md").read_text(encoding="utf-8")
    assert chart(figures) == (DOCS / "images" / "performance.svg").read_text(encoding="utf-8")
    assert condense([figures]) == figures


def test_every_file_is_written(tmp_path: Path):
    measured = tmp_path / "latest.json"
    measured.write_text(json.dumps(results(case("ffrecord/100B/open", bar()))), encoding="utf-8")
    assert main([str(measured), "--docs", str(tmp_path)]) == 0
    figures = json.loads((tmp_path / "performance.json").read_text(encoding="utf-8"))
    assert "rounds_s" not in figures["cases"][0]["engines"][0]
    assert (tmp_path / "performance.md").read_text(encoding="utf-8") == page(figures)
    assert (tmp_path / "images" / "performance.svg").is_file()


def test_a_line_has_the_rates_of_all_engines_and_a_bar_its_figure():
    text = page(
        condense([results(case("ffrecord/100B/open", bar(), bar(value=1.0, met=False), bar(value=None, met=False)))])
    )
    assert "| case | octavo | bagz | floors |" in text
    assert "| `ffrecord/100B/open` | 3 M/s | 1 M/s one-thread | 12.5/s copy |" in text
    assert "| rate of octavo over bagz | ≥ 2 | 3 | yes |" in text
    assert "| rate of octavo over bagz | ≥ 2 | 1 | **no** |" in text
    assert "| rate of octavo over bagz | ≥ 2 |  | not measured |" in text
    assert "1 of their 3 bars hold; 1 do not, 1 could not be measured" in text


def test_what_does_not_hold_is_told_with_its_reason():
    short = bar(value=1.0, met=False)
    names = ("ffrecord/100B/flat-single", "tfrecord/1kB/write", "recordio/1kB/write")
    figures = condense([results(*[case(name, short) for name in names])])
    told = page(figures).partition("## What does not hold")[2]
    assert "`ffrecord/100B/flat-single`: rate of octavo over bagz is 1, the bar ≥ 2" in told
    assert "caches and page tables" in told
    assert told.index("tfrecord/1kB/write") < told.index(UNEXPLAINED) < told.index("recordio/1kB/write")
    assert told.index("recordio/1kB/write") < told.index("snappy")
    assert "## What does not hold" not in page(condense([results(case("recordio/1kB/write", bar()))]))


def test_an_engine_that_was_absent_is_not_passed_over():
    absent = {"tensorflow:one": "absent: tensorflow is not installed"}
    text = page(condense([results(case("tfrecord/100B/iterate", bar(), absent=absent))]))
    assert "| case | octavo | bagz | TFRecord | floors |" in text
    assert "| absent |" in text


def test_figures_of_a_trial_run_say_so_and_explain_nothing():
    trial = page(condense([results(case("recordio/1kB/write", bar(value=1234.5, met=False)), quick=True)]))
    assert "a trial run" in trial
    assert "| ≥ 2 | 1,234 | **no** |" in trial
    assert "## What does not hold" not in trial
    assert "a trial run" not in page(condense([results()]))


def test_parts_of_a_run_become_one_and_the_later_one_counts():
    early, late = case("check/ffrecord", bar(value=2.5)), case("check/ffrecord", bar(value=4.0))
    joined = condense([results(early, case("start/import")), results(late)])
    assert [one["name"] for one in joined["cases"]] == ["check/ffrecord", "start/import"]
    assert joined["cases"][0]["bars"][0]["value"] == 4.0


def test_figures_of_different_machines_are_not_put_together():
    other = results()
    other["machine"]["cpu"] = "Another CPU"
    with pytest.raises(ValueError, match="different machines"):
        condense([results(), other])


def test_every_topic_of_the_cases_has_a_heading():
    tomllib = pytest.importorskip("tomllib")
    document = tomllib.loads((ROOT / "benchmarks" / "cases.toml").read_text(encoding="utf-8"))
    assert {one["name"].partition("/")[0] for one in document["case"]} == {prefix for prefix, _, _ in TOPICS}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (bar(value=3.0), 1.5),
        (bar(kind="cost", value=4.0, limit=2.0), 0.5),
        (bar(kind="fetched", value=0.0, limit=0.01), 100.0),
        (bar(value=2e6), 100.0),
        (bar(value=0.001), 0.01),
        (bar(value=None), None),
    ],
)
def test_headroom_is_above_one_where_a_bar_holds(given: dict[str, Any], expected: float | None):
    assert headroom(given) == expected


@pytest.mark.parametrize(("rate", "shown"), [(2.385e6, "2.38 M"), (1234.0, "1.23 k"), (9.04, "9.04"), (3e9, "3 G")])
def test_rates_are_short(rate: float, shown: str):
    assert count(rate) == shown
