"""Writes the sample data as four TFRecord files and converts each to an ArrayRecord file.

    python -m octavo.compat.array_record.beam.demo --input=/tmp/movies --output=gs://bucket/movies

`--input` is the prefix of the TFRecord files, which are written first; `--output` is a folder, or bucket and prefix.
"""

from __future__ import annotations

from typing import Any

from octavo.compat.array_record.beam import dofns, example, options
from octavo.compat.array_record.beam._lazy import apache_beam


def __getattr__(name: str) -> Any:
    """Return what the command line says."""
    if name == "args":
        return options.command_line()[0]
    if name == "pipeline_options":
        return options.command_line()[1]
    message = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(message)


def main() -> tuple[Any, Any]:
    """Return the pipeline, which has yet to be run, and what its last step returns."""
    beam = apache_beam()
    args, pipeline_options = options.command_line()
    tfrecord_prefix, folder = options.location(args, "input"), options.location(args, "output")
    pipeline = beam.Pipeline(options=pipeline_options)
    converted = (
        pipeline
        | "Create" >> beam.Create(example.generate_serialized_movie_examples())
        | "Write TFRecords" >> beam.io.WriteToTFRecord(tfrecord_prefix, file_name_suffix=".tfrecord", num_shards=4)
        | "Read shards" >> beam.io.ReadAllFromTFRecord(with_filename=True)
        | "Group" >> beam.GroupByKey()
        | "Write to ArrayRecord in GCS" >> beam.ParDo(dofns.ConvertToArrayRecordGCS(), folder, overwrite_extension=True)
    )
    return pipeline, converted


if __name__ == "__main__":
    main()[0].run().wait_until_finish()
