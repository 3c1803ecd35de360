"""CloudFormer: the slowdown of a virtual machine by its neighbours, from the host's counters.

It predicts the performance that a machine keeps with neighbours, as a fraction of its performance
alone, for applications that were not in its training. Its traces (18 GB) are not used here.
Predictors of all families are compared on surrogate hosts (`hosts`), by the paper's protocol.

Source: A. Shahbazinia, D. Huang, L. Costero and D. Atienza, "CloudFormer: An Attention-based
Performance Prediction for Public Clouds with Unknown Workload", arXiv 2509.03394v2, 2025.

The predictors are the paper's baselines and models of contention.

The module also has the paper's errors (Tables IV and V) and the size of its encoder.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import statsmodels.api as sm
import threadpoolctl
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.compose import TransformedTargetRegressor
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeRegressor

from perfmodel.labs.prediction.cloudformer.hosts import (
    BANDWIDTH,
    COLUMNS,
    MACHINES,
    cache_share,
    dataset,
    hosts,
    splits,
)
from perfmodel.prediction.arena.contest import Contestant
from perfmodel.prediction.arena.estimators import Columns, Formula, Priced
from perfmodel.prediction.arena.mixtures import Corrected
from perfmodel.prediction.nets.learners import AttentionPool
from perfmodel.validation import Floats, positive

if TYPE_CHECKING:
    import pandas as pd

ERRORS = {
    "linear regression": (5465.67, 49.09),
    "gamma, inverse power link": (1.05e10, 477.12),
    "decision tree": (419.67, 15.03),
    "random forest": (205.67, 10.78),
    "LSTM": (427.67, 15.42),
    "CloudFormer": (142.67, 7.80),
    "temporal branch only": (156.33, 8.47),
    "system branch only": (171.33, 8.65),
}
"""Mean squared and mean absolute error in points on unseen applications, Tables IV and V."""


def error_reduction(before: str, after: str) -> float:
    """Return the fraction of the mean absolute error of one of `ERRORS` that another saves.

    >>> round(error_reduction("random forest", "CloudFormer"), 4)
    0.2764
    """
    return 1 - ERRORS[after][1] / ERRORS[before][1]


def encoder_parameters(inputs: int, width: int, blocks: int, expansion: int = 4) -> int:
    """Return the parameters of an encoder: embedding, class token, blocks; no head.

    Vectors of length `inputs` come in and have length `width` inside. A block has attention (four
    square layers), two norms and two layers with `expansion` times `width` between them.

    >>> encoder_parameters(206, 64, 2) - encoder_parameters(206, 64, 1)
    49984
    """
    wide = expansion * width
    block = 4 * (width**2 + width) + 2 * 2 * width + width * wide + wide + wide * width + width
    return inputs * width + width + width + blocks * block


class InverseGamma(BaseEstimator, RegressorMixin):  # type: ignore[misc]
    """Generalised linear regression with gamma errors: 1 / mean is linear in the features.

    Where that line comes near 0, the answer has no bound; where it is below, no meaning.
    """

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Learn from features, shape (n, p), and positive targets, shape (n,)."""
        family = sm.families.Gamma(sm.families.links.InversePower())
        with warnings.catch_warnings():
            # It warns that this link can leave the gamma law's range: that is what is shown here.
            warnings.simplefilter("ignore")
            fitted = sm.GLM(positive("y", y), sm.add_constant(np.asarray(X)), family=family).fit()
        self.line_ = fitted.params
        return self

    def predict(self, X: ArrayLike) -> Floats:
        """Return predictions, shape (n,)."""
        return np.asarray(1 / (sm.add_constant(np.asarray(X), has_constant="add") @ self.line_))


def from_slowdown(model: Any) -> TransformedTargetRegressor:
    """Return a predictor of percent of the speed alone from a model of 100 / target."""
    return TransformedTargetRegressor(model, func=_inverted, inverse_func=_inverted)


def _inverted(percent: Floats) -> Floats:
    return 100 / percent


def ipc_against_alone(features: pd.DataFrame) -> Floats:
    """Return 100 times instructions per cycle now over those alone: one more measurement."""
    return np.asarray(100 * features["own ipc"] / features["alone"])


def traffic(features: pd.DataFrame) -> dict[str, Floats]:
    """Return 1 and the traffic of all machines over what the socket's memory serves."""
    asked = features["own traffic"] + (MACHINES - 1) * features["beside traffic"]
    return {"alone": np.ones(len(features)), "traffic": asked.to_numpy() / BANDWIDTH}


def contention(features: pd.DataFrame) -> dict[str, Floats]:
    """Return the counts of `traffic`, and the fraction of a machine's working set that is lost."""
    working_set = (features["own occupancy"] / features["own load"]).to_numpy()
    cache = cache_share(features["beside load"].to_numpy())
    return {**traffic(features), "lost cache": np.maximum(0, 1 - cache / working_set)}


DRAWS = 12
"""Draws of eleven applications, each with its own seven to learn from."""
SAMPLES = 1650
"""Windows of a draw."""
UNSEEN, MIXED = "unseen applications", "random rows"
"""The two splits of a draw."""


def contestants(trees: int = 50) -> list[Contestant]:
    """Return the paper's baselines that need no net, and predictors that know contention.

    >>> [entry.name for entry in contestants()][:3]
    ['constant', 'linear', 'gamma, inverse link']
    """
    forest = RandomForestRegressor(trees, max_features=1 / 3, random_state=0)
    tree = DecisionTreeRegressor(random_state=0)
    gamma = make_pipeline(StandardScaler(), InverseGamma())
    model = from_slowdown(Priced(contention))
    return [
        Contestant("constant", "regression", DummyRegressor()),
        Contestant("linear", "regression", _counters(LinearRegression())),
        Contestant("gamma, inverse link", "regression", _counters(gamma)),
        Contestant("tree", "ml", _counters(tree)),
        Contestant("forest", "ml", _counters(forest)),
        Contestant("traffic only", "whitebox", from_slowdown(Priced(traffic))),
        Contestant("traffic and lost cache", "whitebox", model),
        Contestant("model and forest", "graybox", Corrected(model, _counters(forest))),
        Contestant("ipc over ipc alone", "whitebox", Formula(ipc_against_alone)),
    ]


def _counters(learner: Any) -> Columns:
    return Columns(learner, COLUMNS)


def attention() -> Contestant:
    """Return a small net in the manner of the paper's temporal branch; it needs JAX."""
    net = AttentionPool(ordered=True, bounds=(0.0, 101.0), epochs=40)
    return Contestant("attention over seconds", "ml", net)


def study(
    entries: Sequence[Contestant],
    seeds: Sequence[int] = range(DRAWS),
    samples: int = SAMPLES,
    windows: bool = False,
) -> pd.DataFrame:
    """Score predictors on surrogate hosts, each seed with applications of its own.

    Each seed draws eleven applications, `samples` windows, and seven applications to learn from;
    with `windows` the predictors see every second of a window, else its mean. A row for each
    predictor, seed and split: `dataset`, `contestant`, `family`, `split`, `points`, `seed`, `mae`
    and `mse` in points of percent, `fit_seconds`.
    """
    import pandas as pd

    rows = []
    for seed in seeds:
        drawn = hosts(samples, seed=seed)
        data = dataset(drawn)
        seen = drawn.counters if windows else drawn.means.assign(alone=drawn.alone)
        for split in splits(data, seed, budget=samples * 6 // 11):
            split.check(data)
            (test,) = split.tests.values()
            for entry in entries:
                about = {"contestant": entry.name, "family": entry.family, "split": split.name}
                score = _score(entry, seen, data.target, split.train, test)
                rows.append({"dataset": data.name, **about, "seed": seed, **score})
    return pd.DataFrame(rows)


def _score(entry: Contestant, seen: Any, target: Floats, train: Any, test: Any) -> dict[str, float]:
    first, second = (
        seen[rows] if isinstance(seen, np.ndarray) else seen.iloc[rows] for rows in (train, test)
    )
    with threadpoolctl.threadpool_limits(1):
        start = time.process_time()
        model = clone(entry.estimator).fit(first, target[train])
        spent = time.process_time() - start
    error = np.asarray(model.predict(second)) - target[test]
    return {
        "points": len(train),
        "mae": float(np.abs(error).mean()),
        "mse": float((error**2).mean()),
        "fit_seconds": spent,
    }
