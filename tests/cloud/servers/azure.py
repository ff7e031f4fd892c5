"""Azure's blobs on azurite."""

from __future__ import annotations

import base64
import contextlib
import email.utils
import hashlib
import hmac
import urllib.request
from collections.abc import Iterator
from pathlib import Path

from tests.cloud.servers.object_server import ObjectServer
from tests.cloud.servers.processes import PATIENCE_S, find_tool, running

CONTAINER = "records"
# Azurite's account and key are part of its documentation, the same everywhere.
ACCOUNT = "devstoreaccount1"
KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="


def azure_at(endpoint: str) -> ObjectServer:
    account = f"{endpoint}/{ACCOUNT}"
    config = {"account_name": ACCOUNT, "account_key": KEY, "endpoint": account}
    environment = {
        "AZURE_STORAGE_ACCOUNT_NAME": ACCOUNT,
        "AZURE_STORAGE_ACCOUNT_KEY": KEY,
        "AZURE_STORAGE_ENDPOINT": account,
        "AZURE_ALLOW_HTTP": "true",
    }
    return ObjectServer("az", CONTAINER, endpoint, environment, config)


def _make_container(endpoint: str) -> None:
    """What obstore cannot do; the signature is Azure's shared key."""
    headers = {"x-ms-date": email.utils.formatdate(usegmt=True), "x-ms-version": "2021-12-02"}
    to_sign = "PUT" + "\n" * 12 + "".join(f"{name}:{value}\n" for name, value in headers.items())
    to_sign += f"/{ACCOUNT}/{ACCOUNT}/{CONTAINER}\nrestype:container"
    signature = base64.b64encode(hmac.digest(base64.b64decode(KEY), to_sign.encode(), hashlib.sha256)).decode()
    headers["Authorization"] = f"SharedKey {ACCOUNT}:{signature}"
    url = f"{endpoint}/{ACCOUNT}/{CONTAINER}?restype=container"
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers, method="PUT"), timeout=PATIENCE_S):
        pass


@contextlib.contextmanager
def azurite(folder: Path) -> Iterator[ObjectServer]:
    command = [find_tool("azurite-blob"), "--blobHost", "127.0.0.1", "--blobPort", "{port}", "--silent"]
    command += ["--inMemoryPersistence", "--disableTelemetry", "--skipApiVersionCheck"]
    with running(command, folder / "azurite.log") as port:
        endpoint = f"http://127.0.0.1:{port}"
        _make_container(endpoint)
        yield azure_at(endpoint)
