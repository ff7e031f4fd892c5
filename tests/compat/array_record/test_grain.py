"""Grain's pipelines on the drop-in after `octavo.compat.activate`, whether or not the original is installed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.compat.array_record.samples import run_program, write_shards

pytest.importorskip("grain")


@pytest.fixture(scope="module")
def paths(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder: Path = tmp_path_factory.mktemp("grain")
    return write_shards(folder, 4, 50)


@pytest.mark.parametrize("kind", ["plain", "grain"])
@pytest.mark.parametrize(
    "pipeline",
    ["from_guide", "with_threads", "with_workers", "resumed", "data_loader", "data_loader_with_workers"],
)
def test_every_record_comes_once(pipeline: str, kind: str, paths: list[str]):
    run_program("grain_pipelines", pipeline, kind, *paths)
