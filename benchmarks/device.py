"""`python -m benchmarks.device`: what many cores and a GPU give, on a machine that has them.

It needs octavo, NumPy and PyTorch, nothing else. Without a CUDA device, epochs end in memory and have no bar.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib
import json
import os
import sys
from pathlib import Path
from typing import Any

from benchmarks import data, machine, page_cache, scaling, to_device
from benchmarks.cases import Dataset
from benchmarks.engines import ENGINES

RECORD_BYTES = 8_192
CORES = (1, 2, 4, 8, 16)
LEAST_OF_COPY = 0.5
LEAST_OF_CORES = 8.0  # of 16, over one


def main(arguments: list[str] | None = None) -> int:
    """Exit status 1 when `--check` is given and a bar is not met."""
    options = _parse(arguments)
    described = machine.describe() | _described_device()
    print("; ".join(f"{name} {value}" for name, value in described.items()), flush=True)
    records = (64 << 20 if options.quick else options.gigabytes << 30) // RECORD_BYTES
    path = data.make(Dataset("device", records, RECORD_BYTES), ENGINES["octavo"])
    page_cache.warm(path)
    scaled = _scaling(path, seconds=0.2 if options.quick else 2.0)
    copied, epochs = _to_device(path, quick=options.quick)
    bars = _bars(scaled, copied, epochs)
    for bar in bars:
        print(f"{bar['name']}: {bar['value']:.2f}x, >= {bar['limit']:g}x {'ok' if bar['met'] else 'SHORT'}")
    if options.json:
        result = {
            "machine": described,
            "record_bytes": RECORD_BYTES,
            "records": records,
            "scaling": [dataclasses.asdict(one) for one in scaled],
            "copy_rate": copied,
            "epochs": [dataclasses.asdict(one) for one in epochs],
            "bars": bars,
        }
        options.json.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    return 1 if options.check and not all(bar["met"] for bar in bars) else 0


def _scaling(path: Path, seconds: float) -> list[scaling.Scaled]:
    """Random batches with more and more cores; GB/s, and how many times the rate of one core."""
    available = len(os.sched_getaffinity(0))
    scaled: list[scaling.Scaled] = []
    for cores in (cores for cores in CORES if cores <= available):
        scaled.append(scaling.measure(path, cores, seconds))
        if cores == 1:
            print(
                f"\nrandom batches of {scaling.SMALL} (large: {scaling.LARGE}), GB/s\n  cores"
                + "".join(f"{way:>19}" for way in scaled[0].rates)
            )
        cells = (
            f"{rate / 1e9:.2f} ({rate / first:.2f}x)"
            for rate, first in zip(scaled[-1].rates.values(), scaled[0].rates.values(), strict=True)
        )
        print(f"  {cores:>5}" + "".join(f"{cell:>19}" for cell in cells), flush=True)
    return scaled


def _to_device(path: Path, *, quick: bool) -> tuple[float | None, list[to_device.Epoch]]:
    """Epochs onto the device; GB/s, and as a share of the plain copy."""
    copied = to_device.copy_rate(path.stat().st_size) if to_device.has_device() else None
    shown = "no CUDA device: into memory" if copied is None else f"one pinned buffer: {copied / 1e9:.2f}"
    print(f"\nshuffled epochs to the device, GB/s; {shown}\n  batch_size  threads  prefetch      rate", flush=True)
    epochs = []
    for epoch in to_device.epochs(path, to_device.SETTINGS[:2] if quick else to_device.SETTINGS):
        epochs.append(epoch)
        setting = epoch.setting
        share = "" if copied is None else f"  ({epoch.rate / copied:.2f}x)"
        print(
            f"  {setting.batch_size:>10}{setting.threads:>9}{setting.prefetch:>10}{epoch.rate / 1e9:>10.2f}{share}",
            flush=True,
        )
    print()
    return copied, epochs


def _bars(scaled: list[scaling.Scaled], copied: float | None, epochs: list[to_device.Epoch]) -> list[dict[str, Any]]:
    values = []
    if copied is not None:
        best = max(epoch.rate for epoch in epochs)
        values.append(("a shuffled epoch to the device over one copy", best / copied, LEAST_OF_COPY))
    if scaled[-1].cores == CORES[-1]:
        ratio = scaled[-1].rates[scaling.PARALLEL] / scaled[0].rates[scaling.PARALLEL]
        values.append((f"random batches on {CORES[-1]} cores over one", ratio, LEAST_OF_CORES))
    return [{"name": name, "value": value, "limit": limit, "met": value >= limit} for name, value, limit in values]


def _described_device() -> dict[str, object]:
    torch = importlib.import_module("torch")
    name = torch.cuda.get_device_name() if torch.cuda.is_available() else "none"
    return {"device": name, "torch": torch.__version__}


def _parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.device", description=__doc__)
    parser.add_argument("--gigabytes", metavar="N", type=int, default=4, help="of records (default 4)")
    parser.add_argument("--quick", action="store_true", help="small data, to try the script")
    parser.add_argument("--json", metavar="PATH", type=Path, help="write every figure there")
    parser.add_argument("--check", action="store_true", help="exit with status 1 unless every bar is met")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
