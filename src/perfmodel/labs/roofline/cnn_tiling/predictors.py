"""Predictors that rank tilings of a convolution: whitebox, regression, learned and graybox.

Each takes measured tilings to learn from and tilings to rank; `half_splits` and `transfer` judge it
on tilings that it has not learned from. The analytic score, the forest on tile sizes and the forest
on sizes and counts follow Xu et al., PACT 2022; the others are this course's.

>>> from perfmodel.labs.roofline.cnn_tiling.tilings import RES12
>>> case = timings(RES12)
>>> graybox(case, case).shape
(160,)

A predictor ranks choices; the few that it ranks best are tried, and the best of these is taken.
What counts is how much slower that one is than the best there is.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import spearmanr
from sklearn.ensemble import RandomForestRegressor

from perfmodel.labs.roofline.cnn_tiling.tilings import (
    V100,
    ConvLayer,
    Tilings,
    Timings,
    analytic_score,
    count,
    parallel_score,
    timings,
)
from perfmodel.validation import Floats, positive, sample, whole


def loss_of_performance(predicted: ArrayLike, measured: ArrayLike, tries: int) -> float:
    """Return how much slower than the best the best of the first `tries` choices is, as a share.

    The lowest scores `predicted` are tried, the earlier one first where two are equal; `measured`
    are times.

    >>> loss_of_performance([1, 2, 3], [3.0, 2.0, 2.5], tries=1)
    0.5
    """
    return float(loss_curve(predicted, measured)[: whole("tries", tries, low=1)][-1])


def loss_curve(predicted: ArrayLike, measured: ArrayLike) -> Floats:
    """Return the loss after one try, after two, and so on; it never rises.

    >>> print(loss_curve([1, 2, 3], [3.0, 2.0, 2.5]))
    [0.5 0.  0. ]
    """
    scores, times = (
        sample("predicted", predicted),
        positive("measured", sample("measured", measured)),
    )
    if scores.shape != times.shape:
        raise ValueError(f"predicted must have {times.size} values, got {scores.size}")
    tried = np.minimum.accumulate(times[np.argsort(scores, kind="stable")])
    return np.asarray(tried / times.min() - 1)


WARPS_TRIED = (1, 2, 4, 8, 16, 32, 64)
"""Values of the one constant of `calibrated`, warps on a multiprocessor."""

Predictor = Callable[[Timings, Timings], Floats]
"""From measured tilings to learn from and tilings to rank (whose times it must not look at) to a
score of each of the latter; lower is better."""


def analytic(train: Timings, test: Timings) -> Floats:
    """Rank by the paper's data movement score; learns nothing (whitebox)."""
    return analytic_score(count(test.layer, test.tilings), V100)


def calibrated(train: Timings, test: Timings) -> Floats:
    """Rank by the score with Little's law, its one constant chosen on `train` (whitebox)."""
    counts = count(train.layer, train.tilings)
    fits = {
        warps: spearmanr(parallel_score(counts, V100, warps), train.seconds).statistic
        for warps in WARPS_TRIED
    }
    best = max(fits, key=lambda warps: fits[warps])
    return parallel_score(count(test.layer, test.tilings), V100, best)


def regression(train: Timings, test: Timings) -> Floats:
    """Predict seconds by a power law in the tile sizes (regression)."""
    return _fitted(_sizes, train, test)


def forest(train: Timings, test: Timings) -> Floats:
    """Predict seconds by a random forest on the tile sizes (learned)."""
    return _grown(_sizes, train, test)


def graybox(train: Timings, test: Timings) -> Floats:
    """Predict seconds by least squares on the score, blocks, warps and registers (graybox)."""
    return _fitted(_counted, train, test)


def gray_forest(train: Timings, test: Timings) -> Floats:
    """Predict seconds by a random forest on tile sizes and counts (graybox, as in the paper)."""
    return _grown(lambda t: np.hstack([_sizes(t), _counted(t)]), train, test)


def _sizes(case: Timings) -> Floats:
    return np.column_stack([np.ones(len(case.tilings)), np.log(case.tilings.matrix)])


def _counted(case: Timings) -> Floats:
    counts = count(case.layer, case.tilings)
    blocks, registers = np.log(counts.blocks), np.log(counts.registers)
    score = np.log(analytic_score(counts, V100))
    warps = np.log(counts.warps_per_block)
    columns = [np.ones_like(score), score, blocks, warps, registers, blocks**2, registers**2]
    return np.column_stack(columns)


def _fitted(features: Callable[[Timings], Floats], train: Timings, test: Timings) -> Floats:
    weights = np.linalg.lstsq(features(train), np.log(train.seconds), rcond=None)[0]
    return np.exp(features(test) @ weights)


def _grown(features: Callable[[Timings], Floats], train: Timings, test: Timings) -> Floats:
    model = RandomForestRegressor(50, random_state=0).fit(features(train), np.log(train.seconds))
    return np.asarray(np.exp(model.predict(features(test))))


def half_splits(
    layer: ConvLayer, predictor: Predictor, tries: int = 5, splits: int = 20, seed: int = 0
) -> tuple[Floats, Floats]:
    """Train on a random half of a layer's tilings and judge on the other, several times.

    Returns the losses of performance against the best of the half judged on, and the mean absolute
    relative errors of the predicted seconds (of no meaning for a score), shape (splits,) each.

    >>> from perfmodel.labs.roofline.cnn_tiling.tilings import RES12
    >>> print(half_splits(RES12, graybox)[0].mean().round(3))
    0.187
    """
    case, rng = timings(layer), np.random.default_rng(seed)
    judged = np.empty((whole("splits", splits, low=1), 2))
    for row in judged:
        order = rng.permutation(len(case.tilings))
        train, test = (_part(case, half) for half in np.split(order, [len(order) // 2]))
        guess = predictor(train, test)
        row[0] = loss_of_performance(guess, test.seconds, tries)
        row[1] = np.abs(guess / test.seconds - 1).mean()
    return judged[:, 0], judged[:, 1]


def transfer(seen: ConvLayer, new: ConvLayer, predictor: Predictor) -> Floats:
    """Train on all tilings of one layer and return the loss curve on another.

    >>> from perfmodel.labs.roofline.cnn_tiling.tilings import RES12, YOLO18
    >>> print(transfer(RES12, YOLO18, calibrated)[[0, 9]].round(3))
    [0.247 0.009]
    """
    test = timings(new)
    return loss_curve(predictor(timings(seen), test), test.seconds)


def _part(case: Timings, rows: np.ndarray) -> Timings:
    return Timings(case.layer, Tilings(*case.tilings.matrix[rows].T), case.seconds[rows])
