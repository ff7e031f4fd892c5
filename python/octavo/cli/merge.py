"""`octavo merge`: several files into one."""

from __future__ import annotations

from octavo.cli import _conversion as _c
from octavo.cli._arguments import Force, Json


def merge(
    sources: _c.Sources,
    target: _c.TargetPath,
    *,
    source_format: _c.From = None,
    target_format: _c.To = None,
    codec: _c.Codec = None,
    group_size: _c.GroupSize = None,
    no_verify: _c.NoVerify = False,
    force: Force = False,
    json: Json = False,
) -> None:
    """Write the records of all sources, one after the other, into one file."""
    _c.run(
        sources,
        _c.one_file(target),
        source_format=source_format,
        format=target_format,
        codec=codec,
        group_size=group_size,
        no_verify=no_verify,
        force=force,
        json=json,
    )
