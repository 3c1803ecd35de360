"""How the frozen models did on the sweeps recorded after them, and what may be said of it.

One round of the graybox's 480 ended in an error of the frozen files, a modelled time of 0 with ten
rows; it was played again after that was repaired (`graybox.Corrected`), which changes no other.

``python benchmarks/frozen_products.py --keep`` computes the stored scores again.

>>> board = scores()
>>> sorted(set(board["rows"])), bool((board["error"] > 0).all())
(['both', 'fp32', 'fp64'], True)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from perfmodel.labs.prediction.three_ways.other_machines import BARS, BUDGETS, SWEEPS
from perfmodel.measurement.provenance import recorded_origin, recorded_table

if TYPE_CHECKING:
    import pandas as pd

FILE = "frozen_scores.csv"
OLD = "matrix products, CPU"
"""The sweep that the models were chosen on, as the scores name it."""
GRAYBOX = "prices x learner, both chosen"
"""The contestant that the bars are for."""
LEARNER = "Gaussian process on logs"
"""The learner whose error measures how hard a sweep is."""
ROWS = ("fp64", "fp32", "both")


def scores() -> pd.DataFrame:
    """Return the errors of the frozen models and of outside learners, best first.

    Columns: `dataset` (of `SWEEPS`, or `OLD`), `rows` (fp64, fp32, both), `points`, `contestant`,
    `family`, `seeds`, `error` (mean percentage error over the seeds, a fraction).
    """
    return recorded_table(__package__, FILE)


def origin() -> dict[str, Any]:
    """Return host, versions and date of the run that computed the scores."""
    return recorded_origin(__package__, FILE)


def table(board: pd.DataFrame, dataset: str, rows: str = "both") -> list[list[object]]:
    """Return a row for each contestant: its name, family, and errors in % at each budget."""
    part = board[(board["dataset"] == dataset) & (board["rows"] == rows)]
    errors = 100 * part.pivot_table("error", ["contestant", "family"], "points")
    errors = errors.sort_values(list(errors.columns)[1])
    return [
        [*names, *map(float, row)]
        for names, row in zip(errors.index, errors.to_numpy(), strict=True)
    ]


def against_bars(board: pd.DataFrame) -> str:
    """Return a sentence: at how many of its bars the graybox is, and which it misses."""
    ours = _new(board).query("contestant == @GRAYBOX")
    ours = ours[ours["points"].isin(list(BARS))]
    over = ours[ours["error"] > ours["points"].map(BARS)]
    asked = ", ".join(f"{100 * bar:.0f} % with {points}" for points, bar in BARS.items())
    start = f"The bars, set before anything was recorded: at most {asked} training rows. "
    if over.empty:
        return f"{start}The frozen graybox meets **all {len(ours)}** of them."
    named = "; ".join(
        f"{100 * row.error:.1f} % with {row.points} ({_short(row.dataset)}, {row.rows})"
        for row in over.itertuples()
    )
    met = len(ours) - len(over)
    return f"{start}The frozen graybox meets **{met} of {len(ours)}** and misses the rest: {named}."


def against_others(board: pd.DataFrame) -> str:
    """Return sentences: which learners are ahead of the graybox anywhere, and which models."""
    new = _new(board)
    keys = ["dataset", "rows", "points"]
    own = new[new["contestant"] == GRAYBOX].set_index(keys)["error"].rename("own")
    others = new[new["contestant"] != GRAYBOX].join(own, on=keys)
    ahead = others[others["error"] < others["own"]]
    rounds = len(own)
    learners = ahead[ahead["family"] == "ml"]
    if learners.empty:
        nearest = others[others["family"] == "ml"]
        ratio = (nearest["error"] / nearest["own"]).min()
        said = (
            f"**No learner alone is ahead of it** in any of {rounds} comparisons, from "
            f"{BUDGETS[0]} rows to {BUDGETS[-1]}; the nearest has {ratio:.1f} times its error."
        )
    else:
        named = "; ".join(
            f"{row.contestant} with {row.points} rows of {_short(row.dataset)}, {row.rows}: "
            f"{100 * row.error:.1f} against {100 * row.own:.1f} %"
            for row in learners.itertuples()
        )
        said = f"**Learners are ahead of it** here: {named}."
    models = ahead[ahead["family"] != "ml"].assign(gap=lambda x: 100 * (x["own"] - x["error"]))
    if models.empty:
        return f"{said} Nor is any other model."
    gaps = models.groupby("contestant")["gap"].agg(["size", "max"]).sort_values("size")[::-1]
    each = "; ".join(
        f"{name}, {int(count)} of {rounds} times and by at most {most:.1f} points"
        for name, count, most in gaps.itertuples()
    )
    return f"{said} Models without its choice of a learner are sometimes ahead: {each}."


def optimism(board: pd.DataFrame, told: Mapping[int, float]) -> str:
    """Return sentences: what the old sweep promised, and what came of it on each new one.

    Sweeps differ in noise, so that errors alone can't say how much testing on what one has chosen
    by flatters. The share of a learner's error that the graybox makes can. `told` is the error, a
    fraction, that an earlier leaderboard gives for fp64, by training rows.
    """
    part = board[(board["rows"] == "fp64") & board["points"].isin(list(told))]
    errors = part.pivot_table("error", ["dataset", "points"], "contestant")
    ours = {name: errors.loc[name, GRAYBOX].tolist() for name in (OLD, *SWEEPS)}
    ratio = np.log(errors[GRAYBOX] / errors[LEARNER]).groupby("dataset").mean()
    lead = np.exp(ratio)
    reached = " and ".join(f"{_percents(ours[name])} with {_short(name)}" for name in SWEEPS)
    shares = " and ".join(f"{lead[name]:.2f} with {_short(name)}" for name in SWEEPS)
    smaller = [name for name in SWEEPS if lead[name] > lead[OLD]]
    if not smaller:
        end = "Its lead over that **did not shrink**"
    elif len(smaller) < len(SWEEPS):
        end = f"Its lead over that is **smaller with {_short(smaller[0])}** only"
    else:
        end = "**Part of its lead** over that came from testing on what it was chosen by"
    return (
        f"With {'/'.join(map(str, told))} products in double precision, the graybox of the earlier "
        f"board was wrong by {_percents(list(told.values()))} on the sweep that it was chosen on, "
        f"the one that chooses by {_percents(ours[OLD])}. Frozen, it is wrong by {reached}. Sweeps "
        f"differ in noise, so hold it against the Gaussian process on logarithms. {end}: it made "
        f"{lead[OLD]:.2f} of that learner's error on the old sweep and makes {shares} (geometric "
        f"means)."
    )


def _new(board: pd.DataFrame) -> pd.DataFrame:
    return board[board["dataset"].isin(list(SWEEPS))]


def _percents(errors: list[float]) -> str:
    return "/".join(f"{100 * error:.1f}" for error in errors) + " %"


def _short(dataset: str) -> str:
    return "MKL" if "MKL" in dataset else "OpenBLAS"
