"""Matrix products of another machine and two libraries, recorded after the models were frozen.

The six prices, the graybox that chooses (`graybox`) and what learners see were settled on
`product_sweep.recorded`: one machine, OpenBLAS called by NumPy. Then they were committed, and only
then were these sweeps recorded, with `record_library`, on a processor of another kind. The scores
of the frozen files are in `frozen_board`.

>>> sorted(SWEEPS)
['matrix products, MKL, another machine', 'matrix products, OpenBLAS, another machine']
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

import numpy as np

from perfmodel.labs.prediction.three_ways import contestants, graybox
from perfmodel.labs.prediction.three_ways.product_time import SIZES_AND_WORD, by_precision, work
from perfmodel.measurement.cpu import blas
from perfmodel.prediction.arena.dataset import Dataset
from perfmodel.prediction.arena.estimators import Priced
from perfmodel.prediction.arena.splits import Split

if TYPE_CHECKING:
    import pandas as pd

MKL = "matrix products, MKL, another machine"
OPENBLAS = "matrix products, OpenBLAS, another machine"
SWEEPS = {MKL: "gemm_mkl_other", OPENBLAS: "gemm_openblas_other"}
"""Name of the data set, and of the files beside this one."""
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
    if name not in SWEEPS:
        raise ValueError(f"name must be one of {', '.join(sorted(SWEEPS))}, got {name!r}")
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
    each = len(of) // len(shapes)
    tested = np.isin(of, shapes[: TESTED // each])
    order = random.permutation(np.flatnonzero(~tested))
    if not 0 < points <= order.size:
        raise ValueError(f"budgets must be from 1 to {order.size} rows here, got {points}")
    return Split("new shapes", order[:points], {"inside": np.flatnonzero(tested)})
