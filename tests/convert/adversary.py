"""What the tests of spoiled conversions have in common."""

from __future__ import annotations

import json
import os

import octavo

RECORDS = [f"record {number}".encode() for number in range(1000)]
OTHERS = [f"other! {number}".encode() for number in range(1000)]


class Ended(Exception):  # noqa: N818 - what plays Ctrl-C
    """The conversion was ended."""


def write(path, records=RECORDS):
    """A record file."""
    with octavo.create(path) as writer:
        writer.write_many(records)
    return path


def in_memory(records):
    """The bytes of such a file."""
    with open(write("source.tfrecord", records), "rb") as file:
        return file.read()


def lines(path, values):
    """A file of JSON lines."""
    with open(path, "w") as file:
        file.writelines(json.dumps(value) + "\n" for value in values)
    return path


def read(location):
    """All records."""
    with octavo.open(location) as reader:
        return reader.read_all()


def names(folder="."):
    """What is in a folder, but for sources."""
    return sorted(name for name in os.listdir(folder) if not name.startswith("source"))
