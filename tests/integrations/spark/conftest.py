"""One session of Spark for each file of tests, all in one Java machine, which ends with the tests."""

from __future__ import annotations

import os
import shutil
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import pytest

MASTER = "local[2,3]"  # two cores, and a task may be tried three times


def _why_not() -> str | None:
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        return "Spark needs Java 17, which is not installed"
    try:
        import pyspark.sql.datasource  # noqa: F401
    except ImportError:
        return "PySpark is not installed: pip install 'octavo[spark]'"
    return None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if str(item.path).startswith(os.path.dirname(__file__)):
            ignored = "ignore:PySpark does not yet fully support pandas:FutureWarning"
            item.add_marker(pytest.mark.filterwarnings(ignored))


@pytest.fixture(scope="session")
def _java() -> Iterator[None]:
    """What sessions share stays when they stop; it ends here."""
    yield
    if _why_not():
        return
    from pyspark import SparkContext

    if gateway := SparkContext._gateway:
        gateway.shutdown()
        gateway.proc.stdin.close()
        gateway.proc.wait(timeout=60)
        SparkContext._gateway = SparkContext._jvm = None


@pytest.fixture(scope="module")
def environment() -> dict[str, str]:
    """What Spark's Python processes find in theirs, for a file of tests to say."""
    return {}


@pytest.fixture(scope="module")
def spark(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    environment: dict[str, str],
    _java: None,
) -> Iterator[Any]:
    """A session that knows octavo; a file of tests may name another MASTER."""
    if reason := _why_not():
        pytest.skip(reason)
    from pyspark.sql import SparkSession

    from octavo.integrations.spark import RecordDataSource

    scratch = tmp_path_factory.mktemp("spark")
    settings = {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "1g",
        "spark.local.dir": scratch,
        "spark.log.level": "OFF",
        "spark.sql.execution.arrow.maxRecordsPerBatch": 10,  # so that small frames have several batches
        "spark.sql.shuffle.partitions": 2,
        "spark.sql.warehouse.dir": scratch / "warehouse",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        **{f"spark.executorEnv.{name}": value for name, value in environment.items()},
    }
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        builder = SparkSession.builder.master(getattr(request.module, "MASTER", MASTER))
        for name, value in settings.items():
            builder = builder.config(name, str(value))
        session = builder.getOrCreate()
        try:
            session.dataSource.register(RecordDataSource)
            yield session
        finally:
            session.stop()
