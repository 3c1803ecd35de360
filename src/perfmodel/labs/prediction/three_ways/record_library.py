"""Record matrix products of one BLAS library through its C interface, whatever NumPy uses.

    python -m perfmodel.labs.prediction.three_ways.record_library LIBRARY.so OUT --name mkl

Passes that are already in OUT stay, and the new ones are numbered on.
"""

from __future__ import annotations

import json
import time
from pathlib import Path

import click

from perfmodel.labs.prediction.three_ways.product_sweep import one_pass
from perfmodel.measurement.cpu import blas
from perfmodel.measurement.provenance import provenance

CPUINFO = Path("/proc/cpuinfo")
KEPT = ("vendor_id", "cpu family", "model", "model name", "stepping", "cpu MHz", "flags")


def cpuinfo(path: Path = CPUINFO) -> dict[str, str]:
    """Return Linux's description of the first processor from `/proc/cpuinfo`; else nothing."""
    if not path.exists():
        return {}
    first = path.read_text("utf-8").split("\n\n")[0]
    pairs = (line.partition(":") for line in first.splitlines())
    return {name.strip(): value.strip() for name, _, value in pairs if name.strip() in KEPT}


@click.command()
@click.argument("library", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("out", type=click.Path(path_type=Path))
@click.option("--name", required=True, help="What the library is called, for example mkl.")
@click.option("--version", default="unknown", help="Its version.")
@click.option("--core-type", default="unknown", help="What its kernels were chosen for.")
@click.option("--passes", default=1, type=click.IntRange(1), help="Passes to add.")
@click.option("--count", default=800, type=click.IntRange(1), help="Shapes.")
@click.option("--runs", default=5, type=click.IntRange(1), help="Short runs of a shape in a pass.")
def main(
    library: Path,
    out: Path,
    name: str,
    version: str,
    core_type: str,
    passes: int,
    count: int,
    runs: int,
) -> None:
    """Add passes over COUNT shapes by LIBRARY to OUT.csv; OUT.json says where they come from."""
    import pandas as pd

    frame = blas.load(out) if out.with_suffix(".csv").exists() else pd.DataFrame()
    about = {"name": name, "version": version, "core_type": core_type, "threads": 1}
    attributes = frame.attrs or {
        "library": about,
        "provenance": provenance().as_dict(),
        "cpuinfo": cpuinfo(),
        "sittings": [],
    }
    for _ in range(passes):
        number = int(frame["pass"].max()) + 1 if len(frame) else 0
        began, clock = time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime()), time.monotonic()
        added = one_pass(library, number, count, runs)
        frame = pd.concat([frame, added], ignore_index=True)
        frame = frame.sort_values(["precision", "m", "n", "k", "pass"], ignore_index=True)
        attributes["sittings"] = [*attributes["sittings"], began]
        frame.attrs = attributes
        blas.save(frame, out)
        click.echo(json.dumps({"pass": number, "seconds": round(time.monotonic() - clock)}))


if __name__ == "__main__":
    main()
