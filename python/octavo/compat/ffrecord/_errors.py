"""octavo's errors as what ffrecord raised: its sentence first, then octavo's, which says where."""

from __future__ import annotations

from octavo.errors import (
    ChecksumError,
    ClosedError,
    OctavoError,
    RecordIndexError,
    RecordTypeError,
    SourceChangedError,
    StorageError,
    TruncatedError,
)


class SampleIndexError(IndexError, RuntimeError):
    """No record has that number. The original knew only RuntimeError."""


def on_opening(error: OctavoError | OSError, name: str) -> Exception:
    """What is raised about the file of this name when it is opened, or its metadata read."""
    if isinstance(error, StorageError) or not isinstance(error, OctavoError):
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


def on_changed(error: SourceChangedError, sample: int) -> RuntimeError:
    """What is raised about a record whose file has changed under the reader; the error itself does not say which."""
    if "truncated" in str(error):
        return RuntimeError(f"'res == len_i' failed. Sample {sample}: less than its length was read\n{error}")
    return RuntimeError(f"{_mismatched(sample)}{error}")


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
        return _mismatched(error.record)
    if isinstance(error, TruncatedError) and error.offset is not None:
        length, found = (max((end or 0) - error.offset, 0) for end in (error.expected, error.actual))
        if length != found:  # a record that begins behind the end may have no bytes to miss
            return f"'res == len_i' failed. Sample {error.record}: length {length} but read {found} bytes\n"
    return ""


def _mismatched(sample: int) -> str:
    return f"'checksum2 == checksum' failed. Sample {sample}: checksum mismached!\n"
