"""Stand-ins for what the Beam examples reach over the network: buckets, Dataflow, and a runner to download.

Buckets are folders, and like real ones they know no folders in them: an object is there, or it is not.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from apache_beam.io.filesystem import CompressedFile, CompressionTypes, FileMetadata, FileSystem
from apache_beam.io.filesystems import FileSystems
from apache_beam.runners.direct.direct_runner import DirectRunner
from apache_beam.runners.portability import prism_runner

_ROOT = Path("buckets")


def object_path(url: str) -> Path:
    """Where an object is kept."""
    return (_ROOT / url.removeprefix("gs://")).absolute()


def put(url: str, data: bytes) -> None:
    """Makes an object."""
    object_path(url).parent.mkdir(parents=True, exist_ok=True)
    object_path(url).write_bytes(data)


def objects(bucket: str) -> dict[str, Path]:
    """Where the objects of a bucket are kept, by name."""
    root = object_path(bucket)
    return {path.relative_to(root).as_posix(): path for path in sorted(root.rglob("*")) if path.is_file()}


class Buckets(FileSystem):  # type: ignore[misc] # beam has no types
    """`gs://` in the working directory."""

    @classmethod
    def scheme(cls) -> str:
        return "gs"

    def join(self, basepath: str, *paths: str) -> str:
        return "/".join([basepath.rstrip("/"), *(path.strip("/") for path in paths)])

    def split(self, path: str) -> tuple[str, str]:
        head, _, tail = path.rpartition("/")
        return head, tail

    def mkdirs(self, path: str) -> None:
        pass

    def has_dirs(self) -> bool:
        return False

    def _list(self, dir_or_prefix: str) -> Iterator[Any]:
        for path in sorted(_ROOT.rglob("*")):
            url = f"gs://{path.relative_to(_ROOT).as_posix()}"
            if path.is_file() and url.startswith(dir_or_prefix):
                yield self.metadata(url)

    def create(
        self,
        path: str,
        mime_type: str = "application/octet-stream",  # noqa: ARG002 - folders keep none
        compression_type: str = CompressionTypes.AUTO,
    ) -> Any:
        put(path, b"")
        return self._opened(path, "wb", compression_type)

    def open(
        self,
        path: str,
        mime_type: str = "application/octet-stream",  # noqa: ARG002 - the same
        compression_type: str = CompressionTypes.AUTO,
    ) -> Any:
        return self._opened(path, "rb", compression_type)

    def _opened(self, path: str, mode: str, compression_type: str) -> Any:
        file = object_path(path).open(mode)
        kind = self._get_compression_type(path, compression_type)
        return file if kind == CompressionTypes.UNCOMPRESSED else CompressedFile(file, kind)

    def copy(self, source_file_names: list[str], destination_file_names: list[str]) -> None:
        for source, destination in zip(source_file_names, destination_file_names, strict=True):
            put(destination, object_path(source).read_bytes())

    def rename(self, source_file_names: list[str], destination_file_names: list[str]) -> None:
        self.copy(source_file_names, destination_file_names)
        self.delete(source_file_names)

    def exists(self, path: str) -> bool:
        return object_path(path).is_file()

    def size(self, path: str) -> int:
        return object_path(path).stat().st_size

    def last_updated(self, path: str) -> float:
        return object_path(path).stat().st_mtime

    def metadata(self, path: str) -> Any:
        return FileMetadata(path, self.size(path), self.last_updated(path))

    def delete(self, paths: list[str]) -> None:
        for path in paths:
            for metadata in self.match([path])[0].metadata_list:
                object_path(metadata.path).unlink()


def stand_in() -> None:
    """From here on `gs://` is `Buckets`, and Dataflow and the default runner are this process."""
    for other in FileSystem.get_all_subclasses():
        if other is not Buckets and other.scheme() == Buckets.scheme():
            other.scheme = classmethod(lambda _: "not reached")
    assert isinstance(FileSystems.get_filesystem("gs://bucket/object"), Buckets)
    dataflow: Any = types.ModuleType("apache_beam.runners.dataflow.dataflow_runner")
    dataflow.DataflowRunner = type("Here", (DirectRunner,), {})  # by its own name it would be asked for a bucket
    sys.modules[dataflow.__name__] = dataflow
    prism_runner.PrismRunner.run_pipeline = _refuse


def _refuse(*_: object) -> None:
    raise RuntimeError("this runner is downloaded first; the direct runner goes on without it")
