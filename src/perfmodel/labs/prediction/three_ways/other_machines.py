"""Matrix products of another machine and two libraries, recorded after the models were frozen.

The six prices, the graybox that chooses (`graybox`) and the learners' columns were designed on
`product_sweep.recorded`: one machine, OpenBLAS called by NumPy. They were committed first. Only
then these sweeps were recorded, with `record_library`, on another kind of processor. `scores` has
the errors of the frozen models and of outside learners.

One of the graybox's 480 rounds ended in an error of the frozen files: a modelled time of 0, with
ten rows. It was played again after the repair (`graybox.CorrectedPrices`). No other round changed.

``python benchmarks/frozen_products.py --keep`` computes the stored scores again.

>>> sorted(SWEEPS)
['matrix products, MKL, another machine', 'matrix products, OpenBLAS, another machine']

>>> board = scores()
>>> sorted(set(board["rows"])), bool((board["error"] > 0).all())
(['both', 'fp32', 'fp64'], True)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

import numpy as np

from perfmodel.labs.prediction.three_ways import contestants, graybox
from perfmodel.labs.prediction.three_ways.product_time import SIZES_AND_WORD, by_precision, work
from perfmodel.measurement.cpu import blas
from perfmodel.measurement.provenance import recorded_origin, recorded_table
from perfmodel.prediction.arena.dataset import Dataset
from perfmodel.prediction.arena.estimators import Priced
from perfmodel.prediction.arena.splits import Split
from perfmodel.validation import one_of

if TYPE_CHECKING:
    import pandas as pd

MKL = "matrix products, MKL, another machine"
OPENBLAS = "matrix products, OpenBLAS, another machine"
SWEEPS = {MKL: "gemm_mkl_other", OPENBLAS: "gemm_openblas_other"}
"""Name of the data set, and of its files in this folder."""
PRECISIONS = ("fp64", "fp32")
WHITEBOXES = {"six prices": Priced(work), "six prices each": Priced(by_precision)}
"""The models of whole products, with prices that the precisions share or each has for itself."""
LOGGED = SIZES_AND_WORD
"""Columns that learners see as logarithms."""
PLAIN = ("empty", "aliased")
"""Columns that learners see as they are: `graybox.alignment`."""
BUDGETS = (10, 30, 100, 600)
BARS = {30: 0.12, 100: 0.09, 600: 0.06}
"""Error that the graybox was to stay within, by training rows; set before anything was recorded."""
TESTED = 200
"""Test rows of a round."""


def recorded(name: str = MKL) -> pd.DataFrame:
    """Return one of `SWEEPS` as it was recorded, every pass a row."""
    one_of("name", name, SWEEPS)
    return _recorded(SWEEPS[name]).copy()


@cache
def _recorded(file: str) -> Any:
    with resources.as_file(resources.files(__package__) / f"{file}.csv") as path:
        return blas.load(path)


def dataset(name: str = MKL, precision: str | Sequence[str] = PRECISIONS) -> Dataset:
    """Return one of `SWEEPS` as a data set of the arena, named as the sweep if of both precisions.

    As from `contestants.dataset`, with the groups `precision` and `shape`; two more features,
    `PLAIN`, say how rows lie in vectors and in the cache.

    >>> runs = dataset(MKL)
    >>> runs.name, len(runs), list(runs.features)
    ('matrix products, MKL, another machine', 1600, ['m', 'n', 'k', 'word', 'empty', 'aliased'])
    """
    runs = contestants.dataset(precision, recorded(name), name)
    rows = graybox.alignment(runs.features)
    features = runs.features.assign(**dict(zip(PLAIN, rows.T, strict=True)))
    both = not isinstance(precision, str) and set(precision) == set(PRECISIONS)
    return replace(
        runs,
        name=name if both else runs.name,
        features=features,
        units={**runs.units, **dict.fromkeys(PLAIN, "1")},
    )


def new_shapes(
    data: Dataset, budgets: Iterable[int] = BUDGETS, seeds: Iterable[int] = range(20)
) -> contestants.Rounds:
    """Return rounds whose test rows are of shapes that no training row has in any precision.

    Budgets of a seed share their test rows, 200 at most.
    """
    return [(points, seed, _split(data, points, seed)) for points in budgets for seed in seeds]


def _split(data: Dataset, points: int, seed: int) -> Split:
    of, random = data.group("shape"), np.random.default_rng(seed)
    shapes = random.permutation(np.unique(of))
    rows_each = len(of) // len(shapes)
    tested = np.isin(of, shapes[: TESTED // rows_each])
    order = random.permutation(np.flatnonzero(~tested))
    if not 0 < points <= order.size:
        raise ValueError(f"budgets must be from 1 to {order.size} rows here, got {points}")
    return Split("new shapes", order[:points], {"inside": np.flatnonzero(tested)})


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
    """Say at how many of its bars the graybox is, and which of them it misses by most."""
    graybox = _new(board).query("contestant == @GRAYBOX")
    graybox = graybox[graybox["points"].isin(list(BARS))]
    excess = graybox["error"] - graybox["points"].map(BARS)
    asked = ", ".join(f"{100 * bar:.0f} % with {points}" for points, bar in BARS.items())
    end = f"Each bar is a largest error, set before anything was recorded: {asked} training rows."
    met = int((excess <= 0).sum())
    if met == len(graybox):
        return f"**The frozen graybox ({GRAYBOX}) meets all {met} bars.** {end}"
    worst = graybox.loc[excess.idxmax()]
    return (
        f"**The frozen graybox ({GRAYBOX}) meets {met} of {len(graybox)} bars.** It misses one by "
        f"most with {worst['points']} rows ({_short(worst['dataset'])}, {worst['rows']}): its "
        f"error is {100 * worst['error']:.1f} %. {end}"
    )


def against_others(board: pd.DataFrame) -> str:
    """Say how often a learner, and a model that chooses no learner, is ahead of the graybox."""
    new = _new(board)
    keys = ["dataset", "rows", "points"]
    own = new[new["contestant"] == GRAYBOX].set_index(keys)["error"].rename("own")
    others = new[new["contestant"] != GRAYBOX].join(own, on=keys)
    ahead = others[others["error"] < others["own"]]
    is_learner = ahead["family"] == "ml"
    if not is_learner.any():
        learners = others[others["family"] == "ml"]
        ratio = (learners["error"] / learners["own"]).min()
        said = (
            f"**No learner alone is ahead of it** in any of {len(own)} comparisons. The best "
            f"learner has {ratio:.1f} times its error."
        )
    else:
        said = f"**A learner is ahead of it** in {_lead(ahead[is_learner], len(own))}."
    if is_learner.all():
        return f"{said} No other model is ahead of it either."
    return f"{said} Another model, no learner, is ahead in {_lead(ahead[~is_learner])}."


def _lead(ahead: pd.DataFrame, comparisons: int | None = None) -> str:
    """Return in how many comparisons some row is ahead, and by how much at most."""
    count = len(ahead.groupby(["dataset", "rows", "points"]))
    most = 100 * (ahead["own"] - ahead["error"]).max()
    return f"{count}{f' of {comparisons}' if comparisons else ''} comparisons, by at most " + (
        f"{most:.1f} percentage points"
    )


def optimism(board: pd.DataFrame, past: Mapping[int, float]) -> str:
    """Say whether the graybox's lead over a learner shrank on the sweeps it wasn't chosen on.

    Sweeps differ in noise, so their errors can't be compared directly. The ratio of the graybox's
    error to a learner's error on the same sweep can. `past` is the error, a fraction, that an
    earlier leaderboard gives for fp64, by training rows.
    """
    part = board[(board["rows"] == "fp64") & board["points"].isin(list(past))]
    errors = part.pivot_table("error", ["dataset", "points"], "contestant")
    own = {name: errors.loc[name, GRAYBOX].tolist() for name in (OLD, *SWEEPS)}
    ratio = np.log(errors[GRAYBOX] / errors[LEARNER]).groupby("dataset").mean()
    lead = np.exp(ratio)
    smaller = [name for name in SWEEPS if lead[name] > lead[OLD]]
    if not smaller:
        start = "**Its lead over a learner did not shrink.**"
    elif len(smaller) < len(SWEEPS):
        start = f"**Its lead over a learner shrank with {_short(smaller[0])} only.**"
    else:
        start = "**Part of its lead over a learner came from testing on its own data.**"
    ratios = " and ".join(f"{lead[name]:.2f} with {_short(name)}" for name in SWEEPS)
    reached = " and ".join(f"{_percents(own[name])} with {_short(name)}" for name in SWEEPS)
    return (
        f"{start} On the old sweep its error is {lead[OLD]:.2f} times the error of the Gaussian "
        f"process on logarithms. On the new sweeps the ratio is {ratios} (geometric means). We "
        f"compare ratios because the sweeps differ in noise.\n\nThe errors with "
        f"{'/'.join(map(str, past))} products in double precision: {_percents(own[OLD])} on the "
        f"old sweep, and {reached}. The graybox of an earlier leaderboard had "
        f"{_percents(list(past.values()))} on the old sweep."
    )


def _new(board: pd.DataFrame) -> pd.DataFrame:
    return board[board["dataset"].isin(list(SWEEPS))]


def _percents(errors: list[float]) -> str:
    return "/".join(f"{100 * error:.1f}" for error in errors) + " %"


def _short(dataset: str) -> str:
    return "MKL" if "MKL" in dataset else "OpenBLAS"
