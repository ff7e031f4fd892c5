"""Pipelines that write sample data, or convert TFRecord files to ArrayRecord files.

Every function returns a `beam.Pipeline` that has yet to be run, and takes these two:

* `args`: a dictionary with `input`, the pattern of the files to read, and `output`, the prefix of those to write; or
  the same as a list of arguments, `["--input", ..., "--output", ...]`. The command line if it is not given.
* `pipeline_options`: Beam's `PipelineOptions`, or a list of arguments or a dictionary that they are made of. If it is
  not given, what else is in `args`, or else what is on the command line.

`def_args` and `def_pipeline_options` are what the command line says. It is looked at when they are needed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from octavo.compat.array_record.beam import arrayrecordio, dofns, example, options
from octavo.compat.array_record.beam._lazy import apache_beam

Arguments: TypeAlias = Mapping[str, str | None] | Sequence[str]

_SUFFIX = ".arrayrecord"


def __getattr__(name: str) -> Any:
    """Return the defaults of the functions below."""
    if name == "def_args":
        return options.command_line()[0]
    if name == "def_pipeline_options":
        return options.command_line()[1]
    message = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(message)


def example_to_tfrecord(num_shards: int = 1, args: Arguments | None = None, pipeline_options: Any = None) -> Any:
    """Write the sample data to `<output>*.tfrecord`."""
    beam, args, pipeline = _begin(args, pipeline_options)
    _ = (
        pipeline
        | beam.Create(example.generate_serialized_movie_examples())
        | beam.io.WriteToTFRecord(options.location(args, "output"), file_name_suffix=".tfrecord", num_shards=num_shards)
    )
    return pipeline


def example_to_arrayrecord(num_shards: int = 1, args: Arguments | None = None, pipeline_options: Any = None) -> Any:
    """Write the sample data to `<output>*.arrayrecord`."""
    beam, args, pipeline = _begin(args, pipeline_options)
    _ = (
        pipeline
        | beam.Create(example.generate_serialized_movie_examples())
        | arrayrecordio.WriteToArrayRecord(options.location(args, "output"), _SUFFIX, num_shards)
    )
    return pipeline


def convert_tf_to_arrayrecord_disk(
    num_shards: int = 1, args: Arguments | None = None, pipeline_options: Any = None
) -> Any:
    """Convert TFRecord files to `num_shards` files `<output>*.arrayrecord`."""
    beam, args, pipeline = _begin(args, pipeline_options)
    return _convert(beam, args, pipeline, num_shards)


def convert_tf_to_arrayrecord_disk_match_shards(args: Arguments | None = None, pipeline_options: Any = None) -> Any:
    """Convert TFRecord files to as many files `<output>*.arrayrecord`; a record may end up in any of them.

    The files are counted here, not when the pipeline runs: how many shards a sink has is fixed when it is made.
    """
    beam, args, pipeline = _begin(args, pipeline_options)
    matched = beam.io.filesystems.FileSystems.match([options.location(args, "input")])
    return _convert(beam, args, pipeline, sum(len(match.metadata_list) for match in matched))


def convert_tf_to_arrayrecord_gcs(
    overwrite_extension: bool = False,  # noqa: FBT001, FBT002 - the original's
    file_path_suffix: str = _SUFFIX,
    args: Arguments | None = None,
    pipeline_options: Any = None,
) -> Any:
    """Convert each TFRecord file to a file of its name in the folder, or bucket and prefix, `output`."""
    beam, args, pipeline = _begin(args, pipeline_options)
    _ = (
        pipeline
        | "Start" >> beam.Create([options.location(args, "input")])
        | "Read" >> beam.io.ReadAllFromTFRecord(with_filename=True)
        | "Group" >> beam.GroupByKey()
        | "Write to ArrayRecord in GCS"
        >> beam.ParDo(
            dofns.ConvertToArrayRecordGCS(),
            options.location(args, "output"),
            file_path_suffix=file_path_suffix,
            overwrite_extension=overwrite_extension,
        )
    )
    return pipeline


def _begin(args: Arguments | None, pipeline_options: Any) -> tuple[Any, Mapping[str, str | None], Any]:
    """Return Beam, the arguments as a dictionary, and a pipeline without transforms."""
    beam = apache_beam()
    if args is None:
        args = options.command_line()[0]
    rest: Any
    if isinstance(args, Mapping):
        rest = {name: value for name, value in args.items() if name not in {"input", "output"}}
    else:
        args, rest = options.split_arguments(args)
        if rest and pipeline_options is not None:
            message = f"args has more than --input and --output, and pipeline_options is given as well: {rest}"
            raise ValueError(message)
    if pipeline_options is None:
        pipeline_options = rest or options.command_line()[1]
    pipeline_options = options.pipeline_options_of(pipeline_options)
    return beam, args, beam.Pipeline(options=pipeline_options)


def _convert(beam: Any, args: Mapping[str, str | None], pipeline: Any, num_shards: int) -> Any:
    _ = (
        pipeline
        | "Read TFRecord" >> beam.io.ReadFromTFRecord(options.location(args, "input"))
        | "Write ArrayRecord" >> arrayrecordio.WriteToArrayRecord(options.location(args, "output"), _SUFFIX, num_shards)
    )
    return pipeline
