"""Learning curves: where a net ends, from a quarter of its epochs and from nets that ended."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from perfmodel.forecasting import LearningCurves, published_curves
from perfmodel.labs.prediction.shootout.challenges.rounds import SEEDS, at_random, larger
from perfmodel.labs.prediction.shootout.curve_laws import CommonPower, CurveLaw
from perfmodel.prediction.arena.challenge import Challenge
from perfmodel.prediction.arena.dataset import Dataset

SEEN = 0.25
"""Share of the epochs that is seen."""
LOOKS = 5
"""Of the epochs seen, those whose results are columns."""
BUDGETS = (10, 30, 100)
LICENCE = "MIT"
WRITTEN = (
    "Laws of the literature, put through each curve's own first values, or with one exponent "
    "fitted to the training rows. Written before their errors on these curves were known, and not "
    "changed; that such laws forecast badly here was known from the page on forecasting."
)


def looks(epochs: int) -> list[int]:
    """Return the epochs whose results are seen, the first and the last among them.

    >>> looks(20), looks(60)
    ([1, 2, 3, 4, 5], [1, 4, 8, 12, 15])
    """
    return [round(epoch) for epoch in np.linspace(1, round(SEEN * epochs), LOOKS).tolist()]


def dataset(
    name: str, curves: LearningCurves, settings: Sequence[str], group: str, quantity: str
) -> Dataset:
    """Return a set of curves as a data set whose target is the last value.

    Fractions of images named correctly become fractions of errors; perplexities stay. The
    `settings` are columns above 0 that are features beside the values seen; `group` is the setting
    by which nets are in one group.
    """
    results = 1 - curves.results if curves.rising else curves.results
    seen = {f"after epoch {epoch}": results[:, epoch - 1] for epoch in looks(results.shape[1])}
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
    at = looks(epochs)
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
