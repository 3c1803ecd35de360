"""Labels per decade of work: the transform that AIO-P applies to scores before it learns them.

Large networks score higher, and a predictor that doesn't know the size can't know it. If scores
grow with log10 of the operations, dividing by it makes scores of small and large networks similar.
If they don't grow like this, the division adds a trend that was not there.

>>> round(float(by_work(0.76, 1e9 - 1)), 6)
0.076

Source: the published code of K. G. Mills, D. Niu, M. Salameh, et al., "AIO-P: Expanding Neural
Performance Predictors Beyond Image Classification", AAAI 2023, arXiv:2211.17228.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.validation import Floats, finite, non_negative, positive, sample, whole, within


def by_work(score: ArrayLike, work: ArrayLike) -> Floats:
    """Return scores per decade of work, in FLOP: y / (log10(FLOPs + 1) + 1)."""
    return np.asarray(finite("score", score) / _decades(work))


def standardised(score: ArrayLike, work: ArrayLike, mean: float, deviation: float) -> Floats:
    """Return labels as the predictor learns them: `by_work`, less its mean, over its deviation.

    >>> round(float(standardised(0.70, 6e8, 0.070, 0.004)), 3)
    0.397
    """
    known = finite("mean", mean)
    return np.asarray((by_work(score, work) - known) / positive("deviation", deviation))


def restored(label: ArrayLike, work: ArrayLike, mean: float, deviation: float) -> Floats:
    """Return the scores that `standardised` made labels of.

    >>> round(float(restored(-0.5, 1e9 - 1, 0.070, 0.004)), 6)
    0.68
    """
    spread = positive("deviation", deviation)
    return np.asarray((spread * finite("label", label) + finite("mean", mean)) * _decades(work))


def _decades(work: ArrayLike) -> Floats:
    return np.asarray(np.log10(non_negative("work", work) + 1) + 1)


def residuals(score: ArrayLike, work: ArrayLike, features: ArrayLike) -> tuple[Floats, Floats]:
    """Return what a linear predictor leaves of plain scores, and what it leaves by work.

    Predicted less true scores of 3 networks or more, both of shape (n,) and in units of the score:
    learned without the transform, and learned with it and restored. The features, shape (n, p),
    hold no work.
    """
    y, known = sample("score", score, 3), finite("features", features)
    if known.ndim != 2 or len(known) != y.size:
        raise ValueError(f"features must have shape ({y.size}, p), got {known.shape}")
    table = np.column_stack([np.ones(y.size), known])
    scale = np.broadcast_to(_decades(work), y.shape)

    def fit(labels: Floats) -> Floats:
        return np.asarray(table @ np.linalg.lstsq(table, labels, rcond=None)[0])

    return fit(y) - y, fit(y / scale) * scale - y


def relative_residuals(
    score: ArrayLike, work: ArrayLike, features: ArrayLike
) -> tuple[float, float]:
    """Return the root mean squares of `residuals` over the standard deviation of the scores."""
    spread = float(np.std(finite("score", score)))
    plain, by = (float(np.sqrt(np.mean(r**2))) for r in residuals(score, work, features))
    return plain / spread, by / spread


def synthetic_networks(
    grows: float, networks: int = 400, seed: int = 0
) -> tuple[Floats, Floats, Floats]:
    """Return scores, work and features of networks that do not exist, to test the transform on.

    `grows` from 0 to 1 is how far the score follows the work: at 1 the score is a linear function
    of the features times log10(FLOPs + 1) + 1, at 0 the function times the mean of that, 9. Work is
    1e6 to 1e10 FLOP; the three features, shape (n, 3), don't depend on it. Noise is 1 % of the mean
    score.
    """
    rng = np.random.default_rng(seed)
    features = rng.uniform(-1, 1, (whole("networks", networks, 10), 3))
    work = 10 ** rng.uniform(6, 10, networks)
    linear = 0.07 + features @ [0.006, 0.004, 0.002]
    share = float(within("grows", grows, 0, 1))
    scale = share * _decades(work) + (1 - share) * 9.0
    score = linear * scale * (1 + rng.normal(0, 0.01, networks))
    return score, work, features
