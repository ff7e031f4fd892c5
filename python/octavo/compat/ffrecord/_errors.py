"""octavo's errors as what ffrecord raised: its sentence first, then octavo's, which says where."""

from __future__ import annotations

from octavo.errors import (
    ChecksumError,
    ClosedError,
    OctavoError,
    RecordIndexError,
    RecordTypeError,
    StorageError,
    TruncatedError,
)


class SampleIndexError(IndexError, RuntimeError):
    """No record has that number. The original knew only RuntimeError."""


def on_opening(error: OctavoError, name: str) -> Exception:
    """What the constructors raise about the file of this name."""
    if isinstance(error, StorageError):
        return RuntimeError(f"'fd > 0' failed. Failed to open file {name}\n{error}")
    if isinstance(error, ChecksumError):
        return damaged_metadata(name, str(error))
    return RuntimeError(str(error))


def damaged_metadata(name: str, detail: str) -> RuntimeError:
    """The index of the file of this name is not what its checksum says."""
    return RuntimeError(f"'checksum == checksum_meta' failed. {name}: checksum of metadata mismached!\n{detail}")


def on_reading(error: OctavoError, n: int) -> Exception:
    """What `read` and `read_one` raise, of a reader of `n` records."""
    if isinstance(error, RecordTypeError):
        return TypeError(str(error))
    if isinstance(error, RecordIndexError):
        return SampleIndexError(f"{_out_of_range(error.record, n)}\n{error}")
    return RuntimeError(f"{_failed_check(error)}{error}")


def _out_of_range(index: int | None, n: int) -> str:
    if index is None:
        return "'index < n' failed. index has more than 64 bits"
    if index < 0:
        return f"'index >= -n' failed. index < -number of samples ({index} < {-n})"
    return f"'index < n' failed. index >= number of samples ({index} >= {n})"


def _failed_check(error: OctavoError) -> str:
    """The original's line, where it had one for this."""
    if isinstance(error, ClosedError):
        return "'!is_closed' failed. FileReader has been closed.\n"
    if error.record is None:
        return ""
    if isinstance(error, ChecksumError):
        return f"'checksum2 == checksum' failed. Sample {error.record}: checksum mismached!\n"
    if isinstance(error, TruncatedError) and error.offset is not None:
        length, found = ((end or 0) - error.offset for end in (error.expected, error.actual))
        return f"'res == len_i' failed. Sample {error.record}: length {length} but read {max(found, 0)} bytes\n"
    return ""
