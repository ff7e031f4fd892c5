"""S3 on moto's server, which is always there, and on versitygw, which is quick and checks signatures."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.cloud.servers.object_server import ObjectServer
from tests.cloud.servers.processes import find_tool, running

BUCKET = "records"
USER = "octavo-tests"
SECRET = "not-a-secret"


def s3_at(endpoint: str) -> ObjectServer:
    """The bucket behind `endpoint`: the server itself, or a proxy before it."""
    config = {
        "endpoint": endpoint,
        "region": "us-east-1",
        "access_key_id": USER,
        "secret_access_key": SECRET,
    }
    environment = {f"AWS_{name.upper()}": value for name, value in config.items()}
    return ObjectServer("s3", BUCKET, endpoint, {**environment, "AWS_ALLOW_HTTP": "true"}, config)


def client(server: ObjectServer) -> Any:
    """Another opinion on what the server has: boto3, which comes with moto."""
    import boto3

    return boto3.client(
        "s3",
        endpoint_url=server.endpoint,
        region_name="us-east-1",
        aws_access_key_id=USER,
        aws_secret_access_key=SECRET,
    )


def unfinished_uploads(server: ObjectServer) -> list[str]:
    found = client(server).list_multipart_uploads(Bucket=server.bucket)
    return [upload["Key"] for upload in found.get("Uploads", [])]


@contextlib.contextmanager
def moto(folder: Path) -> Iterator[ObjectServer]:
    command = [sys.executable, "-m", "moto.server", "--host", "127.0.0.1", "--port", "{port}"]
    with running(command, folder / "moto.log") as port:
        server = s3_at(f"http://127.0.0.1:{port}")
        client(server).create_bucket(Bucket=BUCKET)
        yield server


@contextlib.contextmanager
def versitygw(folder: Path) -> Iterator[ObjectServer]:
    data = folder / "versitygw"
    (data / BUCKET).mkdir(parents=True)
    command = [find_tool("versitygw"), "--port", "127.0.0.1:{port}", "--access", USER, "--secret", SECRET]
    with running([*command, "--quiet", "posix", str(data)], folder / "versitygw.log") as port:
        yield s3_at(f"http://127.0.0.1:{port}")
