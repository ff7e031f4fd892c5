"""Files for these tests, and what is done to them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from octavo.compat.array_record.python.array_record_data_source import ArrayRecordDataSource
from octavo.compat.array_record.python.array_record_module import ArrayRecordWriter

ROOT = Path(__file__).parents[3]
PROGRAMS = Path(__file__).parent / "programs"

DEFAULT_OPTIONS = "group_size:1,transpose:false,pad_to_block_boundary:false,zstd:3,window_log:20,max_parallelism:1"


def numbered(count: int, name: str = "record") -> list[bytes]:
    """Records that tell their numbers, of different lengths."""
    return [f"{name} {number} {'.' * (number % 7)}".encode() for number in range(count)]


def write(path: Path, records: Iterable[bytes], options: str = "group_size:1") -> Path:
    """A file of these records, by the drop-in."""
    writer = ArrayRecordWriter(str(path), options)
    for record in records:
        writer.write(record)
    writer.close()
    return path


def write_shards(folder: Path, count: int, records_each: int) -> list[str]:
    """Files as the original's guide names them; each record tells its file and its number."""
    names = [f"shard.array_record-{number:05d}-of-{count:05d}" for number in range(count)]
    paths = [write(folder / name, numbered(records_each, f"file {number}")) for number, name in enumerate(names)]
    return [str(path) for path in paths]


def flip(path: Path, offset: int) -> Path:
    """Damages one byte."""
    data = bytearray(path.read_bytes())
    data[offset] ^= 1
    path.write_bytes(data)
    return path


def opened_records(source: ArrayRecordDataSource) -> Any:
    """What a data source reads through; None before its files are open."""
    return vars(source)["_ArrayRecordDataSource__records"]


def run_program(name: str, *arguments: object, timeout_s: int = 300) -> None:
    """Runs a program of this folder in a process of its own; what it asserts must hold."""
    command = [sys.executable, str(PROGRAMS / f"{name}.py"), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout_s, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr[-4000:]
