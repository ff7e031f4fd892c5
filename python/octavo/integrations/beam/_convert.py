"""`octavo.convert` on any runner of Beam."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import apache_beam as beam
from apache_beam.options.pipeline_options import PipelineOptions

from octavo._arguments import check_progress
from octavo._convert._order import carry_out
from octavo.errors import OctavoError, RecordTypeError, StorageError, UnsupportedError

if TYPE_CHECKING:
    from octavo._convert._report import ConvertReport
    from octavo._convert._tasks import FileTask
    from octavo._location import Location, PathLocation


def convert(
    source: Location, target: PathLocation, *, pipeline_args: Sequence[str] = (), **options: Any
) -> ConvertReport:
    """Convert as `octavo.convert` does, with each file of the target written by a worker of Beam.

    Plan, files and report are those of `octavo.convert`. Workers open the source themselves, so that source and target
    have to be where all of them see them: in an object store, or on a file system that they share. A worker that is
    killed, or a job that is done twice, changes nothing in the outcome.

    Args:
        source: As in `octavo.convert`: record files in any number, or files of other kinds each of which becomes one
            file.
        target: As in `octavo.convert`. As many workers can help as there are files in it.
        pipeline_args: Options of Beam, as on a command line: `["--runner=FlinkRunner", ...]`.
        **options: All others of `octavo.convert`, but for `shuffle`.

    Raises:
        UnsupportedError: The jobs need each other: a shuffle, or one stream that is cut into several files.
    """
    if isinstance(pipeline_args, str):
        message = "pipeline_args is a list of arguments, not one text"
        raise RecordTypeError(message)
    check_progress(options.get("progress"))
    arguments = list(pipeline_args)
    return carry_out(source, target, lambda tasks: _run_all(tasks, arguments), **options)


def _run_all(tasks: list[FileTask], arguments: list[str]) -> None:
    elements = [_pickled(task) for task in tasks]
    try:
        with beam.Pipeline(options=PipelineOptions(arguments)) as pipeline:
            _ = (
                pipeline
                # Pickled here, so that it does not matter what Beam's coders make of tasks.
                | "Files" >> beam.Create(elements)
                | "Spread files" >> beam.Reshuffle()
                | "Write files" >> beam.Map(_run_one)
            )
    except OctavoError:
        raise
    except Exception as error:
        lines = [line for line in str(error).splitlines() if line.strip()]
        message = f"the pipeline failed: {lines[-1].strip() if lines else type(error).__name__}"
        raise StorageError(message) from error


def _pickled(task: FileTask) -> bytes:
    try:
        return pickle.dumps(task)
    except Exception as error:
        message = "workers cannot be given this store: name source and target by URLs"
        raise UnsupportedError(message) from error


def _run_one(element: bytes) -> None:
    task: FileTask = pickle.loads(element)  # noqa: S301 - made a few lines above
    task.run()
