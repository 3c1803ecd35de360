"""Whitebox, regression, machine learning and graybox on one core's matrix products.

The data are the course's own (`product_sweep`). The structure of the six prices was designed on
its products in double precision, the chosen graybox (`graybox`) on all of them. Test rows were
visible both times. Sweeps recorded after both models were frozen are in `other_machines`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.ensemble import GradientBoostingRegressor, RandomForestRegressor
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR

from perfmodel.labs.prediction.three_ways import product_sweep
from perfmodel.labs.prediction.three_ways.graybox import (
    alignment,
    boosted_graybox,
    chosen_graybox,
)
from perfmodel.labs.prediction.three_ways.product_time import (
    SIZES_AND_WORD,
    FittedRoofline,
    flop,
    work,
    work_and_cache,
)
from perfmodel.prediction.arena.contest import Contestant
from perfmodel.prediction.arena.dataset import Dataset
from perfmodel.prediction.arena.estimators import Columns, LogFeatures, Priced
from perfmodel.prediction.arena.mixtures import Bounded, Residual, WithModel
from perfmodel.prediction.arena.splits import Split, larger_split, shuffle_split

if TYPE_CHECKING:
    import pandas as pd

SIZES = ("m", "n", "k")
BUDGETS = (10, 30, 100, 300, 600)
BEYOND_BUDGETS = (10, 30, 100, 300)
SMALL = 0.5
"""Fraction of the products that count as small when the large ones are to be predicted."""
BANDS = (
    ("1 to 4 x", 1.0, 4.0),
    ("4 to 16 x", 4.0, 16.0),
    ("16 to 64 x", 16.0, 64.0),
    ("above 64 x", 64.0, np.inf),
)


def dataset(
    precision: str | Sequence[str] = "fp64",
    frame: pd.DataFrame | None = None,
    name: str = "matrix products, CPU",
) -> Dataset:
    """Return measured matrix products as a data set of the arena.

    With both precisions a shape is in it once for each. `frame` is a sweep of your own, from
    `product_sweep.measure`; the recorded one has 800 products of each precision; seconds are those
    of the best run. Groups: `precision`, `shape`. The noise is the mean relative distance of the
    second best pass from the best pass.

    >>> runs = dataset()
    >>> len(runs), runs.unit, len(dataset(["fp32", "fp64"]))
    (800, 's', 1600)
    """
    import pandas as pd

    runs = product_sweep.recorded() if frame is None else frame
    chosen = [precision] if isinstance(precision, str) else list(precision)
    if not chosen or len(set(chosen)) < len(chosen):
        raise ValueError(f"precision must name different precisions, got {precision!r}")
    times = pd.concat([product_sweep.best(runs, kind) for kind in chosen], ignore_index=True)
    if not {"provenance", "library"} <= set(runs.attrs):
        raise ValueError("frame must carry provenance and library in its attrs, as measure gives")
    host = runs.attrs["provenance"]["host"]["processor"]
    library = runs.attrs["library"]
    return Dataset(
        name=f"{name}, {' and '.join(chosen)}",
        features=times[list(SIZES_AND_WORD)].astype(float),
        units={"m": "1", "n": "1", "k": "1", "word": "B"},
        target=times["seconds"].to_numpy(),
        quantity="time of a product, best of all passes",
        unit="s",
        provenance=f"measured for this course on one core of an {host}, "
        f"{library['name']} {library['version']} ({library['core_type']})",
        licence="BSD-3-Clause, as this project",
        groups={
            "precision": [f"fp{8 * word}" for word in times["word"]],
            "shape": [f"{m} x {n} x {k}" for m, n, k in times[["m", "n", "k"]].to_numpy()],
        },
        noise=float((times["second"] / times["seconds"] - 1).mean()),
    )


def six_prices() -> Priced:
    """Return the whitebox model of six counts and six prices."""
    return Priced(work)


def contestants() -> list[Contestant]:
    """Return the entries of the lab: two of each family at least.

    >>> sorted({entry.family for entry in contestants()})
    ['graybox', 'ml', 'regression', 'whitebox']
    """
    return [
        Contestant("roofline, 2 constants", "whitebox", FittedRoofline()),
        Contestant("six prices", "whitebox", six_prices()),
        Contestant("seven prices", "whitebox", Priced(work_and_cache)),
        Contestant(
            "straight line on logs", "regression", LogFeatures(LinearRegression(), SIZES_AND_WORD)
        ),
        Contestant(
            "support vectors, s/FLOP", "regression", LogFeatures(_svr(), SIZES_AND_WORD, flop)
        ),
        Contestant("boosting on seconds", "ml", Columns(boosting(), SIZES_AND_WORD)),
        Contestant("boosting, s/FLOP", "ml", LogFeatures(boosting(), SIZES_AND_WORD, flop)),
        Contestant("forest on logs", "ml", LogFeatures(_forest(), SIZES_AND_WORD)),
        Contestant("Gaussian process on logs", "ml", LogFeatures(gaussian(0.3), SIZES_AND_WORD)),
        Contestant(
            "Gaussian process, s/FLOP", "ml", LogFeatures(gaussian(0.1), SIZES_AND_WORD, flop)
        ),
        Contestant(
            "six prices as a feature",
            "graybox",
            WithModel(six_prices(), boosting(), SIZES_AND_WORD),
        ),
        Contestant("prices x learner, both chosen", "graybox", chosen_graybox()),
        Contestant("prices chosen x boosting", "graybox", boosted_graybox()),
        Contestant("six prices x boosting", "graybox", _mixture(boosting())),
        Contestant("six prices x Gaussian process", "graybox", _mixture(gaussian(0.02))),
        Contestant(
            "boosting, s/FLOP, no faster than the roofline",
            "graybox",
            Bounded(LogFeatures(boosting(), SIZES_AND_WORD, flop), FittedRoofline()),
        ),
    ]


def boosting() -> Any:
    """Return gradient boosting with settings for tens to hundreds of rows."""
    return GradientBoostingRegressor(
        n_estimators=200,
        max_depth=3,
        learning_rate=0.05,
        subsample=0.7,
        min_samples_leaf=3,
        random_state=0,
    )


def gaussian(variance: float) -> Any:
    """Return a Gaussian process on standardised inputs with a mean of 0 after centring.

    The search for the kernel's constants starts from `variance`.
    """
    kernel = ConstantKernel(variance, (1e-4, 1e2)) * Matern(2.0, (0.2, 50.0), nu=1.5)
    noise = WhiteKernel(0.003, (1e-5, 0.1))
    return make_pipeline(
        StandardScaler(), GaussianProcessRegressor(kernel + noise, normalize_y=True)
    )


def _svr() -> Any:
    return make_pipeline(StandardScaler(), SVR(C=10.0, epsilon=0.02))


def _forest() -> Any:
    return RandomForestRegressor(200, min_samples_leaf=2, random_state=0)


def _mixture(learner: Any) -> Residual:
    return Residual(six_prices(), learner, SIZES_AND_WORD, alignment)


Rounds = list[tuple[int, int, Split]]


def inside(data: Dataset, budgets: Iterable[int] = BUDGETS, seeds: Sequence[int] = ()) -> Rounds:
    """Return rounds that ask for more products of the sizes measured, by default twenty seeds."""
    return _rounds(lambda points, seed: shuffle_split(data, points, seed), budgets, seeds)


def beyond(
    data: Dataset, budgets: Iterable[int] = BEYOND_BUDGETS, seeds: Sequence[int] = ()
) -> Rounds:
    """Return rounds that learn from the smaller half of the products and ask for the larger.

    Test sets: `inside` (small), `beyond` (large), and the large ones by how many times the work of
    the largest that may be learned from they are: `BANDS`.
    """
    size = flop(data.features)
    factor = size / np.quantile(size, SMALL)
    bands = {name: np.flatnonzero((factor > low) & (factor <= high)) for name, low, high in BANDS}

    def split(points: int, seed: int) -> Split:
        drawn = larger_split(data, size, points, seed, SMALL)
        return Split(drawn.name, drawn.train, {**drawn.tests, **bands})

    return _rounds(split, budgets, seeds)


def _rounds(
    make: Callable[[int, int], Split], budgets: Iterable[int], seeds: Sequence[int]
) -> Rounds:
    return [(points, seed, make(points, seed)) for points in budgets for seed in seeds or range(20)]
