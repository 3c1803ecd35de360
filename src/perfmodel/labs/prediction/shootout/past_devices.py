"""A meta-learner of latencies: what models of nine past devices say of a network, and a new device.

HELP (Lee et al., NeurIPS 2021) learns from past devices how latencies depend on a network, and fits
itself to a new device with a few timings. Here each past device has a model of its own, which
learned from the pool's networks only; what these nine models predict for a network is what the new
device's learner sees. No tested network was timed on any past device.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, DotProduct, WhiteKernel
from sklearn.linear_model import Ridge
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from perfmodel.labs.prediction.help.few_shot import FBNET_KNOWN, coded
from perfmodel.prediction.architectures.device_latency import TRAINED, latencies, pool_rows
from perfmodel.prediction.arena.contest import Contestant
from perfmodel.prediction.arena.estimators import LogFeatures
from perfmodel.prediction.arena.mixtures import WithModel
from perfmodel.prediction.arena.tuning import Tuned
from perfmodel.validation import Floats

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd

PAST = {"nb201": tuple(TRAINED), "fbnet": tuple(FBNET_KNOWN)}
"""Devices whose timings of the pool are known, by space."""
FOLDS = 5
"""Parts of the pool: a network's prediction comes from models that did not learn from it."""


def past_columns(space: str) -> list[str]:
    """Return the names of the columns of `predicted_elsewhere`."""
    return [f"{device}, predicted" for device in PAST[space]]


def predicted_elsewhere(space: str) -> pd.DataFrame:
    """Return the seconds that a model of each of `PAST` predicts for a space's networks.

    Networks of the pool are predicted by models of the other four fifths of it, all others by
    models of the whole pool.

    >>> predicted_elsewhere("nb201").shape
    (4006, 9)
    """
    import pandas as pd

    return pd.DataFrame(_predicted(space).copy(), columns=past_columns(space))


@cache
def _predicted(space: str) -> Floats:
    seconds = np.log(latencies(space).seconds[list(PAST[space])].to_numpy())
    hot, pool, model = coded(space).to_numpy(dtype=float), pool_rows(space), _device_model(space)
    predicted = model.fit(hot[pool], seconds[pool]).predict(hot)
    folds = KFold(FOLDS, shuffle=True, random_state=0)
    predicted[pool] = cross_val_predict(model, hot[pool], seconds[pool], cv=folds)
    return np.asarray(np.exp(predicted))


def _device_model(space: str) -> Any:
    if space == "fbnet":
        return Ridge(1.0)
    # A cell is a graph: what an edge costs depends on others.
    return make_pipeline(PolynomialFeatures(2, interaction_only=True), Ridge(1.0))


def meta_learner(space: str, plain: Sequence[str]) -> Contestant:
    """Return the entry that learns a new device from past devices' predictions.

    One of the four settings also sees the columns `plain`, which say what a network is.
    """
    past = past_columns(space)
    settings = {
        "ridge 0.1": LogFeatures(_line(0.1), past),
        "ridge 10": LogFeatures(_line(10.0), past),
        "Gaussian process": LogFeatures(_gaussian(), past),
        "Gaussian process that sees the network": LogFeatures(_gaussian(), past, plain=plain),
    }
    return Contestant("learner of past devices", "ml", Tuned(settings))


def told_learner(space: str, plain: Sequence[str], whiteboxes: Mapping[str, Any]) -> Contestant:
    """Return the same learner, told also what a whitebox that is fitted to the device says.

    Each of two whiteboxes by name is told to two learners.
    """
    past = past_columns(space)
    settings: dict[str, Any] = {}
    for name, model in whiteboxes.items():
        settings[f"{name}, ridge 0.1"] = WithModel(model, _line(0.1), past)
        settings[f"{name}, Gaussian process"] = WithModel(model, _gaussian(), past, plain)
    return Contestant("learner of past devices, told the model", "graybox", Tuned(settings))


def _line(alpha: float) -> Any:
    return make_pipeline(StandardScaler(), Ridge(alpha))


def _gaussian() -> Any:
    kernel = ConstantKernel(1.0, (1e-4, 1e3)) * (DotProduct() + RBF(2.0, (0.1, 100.0)))
    noise = WhiteKernel(0.01, (1e-6, 1.0))
    return make_pipeline(
        StandardScaler(), GaussianProcessRegressor(kernel + noise, normalize_y=True)
    )
