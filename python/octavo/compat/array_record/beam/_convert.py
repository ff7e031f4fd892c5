"""The class behind `dofns.ConvertToArrayRecordGCS`. Needs Beam."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterable

from apache_beam import DoFn
from apache_beam.io.filesystem import CompressionTypes
from apache_beam.io.filesystems import FileSystems

import octavo
from octavo.integrations.beam._files import MIME_TYPE, is_local

_COPY_BYTES = 8 << 20


class ConvertToArrayRecordGCS(DoFn):  # type: ignore[misc]  # Beam has no types
    """Writes the records of one source file into one ArrayRecord file, on any file system of Beam.

    The file appears when it is whole, so that an element may be tried again.
    """

    def process(
        self,
        element: tuple[str, Iterable[bytes]],
        path: str,
        write_dir: str = "/tmp/",  # noqa: S108 - the original's default; a folder of its own is made in it
        file_path_suffix: str = ".arrayrecord",
        overwrite_extension: bool = False,  # noqa: FBT001, FBT002 - the original's
    ) -> None:
        """Write the file of one element.

        Args:
            element: The name of the source file and its records.
            path: The folder or bucket and prefix of the output.
            write_dir: The folder of this machine in which the file is written before it is sent elsewhere.
            file_path_suffix: Follows the base name of the source file.
            overwrite_extension: Whether the suffix takes the place of the name's last extension.
        """
        source, records = element
        name = os.path.basename(source)
        if overwrite_extension:
            name = os.path.splitext(name)[0]
        target = FileSystems.join(path, name + file_path_suffix)
        if is_local(target):
            os.makedirs(path, exist_ok=True)
            _write(target, records)
            return
        os.makedirs(write_dir, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=write_dir, prefix="octavo-") as folder:
            written = os.path.join(folder, "shard.array_record")
            _write(written, records)
            _send(written, target)


def _write(path: str, records: Iterable[bytes]) -> None:
    with octavo.create(path, format="array_record", group_size=1) as writer:
        writer.write_many(records)


def _send(written: str, target: str) -> None:
    with open(written, "rb") as source:
        sent = FileSystems.create(target, MIME_TYPE, CompressionTypes.UNCOMPRESSED)
        try:
            with sent:
                shutil.copyfileobj(source, sent, _COPY_BYTES)
        except BaseException:
            with contextlib.suppress(Exception):  # the first error is the one to tell
                FileSystems.delete([target])
            raise
