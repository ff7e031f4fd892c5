"""Workers that end in the middle of a bundle: the output is as if they had not, or there is none."""

from __future__ import annotations

import pytest

beam = pytest.importorskip("apache_beam")

from octavo.integrations.beam import ReadFromRecords, WriteToRecords  # noqa: E402 - only where Beam is
from tests.integrations.beam.samples import names_in, read_all, records_of, write  # noqa: E402

RECORDS = records_of(200)


def run(tmp_path, options, **how):
    from tests.integrations.beam.workers import Once

    with beam.Pipeline(options=options) as pipeline:
        _ = (
            pipeline
            | ReadFromRecords(str(tmp_path / "data.recordio"), desired_bundle_size=300)
            | beam.ParDo(Once(tmp_path / "marker", RECORDS[77], **how))
            | WriteToRecords(tmp_path / "to" / "data", ".array_record", 3)
        )


@pytest.fixture(autouse=True)
def _source(tmp_path):
    write(tmp_path / "data.recordio", RECORDS, group_size=4)
    (tmp_path / "to").mkdir()


def test_dask_goes_on_when_a_worker_is_killed(tmp_path, dask):
    run(tmp_path, dask())
    assert (tmp_path / "marker").exists()
    assert read_all(tmp_path / "to") == sorted(RECORDS)
    assert len(names_in(tmp_path / "to")) == 3


def test_dask_goes_on_when_a_worker_is_killed_while_it_writes(tmp_path, dask):
    from tests.integrations.beam.workers import EndsOnce

    coder = EndsOnce(tmp_path / "marker", RECORDS[77])
    with beam.Pipeline(options=dask("--dask_npartitions=4")) as pipeline:
        _ = pipeline | beam.Create(RECORDS) | WriteToRecords(tmp_path / "to" / "data", ".recordio", 2, coder=coder)
    assert (tmp_path / "marker").exists()
    assert read_all(tmp_path / "to") == sorted(RECORDS)
    assert len(names_in(tmp_path / "to")) == 2


@pytest.mark.usefixtures("no_logging")
@pytest.mark.filterwarnings("ignore:Exception in thread:pytest.PytestUnhandledThreadExceptionWarning")  # Beam's threads
@pytest.mark.parametrize(
    ("runner", "by_exception"),
    [("options", True), ("processes", False), ("prism", True), ("dask", True)],
)
def test_where_a_runner_gives_up_there_is_no_output_until_it_is_run_again(runner, by_exception, tmp_path, request):
    options, again = request.getfixturevalue(runner), request.getfixturevalue("options")
    # What is heard of an end without a word is up to the runner.
    with pytest.raises(Exception, match="once" if by_exception else None):
        run(tmp_path, options(), by_exception=by_exception)
    assert (tmp_path / "marker").exists()
    assert not list((tmp_path / "to").glob("data-*"))
    run(tmp_path, again(), by_exception=by_exception)
    assert read_all(tmp_path / "to", "data-*") == sorted(RECORDS)
    assert len(list((tmp_path / "to").glob("data-*"))) == 3
