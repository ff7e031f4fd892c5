"""Numbers, sizes and times for people."""

from __future__ import annotations

_UNITS = ("kB", "MB", "GB", "TB", "PB", "EB")


def number(value: int) -> str:
    """A number with its thousands apart: 1,234,567."""
    return f"{value:,}"


def plural(count: int, one: str, many: str | None = None) -> str:
    """A number and what is counted: `1 record`, `1,000 records`."""
    return f"{number(count)} {one if count == 1 else many or one + 's'}"


def size(count: float) -> str:
    """Bytes with three digits: 999 B, 1.23 MB, 45.6 GB. Units are powers of 1000."""
    if round(count) < 1000:  # noqa: PLR2004 - where kilobytes begin
        return f"{round(count)} B"
    for unit in _UNITS:
        count /= 1000
        digits = 2 if count < 9.995 else 1 if count < 99.95 else 0  # noqa: PLR2004 - where a digit more would be rounded up to
        if round(count, digits) < 1000 or unit == _UNITS[-1]:  # noqa: PLR2004
            break
    return f"{count:.{digits}f} {unit}"


def mean(value: float) -> str:
    """An average, with three digits at least: 1, 6.63, 62.5, 12,345."""
    return number(round(value)) if value >= 99.95 else f"{value:.3g}"  # noqa: PLR2004 - where three digits are none behind the point


def mean_size(count: float) -> str:
    """Bytes on average, which may be a part of one: 6.63 B, 1.23 MB."""
    return f"{mean(count)} B" if round(count) < 1000 else size(count)  # noqa: PLR2004 - where kilobytes begin


def round_size(count: int) -> str:
    """Bytes that have few digits, with no more of them than that: 500 B, 20 kB, 1.5 MB."""
    exact, unit = float(count), "B"
    for larger in _UNITS:
        if exact < 1000:  # noqa: PLR2004 - where the next unit begins
            break
        exact, unit = exact / 1000, larger
    return f"{exact:g} {unit}"


def size_and_bytes(count: int) -> str:
    """A size for people, and for those who compare: 1.23 MB (1,234,567 bytes)."""
    return size(count) if count < 1000 else f"{size(count)} ({number(count)} bytes)"  # noqa: PLR2004 - where kilobytes begin


def duration(seconds: float) -> str:
    """A time with about three digits: 12.3 ms, 4.56 s, 2 min 3 s, 1 h 2 min."""
    if seconds < 0.9995:  # noqa: PLR2004 - what would be rounded up to a second
        return f"{seconds * 1000:.3g} ms"
    if seconds < 59.95:  # noqa: PLR2004 - the same, to a minute
        return f"{seconds:.3g} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:  # noqa: PLR2004
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"
