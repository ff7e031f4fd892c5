"""`octavo split`: one data set into files of a size."""

from __future__ import annotations

from octavo.cli import _conversion as _c
from octavo.cli._arguments import Force, Json
from octavo.errors import OptionError


def split(
    sources: _c.Sources,
    target: _c.TargetPath,
    *,
    shards: _c.Shards = None,
    max_records: _c.MaxRecords = None,
    max_bytes: _c.MaxBytes = None,
    source_format: _c.From = None,
    target_format: _c.To = None,
    codec: _c.Codec = None,
    group_size: _c.GroupSize = None,
    no_verify: _c.NoVerify = False,
    force: Force = False,
    json: Json = False,
) -> None:
    """Cut a data set into files: TARGET out.ffr becomes out-00000-of-00020.ffr and so on."""
    if (shards, max_records, max_bytes) == (None, None, None) and not _c.is_sharded(target):
        message = "say where to cut: --shards, --max-records, --max-bytes, or a sharded name such as out@20.ffr"
        raise OptionError(message)
    _c.run(
        sources,
        target,
        shards=shards,
        max_records=max_records,
        max_bytes=max_bytes,
        source_format=source_format,
        format=target_format,
        codec=codec,
        group_size=group_size,
        no_verify=no_verify,
        force=force,
        json=json,
    )
