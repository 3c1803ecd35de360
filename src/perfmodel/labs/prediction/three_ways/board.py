"""The leaderboard for matrix products on one core, from one run that comes with the course.

The run takes minutes; `python -m perfmodel.labs.prediction.three_ways.board` makes it again.

>>> board = recorded()
>>> sorted(set(board["dataset"])), int(board["seeds"].min())
(['matrix products, CPU, fp32', 'matrix products, CPU, fp64'], 20)
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from perfmodel.labs.prediction.three_ways import contestants
from perfmodel.measurement.provenance import record_table, recorded_origin, recorded_table
from perfmodel.prediction.arena.standings import standings

if TYPE_CHECKING:
    import pandas as pd

FILE = "board.csv"
COMMAND = "python -m perfmodel.labs.prediction.three_ways.board"
SEEDS = tuple(range(20))
SINGLE_BUDGETS = (30, 100)
"""Of the products in single precision, which had no part in settling the whitebox model."""
ELSEWHERE = ("prices x learner, both chosen", "prices chosen x boosting")
"""Contestants that choose by cross-validation: they stand on the board of `other_machines`."""


def run(
    precision: str = "fp64",
    names: Sequence[str] = (),
    seeds: Sequence[int] = SEEDS,
    progress: bool = False,
) -> pd.DataFrame:
    """Run the contest inside the sizes that the contestants learned from and beyond them.

    Without `names`, all contestants except `ELSEWHERE` take part. The columns are those of the
    arena's `standings`, with each product a unit, and the data set's noise floor in `noise`.
    """
    data = contestants.dataset(precision)
    entries = [entry for entry in contestants.contestants() if entry.name not in ELSEWHERE]
    meeting = [entry for entry in entries if not names or entry.name in names]
    if precision == "fp64":
        rounds = contestants.inside(data, seeds=seeds) + contestants.beyond(data, seeds=seeds)
    else:
        rounds = contestants.inside(data, SINGLE_BUDGETS, seeds)
        rounds += contestants.beyond(data, SINGLE_BUDGETS, seeds)
    return standings(data, meeting, rounds, progress=progress).assign(noise=data.noise)


def recorded() -> pd.DataFrame:
    """Return the board as `run` made it of both precisions, one below the other."""
    return recorded_table(__package__, FILE)


def origin() -> dict[str, object]:
    """Return host, versions and date of the recorded run."""
    return recorded_origin(__package__, FILE)


@click.command()
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path(__file__).with_name(FILE),
    help="The table; its origin goes to the JSON file next to it.",
)
def main(out: Path) -> None:
    """Run the contest on the products in both precisions, and keep the standings."""
    import pandas as pd

    start = time.monotonic()
    board = pd.concat([run(precision, progress=True) for precision in ("fp64", "fp32")])
    spent = round(time.monotonic() - start)
    record_table(board, out, {"command": COMMAND, "seconds": spent}, float_format="%.5g")


if __name__ == "__main__":
    main()
