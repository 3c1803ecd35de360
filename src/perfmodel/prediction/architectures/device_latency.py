"""Latencies of thousands of neural networks on 27 devices, as the authors of HELP published them.

All 15,625 networks of NAS-Bench-201 and 5,000 of FBNet; `help_networks` says what they are.

Source: H. Lee, S. Lee, S. Chong, S. J. Hwang, "HELP: Hardware-Adaptive Efficient Latency
Prediction for NAS via Meta-Learning", NeurIPS 2021, https://github.com/HayeonLee/HELP (see
`perfmodel.data`, data set help, MIT licence). Not all columns are timings: the module `help` shows
which can't be.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, RegressorMixin

from perfmodel import data
from perfmodel.prediction.architectures.search_space import (
    SPACES,
    Choices,
    Space,
    counts,
    flops,
    one_hot,
    space_of,
    used_counts,
)
from perfmodel.prediction.arena.contest import Contestant
from perfmodel.prediction.arena.dataset import Dataset, Rows
from perfmodel.prediction.arena.estimators import Bounded, Columns, Priced, Residual
from perfmodel.prediction.arena.splits import Split
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


@dataclass(frozen=True, eq=False)
class Latencies:
    """All networks of a space with their latencies."""

    space: Space
    choices: Choices
    seconds: pd.DataFrame
    """A row for each network, a column for each device."""


def latencies(space: str = "nb201", folder: str | Path | None = None) -> Latencies:
    """Return a space's networks and their latencies in seconds.

    Parameters
    ----------
    space : str
        `nb201` or `fbnet`.
    folder : path, optional
        Where the data set help lies; see `perfmodel.data.fetch`.

    Raises
    ------
    perfmodel.data.DataUnavailable
        If the file is not there; says how to get it.
    """
    chosen = space_of(space)
    return _read(chosen.name, data.fetch("help", chosen.file, folder))


@cache
def _read(name: str, path: Path) -> Latencies:
    import pandas as pd

    table = pd.read_csv(path, dtype={"ops": str})
    choices = np.array([list(text) for text in table["ops"]], dtype=np.intp)
    return Latencies(SPACES[name], choices, table.drop(columns=["arch_idx", "ops"]) * MILLI)


def at_hand() -> bool:
    """Return whether the data set is there; where it isn't, print what is missing."""
    try:
        for file in data.DATASETS["help"].files:
            data.fetch("help", file)
    except data.DataUnavailable as missing:
        print(missing)
        return False
    return True


def references(space: str = "nb201", folder: str | Path | None = None) -> Rows:
    """Return the rows of the ten networks that HELP measures on every new device."""
    path = data.fetch("help", "reference_arch_index.json", folder)
    name = {"nb201": "nasbench201", "fbnet": "fbnet"}[space_of(space).name]
    return np.array(json.loads(path.read_text("utf-8"))[name], dtype=np.intp)


def pool_rows(space: str = "nb201") -> Rows:
    """Return the rows that few measurements of a device are drawn from."""
    return np.arange(space_of(space).pool)


def query_rows(seconds: ArrayLike, space: str = "nb201") -> Rows:
    """Return the rows that predictors of a device are tested on.

    These are the 1,000 after the pool without the tenth that is fastest on the device and the
    tenth that is slowest; equal latencies keep their order.

    Parameters
    ----------
    seconds : array_like, shape (n,)
        Latencies of the device, all rows of the space up to the last that is tested or more.
    """
    chosen = space_of(space)
    found = sample("seconds", seconds, chosen.pool + chosen.tested)
    order = np.argsort(found[chosen.pool : chosen.pool + chosen.tested], kind="stable")
    tenth = chosen.tested // 10
    return np.asarray(chosen.pool + order[tenth:-tenth], dtype=np.intp)


def dataset(device: str, folder: str | Path | None = None) -> Dataset:
    """Return the nb201 networks of the published protocol on one device, rows 0 to 1,899.

    Parameters
    ----------
    device : str
        One of the 27; `UNSEEN` are those of the paper's tests.
    folder : path, optional

    Returns
    -------
    Dataset
        Features: the counts of four operations, the one-hot code of `one_hot`, and `flops`. The
        runs were not repeated, so there is no noise floor; phones report whole milliseconds.

    Raises
    ------
    perfmodel.data.DataUnavailable
        If the file is not there.
    """
    import pandas as pd

    table = latencies("nb201", folder)
    if device not in table.seconds.columns:
        raise ValueError(
            f"device must be one of {', '.join(table.seconds.columns)}, got {device!r}"
        )
    rows = table.space.pool + table.space.tested
    hot = one_hot(table.choices[:rows])
    numbers = {name: one for name, one in counts(hot).items() if name != "base"}
    features = pd.DataFrame(numbers).assign(flops=flops(hot)).join(hot)
    published = data.DATASETS["help"]
    return Dataset(
        name=f"HELP {device}",
        features=features,
        units={column: "FLOP" if column == "flops" else "1" for column in features.columns},
        target=table.seconds[device].to_numpy()[:rows],
        quantity="latency of a network",
        unit="s",
        provenance=f"{published.provenance}; device {device}, networks 0 to {rows - 1:,} of "
        "NAS-Bench-201",
        licence=published.licence,
    )


def few_shot(dataset: Dataset, budget: int, seed: int) -> Split:
    """Return a split by the published protocol: draw from the pool, be tested on the query rows.

    Parameters
    ----------
    dataset : Dataset
        From `dataset`.
    budget : int
        Networks measured on the device, 1 to 900.
    seed : int
    """
    pool = pool_rows()
    if whole("budget", budget, 1) > pool.size:
        raise ValueError(f"budget must be at most {pool.size}, got {budget}")
    train = np.random.default_rng(seed).permutation(pool)[:budget]
    return Split("few-shot", train, {"inside": query_rows(dataset.target)})


def contestants(trees: int = 50) -> list[Contestant]:
    """Return predictors of all families for `dataset`.

    Parameters
    ----------
    trees : int
        Of each forest.
    """
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
