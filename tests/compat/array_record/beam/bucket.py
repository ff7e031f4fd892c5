"""A file system of Beam for the scheme gs, kept in a folder: Beam finds it among the subclasses of FileSystem."""

from __future__ import annotations

import io
import posixpath
import shutil
from pathlib import Path
from typing import Any, ClassVar

from apache_beam.io.filesystem import BeamIOError, CompressionTypes, FileMetadata, FileSystem


class FailingFile(io.BytesIO):
    """Takes nothing."""

    def write(self, data: Any) -> int:
        del data
        raise OSError("the network went away")


class Bucket(FileSystem):  # type: ignore[misc]  # Beam has no types
    root: ClassVar[Path | None] = None
    """Where the buckets are while a test uses this class."""
    is_broken: ClassVar[bool] = False
    """Whether files that are created for a name without .tfrecord take nothing."""

    @classmethod
    def scheme(cls) -> str:
        return "gs" if cls.root else "octavo-unused"

    def local(self, path: str) -> Path:
        assert self.root is not None
        assert path.startswith("gs://"), path
        return self.root / path.removeprefix("gs://")

    def join(self, basepath: str, *paths: str) -> str:
        return "/".join([basepath.rstrip("/"), *(path.strip("/") for path in paths)])

    def split(self, path: str) -> tuple[str, str]:
        return posixpath.split(path)

    def mkdirs(self, path: str) -> None:
        pass

    def has_dirs(self) -> bool:
        return False

    def _list(self, dir_or_prefix: str) -> Any:
        assert self.root is not None
        for path in sorted(self.root.rglob("*")):
            name = f"gs://{path.relative_to(self.root).as_posix()}"
            if path.is_file() and name.startswith(dir_or_prefix):
                yield self.metadata(name)

    def create(
        self, path: str, mime_type: str = "", compression_type: str = CompressionTypes.AUTO
    ) -> io.BufferedIOBase:
        assert mime_type == "application/octet-stream"
        assert compression_type == CompressionTypes.UNCOMPRESSED or ".tfrecord" in path
        local = self.local(path)
        local.parent.mkdir(parents=True, exist_ok=True)
        if self.is_broken:
            local.touch()  # as if it had been made visible half-written
            return FailingFile()
        return local.open("wb")

    def open(self, path: str, mime_type: str = "", compression_type: str = CompressionTypes.AUTO) -> io.BufferedIOBase:
        del mime_type, compression_type
        return self.local(path).open("rb")

    def copy(self, source_file_names: list[str], destination_file_names: list[str]) -> None:
        for source, destination in zip(source_file_names, destination_file_names, strict=True):
            shutil.copyfile(self.local(source), self.local(destination))

    def rename(self, source_file_names: list[str], destination_file_names: list[str]) -> None:
        for source, destination in zip(source_file_names, destination_file_names, strict=True):
            self.local(source).rename(self.local(destination))

    def exists(self, path: str) -> bool:
        return self.local(path).exists()

    def size(self, path: str) -> int:
        return self.local(path).stat().st_size

    def last_updated(self, path: str) -> float:
        return self.local(path).stat().st_mtime

    def metadata(self, path: str) -> FileMetadata:
        return FileMetadata(path, self.size(path), self.last_updated(path))

    def delete(self, paths: list[str]) -> None:
        for path in paths:
            found = [self.local(one.path) for one in self._list(path)]
            if not found:
                raise BeamIOError("nothing to delete", {path: FileNotFoundError(path)})
            for local in found:
                local.unlink()
