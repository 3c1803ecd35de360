"""Families of runs that the contest forecasts: learning curves, and losses of many models.

>>> sorted(FAMILIES)[:3]
['Chinchilla', 'Gadre', 'LSTM, Penn Treebank']
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from perfmodel.forecasting.laws import RISING_POWER_LAW, SATURATING_POWER_LAW, Law
from perfmodel.forecasting.learning_curves.curves import published_curves
from perfmodel.labs.forecasting.chinchilla import runs
from perfmodel.labs.forecasting.contest import digit_runs
from perfmodel.labs.forecasting.contest.model_contestants import Models
from perfmodel.validation import Floats

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class CurveFamily:
    """Learning curves of nets of one kind, with what was set for each."""

    name: str
    curves: Floats
    """Result after each epoch, shape (n, epochs)."""
    settings: Floats
    """What was set, as logarithms where it spans a decade; shape (n, p)."""
    law: Law
    """Of one variable, the epoch."""
    most: float
    """Largest result that is possible; the smallest is 0."""
    unit: str


@dataclass(frozen=True, eq=False)
class ModelFamily:
    """Models of many sizes, trained to their end on one text or several."""

    name: str
    texts: tuple[Models, ...]
    """Those trained on each text, which has a law of its own."""
    unit: str


def published(title: str, name: str) -> CurveFamily:
    """Return a published set of learning curves; perplexities become losses, their logarithms."""
    result = published_curves(name)
    results = result.results if result.rising else np.log(result.results)
    return _family(title, result.settings, results, result.rising)


def own_nets() -> CurveFamily:
    """Return the small nets of `digit_runs`."""
    nets = digit_runs.recorded_runs()
    settings = nets[list(digit_runs.SETTINGS)]
    results = nets.drop(columns=list(digit_runs.SETTINGS)).to_numpy(dtype=float)
    return _family("own nets, digits", settings, results, True)


def _family(title: str, settings: pd.DataFrame, results: Floats, rising: bool) -> CurveFamily:
    numbers = settings.select_dtypes("number")
    return CurveFamily(
        title,
        results,
        np.column_stack([_spread(numbers[column]) for column in numbers]),
        RISING_POWER_LAW if rising else SATURATING_POWER_LAW,
        1.0 if rising else np.inf,
        "share of images" if rising else "nats a word",
    )


def _spread(setting: pd.Series[float]) -> Floats:
    values: Floats = setting.to_numpy(dtype=float)
    return np.log(values) if 0 < 10 * values.min() <= values.max() else values


def chinchilla() -> ModelFamily:
    """Return the 240 models of Figure 4 of Hoffmann et al. (2022), as digitised."""
    return ModelFamily("Chinchilla", (Models(*runs.figure_runs()),), "nats a token")


def gadre() -> ModelFamily:
    """Return the 104 models of Gadre et al. (2024), on three texts."""
    texts = tuple(Models(*runs.gadre_runs(name)) for name in runs.TRAIN_SETS)
    return ModelFamily("Gadre", texts, "nats a token")


_PUBLISHED = {
    "MetaQNN, CIFAR-10": "metaqnn_cifar10",
    "MetaQNN, SVHN": "metaqnn_svhn",
    "ResNets, CIFAR-10": "deep_resnets_cifar10",
    "ResNets, TinyImageNet": "deep_resnets_tinyimagenet",
    "LSTM, Penn Treebank": "lstm_ptb",
}
TRAINED = {
    "MetaQNN, CIFAR-10": ("convolutional nets, small pictures", "NAS curve"),
    "MetaQNN, SVHN": ("convolutional nets, house numbers", "NAS curve"),
    "ResNets, CIFAR-10": ("deep residual nets, small pictures", "NAS curve"),
    "ResNets, TinyImageNet": ("deep residual nets, small ImageNet pictures", "NAS curve"),
    "LSTM, Penn Treebank": ("recurrent nets, the next word of a text", "NAS curve"),
    "own nets, digits": ("perceptrons of ours, handwritten digits", "none"),
    "Chinchilla": ("language models", "Chinchilla"),
    "Gadre": ("language models on three texts", "Chinchilla"),
}
"""What the runs of each family are, and the lab in which they are met."""
FAMILIES: dict[str, Callable[[], CurveFamily | ModelFamily]] = {
    **{title: partial(published, title, name) for title, name in _PUBLISHED.items()},
    "own nets, digits": own_nets,
    "Chinchilla": chinchilla,
    "Gadre": gadre,
}
