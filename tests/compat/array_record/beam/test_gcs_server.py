"""The documented conversion in a bucket, with Google's own client and a server that speaks as Google's does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.integrations.beam.servers import running

PROGRAM = Path(__file__).parents[1] / "programs" / "beam_on_gcs.py"


def test_files_of_a_bucket_become_files_of_another(tmp_path):
    pytest.importorskip("apache_beam")
    pytest.importorskip("apache_beam.io.gcp.gcsio", reason="pip install 'apache-beam[gcp]'", exc_type=ImportError)
    for bucket in ("source", "target"):
        (tmp_path / "buckets" / bucket).mkdir(parents=True)
    served = ["-scheme=http", "-host=127.0.0.1", "-port={port}", "-backend=memory", f"-data={tmp_path}/buckets"]
    with running("fake-gcs-server", *served, "-public-host=127.0.0.1:{port}", folder=tmp_path) as port:
        done = subprocess.run(
            [sys.executable, str(PROGRAM)],
            env={**os.environ, "STORAGE_EMULATOR_HOST": f"http://127.0.0.1:{port}", "NO_GCE_CHECK": "true"},
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["['gs://target/out/part.0.arrayrecord', 'gs://target/out/part.1.arrayrecord']"]
