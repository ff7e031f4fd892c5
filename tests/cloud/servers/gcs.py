"""Google Cloud Storage on fake-gcs-server: reads and listings; it refuses the uploads that obstore makes."""

from __future__ import annotations

import contextlib
import json
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path

from tests.cloud.servers.object_server import ObjectServer
from tests.cloud.servers.processes import PATIENCE_S, find_tool, running

BUCKET = "records"


def gcs_at(endpoint: str) -> ObjectServer:
    key = {"gcs_base_url": endpoint, "disable_oauth": True, "client_email": "", "private_key": "", "private_key_id": ""}
    config = {"service_account_key": json.dumps(key)}

    def upload(name: str, data: bytes) -> None:
        query = urllib.parse.urlencode({"uploadType": "media", "name": name})
        _post(f"{endpoint}/upload/storage/v1/b/{BUCKET}/o?{query}", data, "application/octet-stream")

    environment = {"GOOGLE_SERVICE_ACCOUNT_KEY": config["service_account_key"], "GOOGLE_ALLOW_HTTP": "true"}
    return ObjectServer("gs", BUCKET, endpoint, environment, config, upload)


def _post(url: str, data: bytes, kind: str) -> None:
    request = urllib.request.Request(url, data, {"Content-Type": kind}, method="POST")
    with urllib.request.urlopen(request, timeout=PATIENCE_S):
        pass


@contextlib.contextmanager
def fake_gcs(folder: Path) -> Iterator[ObjectServer]:
    command = [find_tool("fake-gcs-server"), "-scheme", "http", "-host", "127.0.0.1", "-port", "{port}"]
    command += ["-backend", "memory", "-public-host", "127.0.0.1:{port}", "-external-url", "http://127.0.0.1:{port}"]
    with running(command, folder / "fake-gcs-server.log") as port:
        endpoint = f"http://127.0.0.1:{port}"
        _post(f"{endpoint}/storage/v1/b", json.dumps({"name": BUCKET}).encode(), "application/json")
        yield gcs_at(endpoint)
