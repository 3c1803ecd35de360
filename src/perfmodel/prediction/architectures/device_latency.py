"""Latencies of thousands of neural networks on 27 devices, as the authors of HELP published them.

>>> table = latencies("nb201")
>>> table.choices.shape, float(table.on("fpga")[0])
((4006, 6), 0.00257296)

4,006 networks of NAS-Bench-201 and 5,000 of FBNet; `search_space` says what they are, `README.md`
where the tables come from and what was left out. Not all columns are timings: the lab on HELP shows
which can't be.

Source: H. Lee, S. Lee, S. Chong, S. J. Hwang, "HELP: Hardware-Adaptive Efficient Latency
Prediction for NAS via Meta-Learning", NeurIPS 2021, https://github.com/HayeonLee/HELP.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, RegressorMixin

from perfmodel.prediction.architectures.search_space import (
    SPACES,
    Choices,
    SearchSpace,
    counts,
    flops,
    one_hot,
    space_of,
    used_counts,
)
from perfmodel.prediction.arena.contest import Contestant
from perfmodel.prediction.arena.dataset import Dataset, Rows
from perfmodel.prediction.arena.estimators import Columns, Priced
from perfmodel.prediction.arena.mixtures import Bounded, Residual
from perfmodel.prediction.arena.splits import Split
from perfmodel.shipped_data import shipped_table
from perfmodel.validation import Floats, positive, sample, whole

if TYPE_CHECKING:
    import pandas as pd

MILLI = 1e-3
TRAINED = [
    "1080ti_1",
    "1080ti_32",
    "1080ti_256",
    "silver_4114",
    "silver_4210r",
    "samsung_a50",
    "pixel3",
    "essential_ph_1",
    "samsung_s7",
]
"""Devices that HELP is trained on for nb201; the suffix is the batch size."""
UNSEEN = ("titan_rtx_256", "gold_6226", "pixel2", "raspi4", "eyeriss", "fpga")
"""Devices of nb201 that it is tested on, in the order of the paper's Table 3."""


REFERENCES = {
    "nb201": (11982, 431, 55, 9, 14451, 8636, 9881, 13479, 6196, 1462),
    "fbnet": (3328, 3790, 3313, 890, 3052, 2538, 1640, 2514, 457, 2100),
}
"""Numbers of the ten networks that HELP times on every new device, its fingerprint."""


@dataclass(frozen=True, eq=False)
class Latencies:
    """Networks of a space with their latencies."""

    space: SearchSpace
    choices: Choices
    seconds: pd.DataFrame
    """A row for each network under its number in the source, a column for each device."""

    def on(self, device: str) -> Floats:
        """Return the latencies on one device in seconds, shape (n,)."""
        if device not in self.seconds.columns:
            raise ValueError(
                f"device must be one of {', '.join(self.seconds.columns)}, got {device!r}"
            )
        return np.asarray(self.seconds[device], dtype=float)


@cache
def latencies(space: str = "nb201") -> Latencies:
    """Return networks of a space and their latencies in seconds.

    `nb201` has the first 4,000 networks and those of `REFERENCES`, `fbnet` 5,000.
    """
    chosen = space_of(space)
    name = f"{chosen.name}_latency.csv"
    table = shipped_table(__package__, name, dtype={"ops": str}, index_col="arch_idx")
    choices = np.array([list(digits) for digits in table["ops"]], dtype=np.intp)
    return Latencies(chosen, choices, table.drop(columns="ops") * MILLI)


def references(space: str = "nb201") -> Rows:
    """Return the rows of `latencies` with the networks that HELP times on every new device."""
    numbers = latencies(space).seconds.index
    return np.asarray(numbers.get_indexer(REFERENCES[space]), dtype=np.intp)


def pool_rows(space: str = "nb201") -> Rows:
    """Return the rows of a space, `nb201` or `fbnet`, that few measurements are drawn from."""
    return np.arange(space_of(space).pool)


def query_rows(seconds: ArrayLike, space: str = "nb201") -> Rows:
    """Return the rows that predictors of a device are tested on, given its latencies of all rows.

    These are the 1,000 after the pool without the tenth that is fastest on the device and the tenth
    that is slowest; equal latencies keep their order.
    """
    chosen = space_of(space)
    all_rows = sample("seconds", seconds, chosen.pool + chosen.tested)
    order = np.argsort(all_rows[chosen.pool : chosen.pool + chosen.tested], kind="stable")
    tenth = chosen.tested // 10
    return np.asarray(chosen.pool + order[tenth:-tenth], dtype=np.intp)


def dataset(device: str) -> Dataset:
    """Return the nb201 networks of the published protocol on one of 27 devices, rows 0 to 1,899.

    Features are the counts of four operations, the one-hot code of `one_hot`, and `flops`. The runs
    were not repeated, so there is no noise floor; phones report whole milliseconds.
    """
    import pandas as pd

    table = latencies("nb201")
    rows = table.space.pool + table.space.tested
    hot = one_hot(table.choices[:rows])
    numbers = {name: count for name, count in counts(hot).items() if name != "base"}
    features = pd.DataFrame(numbers).assign(flops=flops(hot)).join(hot)
    return Dataset(
        name=f"HELP {device}",
        features=features,
        units={column: "FLOP" if column == "flops" else "1" for column in features.columns},
        target=table.on(device)[:rows],
        quantity="latency of a network",
        unit="s",
        provenance=f"latencies of network architectures, https://github.com/HayeonLee/HELP; "
        f"device {device}, networks 0 to {rows - 1:,} of NAS-Bench-201",
        licence="MIT",
    )


def few_shot(dataset: Dataset, budget: int, seed: int) -> Split:
    """Return a split by the published protocol: 1 to 900 of the pool, tested on the query rows."""
    pool = pool_rows()
    if whole("budget", budget, 1) > pool.size:
        raise ValueError(f"budget must be at most {pool.size}, got {budget}")
    train = np.random.default_rng(seed).permutation(pool)[:budget]
    return Split("few-shot", train, {"inside": query_rows(dataset.target)})


def contestants(trees: int = 50) -> list[Contestant]:
    """Return predictors of all families for `dataset`, with this many trees in each forest."""
    from sklearn.ensemble import RandomForestRegressor
    from sklearn.linear_model import Ridge

    hot = SPACES["nb201"].features
    forest = RandomForestRegressor(trees, random_state=0)
    counted = list(SPACES["nb201"].operations[1:])
    model = Bounded(Priced(counts), HalfTheFastest())
    return [
        Contestant("FLOPs x constant", "whitebox", Priced(_only_flops)),
        Contestant("operation counts", "whitebox", Priced(counts)),
        Contestant("used operations", "whitebox", Priced(used_counts)),
        Contestant("ridge on one-hot", "regression", Columns(Ridge(1.0), hot)),
        Contestant("forest", "ml", Columns(forest, hot + counted)),
        Contestant("counts x ridge", "graybox", Residual(model, Ridge(1.0), [], _hot)),
        Contestant("counts x forest", "graybox", Residual(model, forest, [], _hot)),
    ]


class HalfTheFastest(BaseEstimator, RegressorMixin):  # type: ignore[misc]
    """A bound that keeps a model above 0: half the smallest target that was measured."""

    def fit(self, X: pd.DataFrame, y: ArrayLike) -> Self:
        """Learn from positive targets, shape (n,)."""
        self.least_ = float(positive("y", y).min()) / 2
        return self

    def predict(self, X: pd.DataFrame) -> Floats:
        """Return the bound for every row, shape (n,)."""
        return np.full(len(X), self.least_)


def _only_flops(features: pd.DataFrame) -> Mapping[str, ArrayLike]:
    return {"flops": features["flops"].to_numpy()}


def _hot(features: pd.DataFrame) -> Floats:
    return np.asarray(features[SPACES["nb201"].features].to_numpy(dtype=float))
