"""The larger study, run and kept: eight shuffles of the pictures, eight draws of every mixture.

It takes minutes, so that its outcome is kept with the package and a test repeats parts of it;
``python -m perfmodel.labs.forecasting.projektor.record`` makes it again.

>>> studies = recorded()
>>> len(studies), studies[0].accuracy[60].shape
(8, (66, 8))
"""

from __future__ import annotations

import time
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from perfmodel.labs.forecasting.projektor.mixtures import (
    EVALUATION,
    PILOTS,
    TARGET,
    MixtureRuns,
    measure,
    mixture_grid,
)
from perfmodel.measurement.provenance import record_table, recorded_origin, recorded_table

if TYPE_CHECKING:
    import pandas as pd

FILE = "mixtures.csv"
COMMAND = "python -m perfmodel.labs.forecasting.projektor.record"
SHUFFLES = 8
DRAWS = 8
PARTS = 10
SMALLEST = 30
"""A third size of pilots, in examples."""


def table_of(runs: MixtureRuns, shuffle: int) -> pd.DataFrame:
    """Return runs as a table: a row for each mixture and size, right answers of each draw."""
    import pandas as pd

    tenths = np.round(PARTS * runs.fractions).astype(int)
    tables = []
    for size, accuracy in runs.accuracy.items():
        right = np.round(EVALUATION * accuracy).astype(int)
        table = pd.DataFrame(right, columns=[f"right_{i + 1}" for i in range(right.shape[1])])
        far = runs.distance.get(size)
        about = {
            "shuffle": shuffle,
            "size": size,
            "source_1": tenths[:, 0],
            "source_2": tenths[:, 1],
            "distance": np.nan if far is None else far.mean(axis=1).round(5),
        }
        for index, (name, values) in enumerate(about.items()):
            table.insert(index, name, values)
        tables.append(table)
    return pd.concat(tables, ignore_index=True)


@cache
def recorded() -> tuple[MixtureRuns, ...]:
    """Return the stored study, one set of runs a shuffle; distances are means of the draws."""
    table = recorded_table(__package__, FILE)
    return tuple(_runs_of(part) for _, part in table.groupby("shuffle"))


def _runs_of(table: pd.DataFrame) -> MixtureRuns:
    accuracy, distance = {}, {}
    for size, part in table.groupby("size"):
        count = int(str(size))
        accuracy[count] = part.filter(like="right_").to_numpy(dtype=float) / EVALUATION
        if count != TARGET:
            distance[count] = part[["distance"]].to_numpy(dtype=float)
    return MixtureRuns(mixture_grid(PARTS), accuracy, distance)


def origin() -> dict[str, Any]:
    """Return host, versions and date of the stored study, its command and how long it took."""
    return recorded_origin(__package__, FILE)


@click.command()
@click.option("--shuffles", default=SHUFFLES, help="Orders of the pictures.")
@click.option("--draws", default=DRAWS, help="Samples of each mixture and size.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path(__file__).with_name(FILE),
    help="The table; its origin goes to the JSON file next to it.",
)
def main(shuffles: int, draws: int, out: Path) -> None:
    """Run the study and keep it."""
    import pandas as pd
    from rich.progress import track

    start = time.monotonic()
    sizes = (SMALLEST, *PILOTS, TARGET)
    tables = [
        table_of(measure(shuffle, PARTS, draws, sizes), shuffle)
        for shuffle in track(range(shuffles), "shuffles")
    ]
    spent = round(time.monotonic() - start)
    record_table(pd.concat(tables), out, {"command": COMMAND, "seconds": spent})
    click.echo(f"{shuffles} shuffles in {out}, {spent} s")


if __name__ == "__main__":
    main()
