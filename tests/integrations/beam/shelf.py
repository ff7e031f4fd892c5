"""A file system of Beam in memory that counts what is read; Beam finds it among the subclasses of FileSystem."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any, ClassVar

from apache_beam.io.filesystem import BeamIOError, CompressionTypes, FileMetadata, FileSystem


class _Reading(io.BytesIO):
    def read(self, size: int | None = -1, /) -> bytes:
        found = super().read(size)
        Shelf.bytes_read += len(found)
        return found


class _Writing(io.BytesIO):
    """Appears when it is closed, as in an object store; cannot be moved about in."""

    def __init__(self, path: str) -> None:
        super().__init__()
        self._path = path

    def seekable(self) -> bool:
        return False

    def seek(self, offset: int, whence: int = 0, /) -> int:
        raise io.UnsupportedOperation(f"seek to {offset} from {whence}")

    def tell(self) -> int:
        raise io.UnsupportedOperation("tell")

    def write(self, data: Any, /) -> int:
        if Shelf.is_broken:
            raise OSError("the shelf is full")
        return super().write(data)

    def close(self) -> None:
        if not self.closed:
            Shelf.files[self._path] = self.getvalue()
        super().close()


class Shelf(FileSystem):  # type: ignore[misc]  # Beam is taken as Any
    files: ClassVar[dict[str, bytes]] = {}
    bytes_read: ClassVar[int] = 0
    is_broken: ClassVar[bool] = False

    @classmethod
    def scheme(cls) -> str:
        return "shelf"

    def join(self, basepath: str, *paths: str) -> str:
        return "/".join([basepath.rstrip("/"), *(path.strip("/") for path in paths)])

    def split(self, path: str) -> tuple[str, str]:
        folder, _, name = path.rpartition("/")
        return folder, name

    def mkdirs(self, path: str) -> None:
        pass

    def has_dirs(self) -> bool:
        return False

    def _list(self, dir_or_prefix: str) -> Iterator[FileMetadata]:
        return (self.metadata(path) for path in sorted(self.files) if path.startswith(dir_or_prefix))

    def create(
        self, path: str, mime_type: str = "", compression_type: str = CompressionTypes.AUTO
    ) -> io.BufferedIOBase:
        assert (mime_type, compression_type) == ("application/octet-stream", CompressionTypes.UNCOMPRESSED)
        return _Writing(path)

    def open(self, path: str, mime_type: str = "", compression_type: str = CompressionTypes.AUTO) -> io.BufferedIOBase:
        del mime_type
        assert compression_type == CompressionTypes.UNCOMPRESSED
        return _Reading(self.files[path])

    def copy(self, source_file_names: list[str], destination_file_names: list[str]) -> None:
        for source, destination in zip(source_file_names, destination_file_names, strict=True):
            self.files[destination] = self.files[source]

    def rename(self, source_file_names: list[str], destination_file_names: list[str]) -> None:
        for source, destination in zip(source_file_names, destination_file_names, strict=True):
            self.files[destination] = self.files.pop(source)

    def exists(self, path: str) -> bool:
        return path in self.files

    def size(self, path: str) -> int:
        return len(self.files[path])

    def last_updated(self, path: str) -> float:
        del path
        return 0.0

    def checksum(self, path: str) -> str:
        return str(self.size(path))

    def metadata(self, path: str) -> FileMetadata:
        return FileMetadata(path, self.size(path))

    def delete(self, paths: list[str]) -> None:
        for path in paths:
            found = [one for one in self.files if one == path or one.startswith(path + "/")]
            if not found:
                raise BeamIOError("nothing to delete", {path: FileNotFoundError(path)})
            for one in found:
                del self.files[one]
