"""`octavo convert`: records from any container into any other."""

from __future__ import annotations

from octavo.cli import _conversion as _c
from octavo.cli._arguments import Force, Json


def convert(
    sources: _c.Sources,
    target: _c.TargetPath,
    *,
    source_format: _c.From = None,
    target_format: _c.To = None,
    shards: _c.Shards = None,
    max_records: _c.MaxRecords = None,
    max_bytes: _c.MaxBytes = None,
    codec: _c.Codec = None,
    group_size: _c.GroupSize = None,
    dialect: _c.DialectName = None,
    max_chunk_bytes: _c.MaxChunkBytes = None,
    transpose: _c.Transpose = None,
    options: _c.Options = None,
    sidecar: _c.Sidecar = False,
    column: _c.Column = None,
    target_column: _c.TargetColumn = None,
    layout: _c.Layout = "auto",
    target_layout: _c.TargetLayout = None,
    no_verify: _c.NoVerify = False,
    runner: _c.RunnerName = "local",
    beam_args: _c.BeamArgs = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Convert records into another format, or into and from folders, tar files, JSON lines and Parquet.

    Every file is read back at the end, and the digest of its records compared. Interrupted, run it again in the same
    way: finished files are kept.
    """
    _c.run(
        sources,
        target,
        source_format=source_format,
        format=target_format,
        shards=shards,
        max_records=max_records,
        max_bytes=max_bytes,
        codec=codec,
        group_size=group_size,
        dialect=dialect,
        max_chunk_bytes=max_chunk_bytes,
        transpose=transpose,
        options=options,
        sidecar=sidecar,
        column=column,
        target_column=target_column,
        layout=layout,
        target_layout=target_layout,
        no_verify=no_verify,
        runner=runner,
        beam_args=beam_args,
        force=force,
        json=json,
    )
