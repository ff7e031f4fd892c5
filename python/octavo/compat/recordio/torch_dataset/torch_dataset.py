"""`TorchDataset`: records by number. Worker processes open the file themselves."""

from __future__ import annotations

from typing import Any, SupportsIndex

from torch.utils.data import Dataset

from octavo import _core
from octavo._closing import Closing
from octavo.compat.recordio._files import AnyPath
from octavo.compat.recordio.recordio.file import File, unopened


class TorchDataset(_core.Front, Closing, Dataset[bytes]):  # type: ignore[misc]  # PyTorch is taken as Any
    """A map-style data set."""

    def __init__(self, recordfile_path: AnyPath) -> None:
        self._rdio = File(recordfile_path, "r")

    def _missed(self, index: SupportsIndex) -> bytes:
        """What the native class has no record for, the first one among them: it does not face the file yet."""
        self._face(self._rdio._records)  # noqa: SLF001 - of this package
        return self._rdio.get(index)

    def __len__(self) -> int:
        return self._rdio.count()

    def __reduce__(self) -> tuple[Any, ...]:
        return unopened, (type(self),), vars(self)

    def close(self) -> None:
        """Close the file."""
        self._rdio.close()
