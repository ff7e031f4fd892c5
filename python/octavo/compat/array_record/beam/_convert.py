"""The class behind `dofns.ConvertToArrayRecordGCS`. Needs Beam."""

from __future__ import annotations

import os
from collections.abc import Iterable

from apache_beam import DoFn
from apache_beam.io.filesystems import FileSystems

from octavo.compat.array_record.beam._shard_file import ShardFile


class ConvertToArrayRecordGCS(DoFn):  # type: ignore[misc]  # Beam has no types
    """Writes the records of one source file into one ArrayRecord file, on any file system of Beam."""

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
            write_dir: The folder of this machine in which the file is written before it is sent.
            file_path_suffix: Follows the base name of the source file.
            overwrite_extension: Whether the suffix takes the place of the name's last extension.
        """
        source, records = element
        name = os.path.basename(source)
        if overwrite_extension:
            name = os.path.splitext(name)[0]
        target = FileSystems.join(path, name + file_path_suffix)
        with ShardFile(target, "group_size:1", staging=write_dir) as shard:
            for record in records:
                shard.write(record)
