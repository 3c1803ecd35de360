"""Predictors of hls4ml's resources, tested inside the table that they learn from and beyond it.

The rules and the measures are in `circuit`, the table in `synthesis`.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import threadpoolctl
from sklearn.compose import TransformedTargetRegressor
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, KFold, LeaveOneGroupOut, cross_val_predict
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from perfmodel.labs.prediction.wa_hls4ml import synthesis
from perfmodel.labs.prediction.wa_hls4ml.circuit import Score, dsp_slices, feasible, score
from perfmodel.labs.prediction.wa_hls4ml.synthesis import KNOBS, bit_counts
from perfmodel.prediction.arena.estimators import Columns, Formula, Priced
from perfmodel.prediction.arena.mixtures import Corrected
from perfmodel.validation import Floats, one_of

if TYPE_CHECKING:
    import pandas as pd

CUT = 16_384
"""Products up to which a layer counts as small."""


def _ruled_slices(features: pd.DataFrame) -> Floats:
    return dsp_slices(*(features[name].to_numpy(dtype=float) for name in KNOBS))


def _knobs_and_counts(features: pd.DataFrame) -> Floats:
    return np.column_stack([features[KNOBS], *bit_counts(features).values()])


def predictors(target: str, trees: int = 100, seed: int = 0) -> dict[str, Any]:
    """Return predictors of `FF`, `LUT`, `BRAM` or `DSP` by name, of all families.

    The graybox is built in two ways from the counts of bits: as further inputs of the forest, and
    as a linear model whose error the forest learns.
    """
    woods = synthesis.forest(trees).set_params(random_state=seed)
    net = MLPRegressor(
        hidden_layer_sizes=(32, 32), solver="lbfgs", alpha=1e-2, max_iter=200, random_state=seed
    )
    logs = make_pipeline(FunctionTransformer(np.log), StandardScaler(), net)
    counted = partial(synthesis.circuit_counts, target=target)
    return {
        "forest": Columns(woods, KNOBS),
        "MLP on logs": Columns(
            TransformedTargetRegressor(logs, func=np.log1p, inverse_func=np.expm1), KNOBS
        ),
        "counts as inputs": make_pipeline(FunctionTransformer(_knobs_and_counts), woods),
        "linear in counts": synthesis.least_squares(bit_counts),
        "linear + forest": Corrected(synthesis.least_squares(bit_counts), Columns(woods, KNOBS)),
        "circuit": Formula(_ruled_slices) if target == "DSP" else Priced(counted),
    }


def beyond(
    designs: pd.DataFrame,
    target: str,
    names: Sequence[str] = (),
    trees: int = 100,
    seed: int = 0,
) -> dict[str, Score]:
    """Learn from designs of `CUT` products at most; return scores on larger ones by predictor."""
    small = designs["n"] <= CUT
    train, test = designs[small], designs[~small]
    guesses = _predicted(train, test, target, names, trees, seed)
    return {name: score(test[target], guess) for name, guess in guesses.items()}


def _predicted(
    train: pd.DataFrame,
    test: pd.DataFrame,
    target: str,
    names: Sequence[str],
    trees: int,
    seed: int,
) -> dict[str, Floats]:
    entered = predictors(target, trees, seed)
    # Threads on a few hundred rows cost more than they bring; a net that stops early is scored.
    with threadpoolctl.threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return {
            name: entered[name].fit(train, train[target]).predict(test) for name in names or entered
        }


def ratios(
    designs: pd.DataFrame,
    target: str,
    names: Sequence[str],
    cut: float = CUT,
    trees: int = 40,
    seed: int = 0,
) -> pd.DataFrame:
    """Return how far off some `predictors` are for layers of each size.

    Half of the designs with at most `cut` products are learned from, drawn by the seed; the other
    half and all larger designs are predicted. A row for each number of products, a column for each
    name: the median of predicted over reported.
    """
    import pandas as pd

    small = np.flatnonzero(designs["n"] <= cut)
    train = np.random.default_rng(seed).permutation(small)[: small.size // 2]
    test = designs.drop(index=designs.index[train])
    guesses = _predicted(designs.iloc[train], test, target, names, trees, seed)
    return (pd.DataFrame(guesses, test.index).div(test[target], axis=0)).groupby(test["n"]).median()


def cross_validated(
    designs: pd.DataFrame, target: str, by: str = "design", trees: int = 100, seed: int = 0
) -> Score:
    """Return the score of the forest on folds that it did not learn from, five or one a precision.

    A fold holds out a `design`, a `layer` in all its precisions and reuse factors, or a
    `precision`.
    """
    groups = {
        "design": None,
        "layer": designs["d_in"] * 1000 + designs["d_out"],
        "precision": designs["prec"],
    }
    one_of("by", by, groups)
    ways = {
        "design": KFold(5, shuffle=True, random_state=seed),
        "layer": GroupKFold(5, shuffle=True, random_state=seed),
        "precision": LeaveOneGroupOut(),
    }
    forest = Columns(synthesis.forest(trees), KNOBS)
    guess = cross_val_predict(forest, designs, designs[target], cv=ways[by], groups=groups[by])
    return score(designs[target], guess)


def success_rates(attempts: pd.DataFrame, seed: int = 0) -> dict[str, float]:
    """Return the fraction of attempts whose outcome is predicted, in five folds.

    By the more frequent outcome, by logistic regression, by a forest, and by the rule.
    """
    seen = np.column_stack(
        [np.log(attempts[["n", "rf", "prec"]]), attempts["strategy"] == "resource"]
    )
    outcome = attempts["success"].to_numpy()
    folds = KFold(5, shuffle=True, random_state=seed)
    logistic = make_pipeline(StandardScaler(), LogisticRegression())
    woods = RandomForestClassifier(40, random_state=seed)
    return {
        "always the same": float(max(outcome.mean(), 1 - outcome.mean())),
        "logistic regression": float(
            (cross_val_predict(logistic, seen, outcome, cv=folds) == outcome).mean()
        ),
        "forest": float((cross_val_predict(woods, seen, outcome, cv=folds) == outcome).mean()),
        "rule": float((feasible(attempts) == outcome).mean()),
    }
