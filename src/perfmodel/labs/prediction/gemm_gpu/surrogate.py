"""A surrogate for a sweep of matrix products on a GPU, and predictors that learn from it.

The runs come from a stated whitebox model of our own. They are no measurements.

The module has the time and energy of matrix products on a consumer GPU, and their tile traffic.

Facts from X. Liu and P. Halim, "GPPerf" (arXiv 2411.16954, 2024), and the timing and power files of
its repository https://github.com/pavlyhalim/GPPerf, commit d9ff663d (execution_times_all.csv,
power_usage_results_all.csv, README): an NVIDIA RTX 4070, products in single precision. The 16,128
profiled runs behind the paper's predictor are not public; `surrogate` makes as many from a stated
model of our own.

>>> round(tiled_traffic(16384, 16384, 16384, 16) / 1e12, 3)
2.2
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.compose import TransformedTargetRegressor
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import train_test_split

from perfmodel import machines
from perfmodel.prediction.arena import metrics
from perfmodel.validation import Floats, one_of, positive

if TYPE_CHECKING:
    import pandas as pd

WORD = 4
"""Bytes of an element in single precision."""


@dataclass(frozen=True)
class TiledRun:
    """A product of two square matrices by square tiles, as measured by the authors."""

    size: int
    tile: int
    seconds: float
    watts: float | None = None

    @property
    def rate(self) -> float:
        """FLOP/s."""
        return 2 * self.size**3 / self.seconds

    @property
    def traffic(self) -> float:
        """Bytes, by `tiled_traffic`."""
        return tiled_traffic(self.size, self.size, self.size, self.tile)

    @property
    def bandwidth(self) -> float:
        """Bytes/s that the tile traffic implies."""
        return self.traffic / self.seconds

    @property
    def energy(self) -> float:
        """Joules."""
        if self.watts is None:
            raise ValueError(f"watts must be known for the energy of {self}")
        return self.watts * self.seconds

    @property
    def efficiency(self) -> float:
        """FLOP per joule."""
        return 2 * self.size**3 / self.energy


def tiled_traffic(m: float, n: float, k: float, tile: float, word: int = WORD) -> float:
    """Return the bytes that a tiled product moves: word (2 m n k / tile + m n).

    Each element of A and of B is loaded once for every tile of C, `tile` rows and columns, that
    needs it. Twice the tile, half the traffic.
    """
    for name, value in (("m", m), ("n", n), ("k", k), ("tile", tile)):
        positive(name, value)
    return word * (2 * m * n * k / tile + m * n)


TILED = (
    TiledRun(16384, 1, 1222.268, 103.533),
    TiledRun(16384, 4, 31.2582, 140.328),
    TiledRun(16384, 8, 10.0476, 128.706),
    TiledRun(16384, 16, 5.16841, 111.934),
    TiledRun(16384, 32, 5.84853, 90.489),
)
"""The largest cube."""
SMALLER = (TiledRun(8192, 8, 1.50635), TiledRun(8192, 16, 0.651253), TiledRun(8192, 32, 0.730944))
SAMPLE = TiledRun(512, 16, 0.04352e-3, 70.17)
"""The README's example, 512 x 512 x 512; its tile is not stated and not used."""

RTX_4070 = machines.get("rtx-4070")
BLOCKS = ((16, 16), (32, 32), (64, 64), (128, 64), (64, 128), (128, 128), (256, 128))
GRID = ((512, 1024, 2048, 128256), (512, 1024, 2048), (512, 1024, 2048))
REPLICAS = 64
FEATURES = ("m", "n", "k", "bm", "bn", "bk", "flop", "bytes", "intensity", "compute_bound")


def surrogate(seed: int = 42) -> pd.DataFrame:
    """Return 16,128 runs of an imagined GPU: our stand-in for the authors' sweep.

    Columns: `FEATURES`, `seconds`, `watts` and `bound` (seconds of the roofline). A run takes the
    longer of its arithmetic, in rounds of tiles, and its traffic, and 8 microseconds, with 6 %
    noise.
    """
    import pandas as pd

    random = np.random.RandomState(seed)
    grid = list(product(*GRID, BLOCKS)) * REPLICAS
    m, n, k = np.array([case[:3] for case in grid], dtype=float).T
    bm, bn = np.array([case[3] for case in grid], dtype=float).T
    peak, bandwidth = RTX_4070.peak("fp32"), RTX_4070.memory_bandwidth
    flop, moved = 2 * m * n * k, WORD * (m * k + k * n + m * n)
    rounds = np.ceil(m / bm) * np.ceil(n / bn) / RTX_4070.compute_units
    share = np.minimum(0.85, 0.15 + 0.1067 * np.log2(bm * bn / 256))
    arithmetic = flop / (share * peak) * np.ceil(rounds) / rounds
    traffic = (m * n * k / bm + m * n * k / bn + m * n) / bandwidth
    longer = np.maximum(arithmetic, traffic)
    seconds = (longer + 8e-6) * np.exp(0.06 * random.standard_normal(m.size))
    busy = 110 * np.minimum(1, arithmetic / seconds) + 60 * np.minimum(1, traffic / seconds)
    columns = (m, n, k, bm, bn, np.full(m.size, 8.0), flop, moved, flop / moved, flop / moved > 59)
    frame = pd.DataFrame(dict(zip(FEATURES, columns, strict=True))).astype(float)
    return frame.assign(
        seconds=seconds,
        watts=(30 + busy) * np.exp(0.05 * random.standard_normal(m.size)),
        bound=np.maximum(flop / peak, moved / bandwidth),
    )


def _forest() -> Any:
    return RandomForestRegressor(100, max_depth=6, random_state=42, n_jobs=1)


def _on_logs(model: Any) -> Any:
    return TransformedTargetRegressor(model, func=np.log, inverse_func=np.exp)


MODELS: dict[str, Callable[[], Any]] = {
    "forest": _forest,
    "forest on log seconds": lambda: _on_logs(_forest()),
    "straight line": LinearRegression,
    "straight line on logs": lambda: _on_logs(LinearRegression()),
}
SPLITS = ("random", "m = 128256 held out")
TARGETS = ("seconds", "watts")
ROOFLINE = "roofline x constant"


@dataclass(frozen=True)
class Accuracy:
    """R2, mean and median absolute percentage error (shares) of test rows."""

    r2: float
    mape: float
    median: float


@cache
def accuracy(split: str, name: str, target: str = "seconds") -> Accuracy:
    """Return how well one predictor knows the surrogate's seconds or watts.

    The split is `random` (80/20, seed 42) or `m = 128256 held out`. The predictor is a key of
    `MODELS`, or for seconds `ROOFLINE`: the roofline times the median of measured over modelled.
    """
    names = (*MODELS, ROOFLINE) if target == "seconds" else tuple(MODELS)
    one_of("split", split, SPLITS)
    one_of("target", target, TARGETS)
    one_of("name", name, names)
    runs = surrogate()
    if split == "random":
        train, test = train_test_split(runs, test_size=0.2, random_state=42)
    else:
        held_out = runs["m"] == max(GRID[0])
        train, test = runs[~held_out], runs[held_out]
    if name == ROOFLINE:
        constant = float((train["seconds"] / train["bound"]).median())
        guess = constant * test["bound"].to_numpy()
    else:
        guess = _learned(name, train, test, target)
    pair = test[target].to_numpy(), guess
    return Accuracy(metrics.r2(*pair), metrics.mape(*pair), metrics.median_ape(*pair))


def _learned(name: str, train: pd.DataFrame, test: pd.DataFrame, target: str) -> Floats:
    both = [part[list(FEATURES)].to_numpy() for part in (train, test)]
    if name.endswith("line on logs"):
        # The flag is 0 or 1 and stays as it is.
        both = [np.column_stack([np.log(columns[:, :-1]), columns[:, -1]]) for columns in both]
    model = MODELS[name]().fit(both[0], train[target].to_numpy())
    return np.asarray(model.predict(both[1]))
