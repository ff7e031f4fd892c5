"""The sentences of the page about speed: everything on it that is not a number."""

from __future__ import annotations

import fnmatch

HEAD = """
# Performance

Every figure on this page was measured by `make bench`, on the machine below. The engines of a case take turns, round
after round, and the best round of each counts. So a ratio says more than a rate: compare within a line.

A *bar* is what a figure is held to, and `make bench-check` fails when one does not hold. A *floor* is what the machine
gives to a program that is told where the records are and checks nothing: copies of memory, plain reads, a deep queue.
octavo verifies every checksum in all cases.
"""

QUICK = """
!!! warning
    These figures are of a trial run with small data and few rounds. They show how the page is made, and nothing else.
"""

TOPICS = (
    ("start", "Start", "The import, in a fresh interpreter each time."),
    (
        "ffrecord",
        "FFRecord",
        """
Records of 100 bytes, 8 kB and 100 kB: single reads, batches, all of them, a loop; warm and cold. `flat-*` asks for the
cost with more and more records in the file, `threads-*` for the rate of 16 threads over that of one.
""",
    ),
    (
        "array_record",
        "ArrayRecord",
        """
The same files for octavo and for `array_record`; bagz reads its own format. `text-256` has 256 records to a chunk.
""",
    ),
    (
        "recordio",
        "RecordIO",
        "The same files for octavo and for `pyrecordio`; in `defaults` each has chunks of its own size.",
    ),
    ("tfrecord", "TFRecord", "The same files for octavo and for TensorFlow, plain and compressed by gzip."),
    ("drop-in", "Drop-ins", "octavo under the originals' names, beside octavo under its own, and the originals."),
    ("training", "Training", "Shuffled epochs in batches of 256, each made one tensor; and the orders themselves."),
    (
        "convert",
        "Conversion",
        """
TFRecord to ArrayRecord, 1 GB in records of 1 kB, against loops in Python. octavo syncs what it has written, reads it
back and compares; the loops do not.
""",
    ),
    (
        "check",
        "Checking",
        "`octavo.verify` and `octavo.digest` over 1 GB in records of 1 kB, beside plain reading.",
    ),
)
"""What the names of cases begin with, the heading for them, and a word on them."""

NOTES = (
    (
        "*/flat-*",
        """
The further apart records lie, the more often caches and page tables miss. The floors of these cases, which only copy,
pay that price as well: compare their rates in the table.
""",
    ),
    (
        "*/threads-*",
        """
Python threads hand the interpreter's lock to each other, and what that takes differs from machine to machine. Where
there are few cores, they share them with octavo's own threads.
""",
    ),
    (
        "array_record/text-256/*",
        """
octavo decodes on all CPUs here and `array_record` mostly on one, so what others take of the machine meanwhile costs
octavo more. Measured by themselves on a quiet machine, these cases have held their bars.
""",
    ),
    (
        "recordio/1kB/*",
        """
With one record to a chunk, as `pyrecordio` has it, nearly all of the time is snappy's: alone, on one of these CPUs, it
takes 1.0 µs to compress such a record of text and 0.35 µs to decompress it, and Google's own library takes no less. The
bar leaves octavo 0.4 and 0.17 µs on two of them. `recordio/defaults/*` has the chunks that octavo makes by default.
""",
    ),
    (
        "start/*",
        """
An import is Python finding and reading modules, octavo's own and those of its library: a busy machine takes longer.
""",
    ),
    (
        "*/cold-*",
        """
What a device gives changes from round to round where others use it as well. The floors of the case were measured on
the same device, in turn.
""",
    ),
)
"""Why a bar may not hold, by the names of cases; the first that fits is shown, and only if one does not."""

UNEXPLAINED = "Nobody has found out why. The bar stays where it is."


def why_short(case: str) -> str:
    """Why a bar of this case may not hold."""
    return next((text for glob, text in NOTES if fnmatch.fnmatch(case, glob)), UNEXPLAINED).strip()


HOW = """
## Measure it yourself

```sh
make bench                  # all cases but those of the large frameworks
make bench EXTRAS=all       # those of training as well
make bench-check            # the same, and fail where a bar does not hold
python -m benchmarks.page benchmarks/results/latest.json
```

The last line makes this page of what was measured. `benchmarks/README.md` describes the cases, the floors and the data,
and what to install for the cases of TensorFlow. For your own files, [`octavo bench`](cli/bench.md) says what limits
reading them on your machine, and what would help.
"""
