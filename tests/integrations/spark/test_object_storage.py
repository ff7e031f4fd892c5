"""Folders in an object store: the same as local ones."""

from __future__ import annotations

import pytest

pytest.importorskip("moto", reason="S3 is tested on moto: 'make test EXTRAS=all' installs it")
pytest.importorskip("obstore", reason="obstore is not installed: pip install 'octavo[cloud]'")

from tests.cloud.servers import s3


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with s3.moto(tmp_path_factory.mktemp("moto")) as running:
        yield running


@pytest.fixture(scope="module")
def environment(server):
    return server.environment


def save(frame, folder, mode) -> None:
    frame.write.format("octavo").option("format", "recordio").option("sidecar", "true").mode(mode).save(folder)


def test_frames_are_written_to_a_url_and_read_from_it(spark, server):
    folder = server.url("out")
    frame = spark.range(0, 30, 1, 3).selectExpr("CAST(id AS STRING) AS text")
    save(frame, folder, "overwrite")
    assert server.keys("out") == [
        f"out/part-0000{number}-of-00003.recordio{suffix}" for number in range(3) for suffix in ("", ".octx")
    ]
    save(frame, folder, "append")
    read = spark.read.format("octavo").schema("record string").load(f"{folder}/part-*.recordio")
    assert [int(row.record) for row in read.collect()] == [*range(30), *range(30)]
    save(read.where("record > '7'"), folder, "overwrite")
    assert [row.record for row in spark.read.format("octavo").schema("record string").load(folder).collect()] == [
        *("8", "9", "8", "9")
    ]
    assert all("/part-0000" in key for key in server.keys("out"))


def test_a_job_that_fails_leaves_nothing_in_the_store(spark, server):
    from pyspark.errors import PySparkException

    frame = spark.range(0, 30, 1, 2).selectExpr("IF(id = 22, raise_error('no'), CAST(id AS STRING)) AS text")
    with pytest.raises(PySparkException, match="no"):
        save(frame, server.url("failed"), "append")
    assert server.keys("failed") == []
    assert s3.unfinished_uploads(server) == []
