"""The whole contest, run and kept: every family, budget of prefix and contestant.

The run takes minutes, so that its board is kept with the package and a test repeats parts of it;
``python -m perfmodel.labs.forecasting.contest.record`` makes it again.

>>> board = recorded()
>>> board["family"].nunique(), sorted(set(board["contestant"]))[:3]
(8, ['last value', 'law', 'law, calibrated'])
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import threadpoolctl

from perfmodel.labs.forecasting.contest.families import FAMILIES, CurveFamily
from perfmodel.labs.forecasting.contest.rounds import (
    BUDGETS,
    MIN_MODELS,
    curve_round,
    model_round,
    scores,
)
from perfmodel.measurement.provenance import record_table, recorded_origin, recorded_table

if TYPE_CHECKING:
    import pandas as pd

FILE = "contest.csv"
COMMAND = "python -m perfmodel.labs.forecasting.contest.record"


def run(names: Sequence[str] = tuple(FAMILIES), budgets: Sequence[float] = BUDGETS) -> pd.DataFrame:
    """Let all contestants meet: a row for each family, budget (fraction seen) and contestant.

    Columns are `family`, `test` (`curves` or `models`), `budget`, `seen` (epochs or models), `unit`
    and those of `rounds.scores`. Budgets with under `MIN_MODELS` models of a text are left out.
    """
    import pandas as pd

    rows = []
    for name in names:
        if name not in FAMILIES:
            raise ValueError(f"names must be among {', '.join(FAMILIES)}, got {name!r}")
        family = FAMILIES[name]()
        for budget in budgets:
            rows += _round(family, budget)
    return pd.DataFrame(rows)


def _round(family: Any, budget: float) -> list[dict[str, Any]]:
    # A pool of threads on a few hundred rows costs more than it brings.
    with threadpoolctl.threadpool_limits(1):
        if isinstance(family, CurveFamily):
            test, (seen, actual, result) = "curves", curve_round(family, budget)
        elif min(round(budget * text.loss.size) for text in family.texts) < MIN_MODELS:
            return []
        else:
            test, (seen, actual, result) = "models", model_round(family, budget)
    about = {"family": family.name, "test": test, "budget": budget, "seen": seen}
    return [{**about, "unit": family.unit, **row} for row in scores(actual, result)]


def recorded() -> pd.DataFrame:
    """Return the stored board of the last full run, which `origin` describes."""
    return recorded_table(__package__, FILE)


def origin() -> dict[str, Any]:
    """Return host, versions and date of the stored run, its command and how long it took."""
    return recorded_origin(__package__, FILE)


@click.command()
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path(__file__).with_name(FILE),
    help="The board; its origin goes to the JSON file next to it.",
)
@click.argument("names", nargs=-1)
def main(out: Path, names: tuple[str, ...]) -> None:
    """Run the contest on the families NAMES, all if none is named, and keep the board."""
    import pandas as pd
    from rich.progress import track

    start = time.monotonic()
    board = pd.concat([run([name]) for name in track(names or tuple(FAMILIES), "families")])
    spent = round(time.monotonic() - start)
    record_table(board, out, {"command": COMMAND, "seconds": spent}, float_format="%.5g")
    click.echo(f"{len(board)} rows in {out}, {spent} s")


if __name__ == "__main__":
    main()
