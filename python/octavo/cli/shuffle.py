"""`octavo shuffle`: all records of a data set in another order."""

from __future__ import annotations

from typing import Annotated

import typer

from octavo.cli import _conversion as _c
from octavo.cli._arguments import Force, Json


def shuffle(
    sources: _c.Sources,
    target: _c.TargetPath,
    *,
    seed: Annotated[int, typer.Option("--seed", min=0, help="The same seed gives the same order, everywhere.")] = 0,
    shards: _c.Shards = None,
    max_records: _c.MaxRecords = None,
    source_format: _c.From = None,
    target_format: _c.To = None,
    codec: _c.Codec = None,
    group_size: _c.GroupSize = None,
    no_verify: _c.NoVerify = False,
    force: Force = False,
    json: Json = False,
) -> None:
    """Write all records in a random order that a seed decides: every record may go anywhere.

    The order is that of octavo.shuffle.Permutation(count, seed=SEED).
    """
    _c.run(
        sources,
        target,
        shuffle=seed,
        shards=shards,
        max_records=max_records,
        source_format=source_format,
        format=target_format,
        codec=codec,
        group_size=group_size,
        no_verify=no_verify,
        force=force,
        json=json,
    )
