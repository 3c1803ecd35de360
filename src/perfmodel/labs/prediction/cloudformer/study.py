"""CloudFormer: how much neighbours slow a virtual machine down, read off the host's counters.

It predicts the performance that a machine keeps beside others, as a share of that alone,
for applications that were not in its training. Its traces (18 GB) are not used here: predictors of
all families meet on surrogate hosts (`hosts`), by the paper's protocol.

Source: A. Shahbazinia, D. Huang, L. Costero and D. Atienza, "CloudFormer: An Attention-based
Performance Prediction for Public Clouds with Unknown Workload", arXiv 2509.03394v2, 2025.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import threadpoolctl
from sklearn.base import clone
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeRegressor

from perfmodel.labs.prediction.cloudformer.hosts import COLUMNS, dataset, hosts, splits
from perfmodel.labs.prediction.cloudformer.predictors import (
    InverseGamma,
    contention,
    ipc_against_alone,
    stretched,
    traffic,
)
from perfmodel.prediction.arena.contest import Contestant
from perfmodel.prediction.arena.estimators import Columns, Formula, Priced
from perfmodel.prediction.arena.mixtures import Corrected
from perfmodel.prediction.nets.learners import AttentionPool
from perfmodel.validation import Floats

if TYPE_CHECKING:
    import pandas as pd

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
    model = stretched(Priced(contention))
    return [
        Contestant("constant", "regression", DummyRegressor()),
        Contestant("linear", "regression", _counters(LinearRegression())),
        Contestant("gamma, inverse link", "regression", _counters(gamma)),
        Contestant("tree", "ml", _counters(tree)),
        Contestant("forest", "ml", _counters(forest)),
        Contestant("traffic only", "whitebox", stretched(Priced(traffic))),
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
