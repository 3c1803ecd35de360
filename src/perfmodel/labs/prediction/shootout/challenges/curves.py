"""Learning curves: where a net ends, from a quarter of its epochs and from nets that ended.

Laws of learning curves, each put through a curve's own first values: whiteboxes of its end.

A rate of errors or a perplexity falls towards a floor, as a power of the epochs or exponentially.
Each law has a floor, a height and one number of shape; the shape is searched on a grid, the other
two follow by least squares and are 0 or more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, RegressorMixin

from perfmodel.forecasting import LearningCurves, published_curves
from perfmodel.labs.prediction.shootout.challenges.rounds import SEEDS, at_random, larger
from perfmodel.prediction.arena.challenge import Challenge
from perfmodel.prediction.arena.dataset import Dataset
from perfmodel.validation import Floats, one_of, positive

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

LAWS = ("power", "exponential")
SHAPES = {"power": np.geomspace(0.05, 3, 30), "exponential": np.geomspace(0.01, 1, 30)}
"""Exponents; shares of the remaining height that an epoch takes away."""


@dataclass(eq=False, repr=False)
class CurveLaw(BaseEstimator, RegressorMixin):  # type: ignore[misc]
    """Where a falling curve ends by a law with a floor, from its own first values alone.

    The law is `power` or `exponential`. The columns hold the values seen at `epochs` (from 1), two
    or more; `end` is the epoch asked for.

    >>> import pandas as pd
    >>> seen = pd.DataFrame({"first": [1.25], "second": [0.75], "fourth": [0.5]})
    >>> law = CurveLaw(["first", "second", "fourth"], [1, 2, 4], 8).fit(seen, [0.375])
    >>> bool(abs(law.predict(seen)[0] - 0.375) < 0.01)
    True
    """

    columns: Sequence[str]
    epochs: Sequence[int]
    end: int
    law: str = "power"

    def fit(self, X: pd.DataFrame, y: ArrayLike) -> Self:
        """Learn nothing from other curves."""
        one_of("law", self.law, LAWS)
        self.fitted_ = True
        return self

    def predict(self, X: pd.DataFrame) -> Floats:
        """Return the results at the end, shape (n,), above 0."""
        seen = positive("curves", X[list(self.columns)].to_numpy(dtype=float))
        epochs = np.asarray(self.epochs, dtype=float)
        best, ends = np.full(len(seen), np.inf), np.zeros(len(seen))
        for shape in SHAPES[self.law]:
            basis, last = self._height(epochs, shape), self._height(float(self.end), shape)
            floor, height = _line(basis, seen)
            error = ((floor[:, None] + height[:, None] * basis - seen) ** 2).sum(axis=1)
            ends = np.where(error < best, floor + height * last, ends)
            best = np.minimum(error, best)
        # A curve that falls to nothing by the law still has an end above 0.
        return np.maximum(ends, seen[:, -1] / 100)

    def _height(self, epochs: ArrayLike, shape: float) -> Floats:
        at = np.asarray(epochs, dtype=float)
        return at**-shape if self.law == "power" else np.exp(-shape * (at - 1))


def _line(basis: Floats, seen: Floats) -> tuple[Floats, Floats]:
    """Return floor and height of 0 or more by least squares for each curve, both of shape (n,)."""
    away = basis - basis.mean()
    height = np.maximum(seen @ away / (away @ away), 0.0)
    floor = seen.mean(axis=1) - height * basis.mean()
    through_zero = np.maximum(seen @ basis / (basis @ basis), 0.0)
    return np.maximum(floor, 0.0), np.where(floor < 0, through_zero, height)


@dataclass(eq=False, repr=False)
class CommonPower(BaseEstimator, RegressorMixin):  # type: ignore[misc]
    """A curve falls from its last value seen as a power of the epochs that all curves share.

    The column `last` was seen at `epoch`; `end` is asked for.
    """

    last: str
    epoch: int
    end: int

    def fit(self, X: pd.DataFrame, y: ArrayLike) -> Self:
        """Learn the exponent: the median over curves whose ends are known, shape (n,)."""
        fallen = np.log(positive("y", y) / positive("last", X[self.last].to_numpy(dtype=float)))
        self.exponent_ = float(np.median(fallen)) / np.log(self.end / self.epoch)
        return self

    def predict(self, X: pd.DataFrame) -> Floats:
        """Return the results at the end, shape (n,), above 0."""
        factor = (self.end / self.epoch) ** self.exponent_
        return np.asarray(X[self.last].to_numpy(dtype=float) * factor)


SEEN = 0.25
"""Share of the epochs that is seen."""
LOOKS = 5
"""Of the epochs seen, those whose results are columns."""
BUDGETS = (10, 30, 100)
LICENCE = "MIT"
WRITTEN = (
    "Laws of the literature, put through each curve's own first values, or with one exponent "
    "fitted to the training rows. Written before their errors on these curves were known, and not "
    "changed; the page on forecasting had already shown that such laws forecast badly here."
)


def observed_epochs(epochs: int) -> list[int]:
    """Return the epochs whose results are seen, the first and the last among them.

    >>> observed_epochs(20), observed_epochs(60)
    ([1, 2, 3, 4, 5], [1, 4, 8, 12, 15])
    """
    return [round(epoch) for epoch in np.linspace(1, round(SEEN * epochs), LOOKS).tolist()]


def dataset(
    name: str, curves: LearningCurves, settings: Sequence[str], group: str, quantity: str
) -> Dataset:
    """Return a set of curves as a data set whose target is the last value.

    Fractions of images named correctly become fractions of errors; perplexities stay. The
    `settings` are columns above 0 that are features besides the known values; `group` is the
    setting by which nets are in one group.
    """
    results = 1 - curves.results if curves.rising else curves.results
    seen = {
        f"after epoch {epoch}": results[:, epoch - 1] for epoch in observed_epochs(results.shape[1])
    }
    features = curves.settings[list(settings)].astype(float).assign(**seen)
    return Dataset(
        name=name,
        features=features,
        units=dict.fromkeys(features.columns, "1"),
        target=results[:, -1],
        quantity=quantity,
        unit="1",
        provenance="learning curves of Baker, Gupta, Raskar and Naik (2017), "
        f"https://github.com/MITAutoML/accelerating_nas, set {curves.name}",
        licence=LICENCE,
        groups={group: curves.settings[group].tolist()},
    )


def _challenge(
    data: Dataset, epochs: int, size: Sequence[float], seeds: Sequence[int]
) -> Challenge:
    at = observed_epochs(epochs)
    seen = [f"after epoch {epoch}" for epoch in at]
    return Challenge(
        data,
        at_random(data, BUDGETS, seeds) + larger(data, size, (30,), seeds),
        logged=list(data.features.columns),
        whiteboxes={
            "power of all curves, 1 exponent": CommonPower(seen[-1], at[-1], epochs),
            "power law with a floor": CurveLaw(seen, at, epochs),
        },
        written=WRITTEN,
    )


def image_nets(seeds: Sequence[int] = SEEDS) -> Challenge:
    """Return errors of convolutional nets on CIFAR-10: at random, and the larger half."""
    curves = published_curves("metaqnn_cifar10")
    data = dataset(
        "learning curves, CIFAR-10",
        curves,
        ("num_params", "depth", "lr"),
        "depth",
        "share of images named wrongly after the last epoch",
    )
    size = curves.settings["num_params"].to_numpy(dtype=float)
    return _challenge(data, curves.results.shape[1], size, seeds)


def language_models(seeds: Sequence[int] = SEEDS) -> Challenge:
    """Return perplexities of recurrent nets: at random, and the wider half of the nets."""
    curves = published_curves("lstm_ptb")
    data = dataset(
        "learning curves, Penn Treebank",
        curves,
        ("n_layer", "n_inputs"),
        "n_layer",
        "perplexity after the last epoch",
    )
    size = curves.settings["n_inputs"].to_numpy(dtype=float)
    return _challenge(data, curves.results.shape[1], size, seeds)
