"""The JSON of the data set: what it is, its files, chunks and sizes. Answers cost the same however much there is."""

from __future__ import annotations

import contextlib
from typing import Any

from octavo import __version__
from octavo._reader import Info, Reader
from octavo._sizes import sample_sizes
from octavo.errors import FormatError
from octavo.viewer._opened import LARGE_BYTES, Opened

_MOST_PATHS = 20  # that are listed where one line is enough
_MOST_CHUNKS = 2000  # of a file: more cannot be told apart on a screen
_DESCRIBED_FILES = 16  # more are not opened to say what they are
_MEASURED_BYTES = 64 << 20  # of chunks that are decoded to see how well they are compressed
_MEASURED_CHUNKS = 64


def about(opened: Opened) -> dict[str, Any]:
    """What the page needs to know first."""
    files = opened.reader._files  # noqa: SLF001 - part of the package
    return {
        "title": opened.title,
        "location": opened.reader.paths[:_MOST_PATHS],
        "version": __version__,
        "record_count": len(opened.reader),
        "file_count": len(files),
        "total_bytes": sum(size for *_, size in files),
        "formats": sorted({format for format, *_ in files}),
        "failures": [{"path": one.path, "reason": one.reason} for one in opened.failures],
    }


def file_facts(opened: Opened) -> dict[str, Any]:
    """Format, dialect, codec and the rest. Of many files the first speaks for all."""
    reader = opened.reader
    is_first_only = len(opened.reader.paths) > _DESCRIBED_FILES
    if is_first_only:
        with Reader(reader._inputs[:1], **reader._options) as first:  # noqa: SLF001 - part of the package
            info = first.info
    else:
        info = reader.info
    return {
        "facts": [list(row) for row in _rows(info)],
        "of_first_file": is_first_only,
        "format": info.format,
        "codec": info.codec,
        "chunk_count": info.chunk_count,
        "encoded_bytes": info.encoded_bytes,
        "decoded_bytes": info.decoded_bytes,
        "record_count": len(reader),
        "torn_bytes": info.torn_bytes,
    }


def _rows(info: Info) -> list[tuple[str, str]]:
    dialect = info.dialect and info.dialect + ("" if info.dialect_confirmed else " (a guess)")
    level = "" if info.level is None else f", level {info.level}"
    rows = [
        ("Format", info.format),
        ("Dialect", dialect),
        ("Codec", info.codec and info.codec + level),
        ("Records a chunk", info.group_size and f"{info.group_size:,}"),
        ("Transposed into columns", {True: "yes", False: None, None: None}[info.transposed]),
        ("Chunks", info.chunk_count and f"{info.chunk_count:,}"),
        ("Records", f"{info.record_count:,}"),
        ("Bytes of records in the files", f"{info.encoded_bytes:,}"),
        ("Bytes of records", info.decoded_bytes and f"{info.decoded_bytes:,}"),
        ("Options of the writer", info.writer_options),
        ("Bytes of an interrupted append", info.torn_bytes and f"{info.torn_bytes:,}"),
        ("Index in a file of its own", "yes" if info.sidecar else None),
    ]
    return [(name, str(value)) for name, value in rows if value]


def shards(opened: Opened, start: int, count: int) -> dict[str, Any]:
    """Some of the files, with what is known without opening them."""
    reader = opened.reader
    files, starts, paths = reader._files, reader._file_starts, reader.paths  # noqa: SLF001 - part of the package
    some = range(start, min(start + count, len(files)))
    return {
        "total": len(files),
        "shards": [
            {
                "number": at,
                "path": paths[at],
                "format": files[at][0],
                "records": files[at][2],
                "bytes": files[at][3],
                "first_record": starts[at],
            }
            for at in some
        ],
    }


def chunks(opened: Opened, file: int) -> dict[str, Any]:
    """The chunks of a file, or some that are evenly spread."""
    reader = opened.reader
    count, found = reader._chunks_of_file(file, _MOST_CHUNKS)  # noqa: SLF001 - part of the package
    first = reader._file_starts[file]  # noqa: SLF001 - the same
    shown = [
        {
            "number": number,
            "offset": offset,
            "bytes": size,
            "first_record": first + record,
            "records": records,
            "decoded_bytes": decoded,
        }
        for number, offset, size, record, records, decoded in found
    ]
    _measure(reader, shown)
    return {
        "file": file,
        "path": reader.paths[file],
        "file_bytes": reader._files[file][3],  # noqa: SLF001 - part of the package
        "chunk_count": count,
        "shown": len(shown),
        "chunks": shown,
    }


def _measure(reader: Reader, shown: list[dict[str, Any]]) -> None:
    """Decode some chunks where the file does not say what they decode to."""
    unknown = [one for one in shown if one["decoded_bytes"] is None]
    spent = 0
    for one in unknown[:: max(1, len(unknown) // _MEASURED_CHUNKS)]:
        start = one["first_record"]
        with contextlib.suppress(FormatError):  # damage is for 'verify' to tell, and what is too large stays unknown
            one["decoded_bytes"] = reader.read_batch(range(start, start + one["records"])).nbytes
        spent += one["bytes"] + (one["decoded_bytes"] or LARGE_BYTES)
        if spent > _MEASURED_BYTES:
            return


def sizes(opened: Opened) -> dict[str, Any]:
    """How large records are, of a sample."""
    found = sample_sizes([opened.reader], len(opened.reader), LARGE_BYTES)
    return {
        "measured": found.record_count,
        "total": found.total_count,
        "mean": found.mean,
        "smallest": found.smallest,
        "largest": found.largest,
        "bins": [{"start": one.start, "stop": one.stop, "count": one.record_count} for one in found.bins],
        "problem": str(found.problem) if found.problem else None,
    }
