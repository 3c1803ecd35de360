"""Step times learned from measured ones: a forest, alone or on what a model leaves.

A forest answers with means of its training times, so alone it never predicts a time longer than the
longest of them. On the residual of a model it corrects by a factor, and beyond its data it uses the
factor of the closest data.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.validation import Floats, positive, whole

StepModel = Callable[[Floats], ArrayLike]
"""Takes sizes, shape (n, d), and returns seconds, shape (n,)."""


@dataclass(frozen=True, eq=False)
class LearnedSteps:
    """What `learn_steps` returns."""

    forest: Any
    """Fitted, of ln(sizes) to ln(seconds) or to ln(seconds over the model's)."""
    model: StepModel | None
    """What the forest corrects; None where it stands alone."""

    def seconds(self, sizes: ArrayLike) -> Floats:
        """Return the seconds of steps of `sizes`, shape (n, d), above 0; shape (n,)."""
        rows = _matrix(sizes)
        factor = np.exp(self.forest.predict(np.log(rows)))
        return np.asarray(factor if self.model is None else factor * np.asarray(self.model(rows)))


def learn_steps(
    sizes: ArrayLike,
    seconds: ArrayLike,
    model: StepModel | None = None,
    *,
    trees: int = 100,
    leaf: int = 2,
    seed: int = 0,
) -> LearnedSteps:
    """Train a random forest on the logarithms of measured steps.

    `sizes`, shape (n, d): above 0. `seconds`, shape (n,): above 0. `model`: seconds of sizes by a
    model; the forest then learns the logarithm of the measured over it. `trees` and `leaf`: trees,
    and the fewest steps in a leaf, 1 or more each. `seed`: of the trees. Raises `ValueError` if a
    number isn't above 0 or lengths differ.

    >>> sizes = np.arange(1.0, 101.0)[:, None]
    >>> alone = learn_steps(sizes, 2e-6 * sizes[:, 0], trees=20)
    >>> both = learn_steps(sizes, 2e-6 * sizes[:, 0], lambda size: 1e-6 * size[:, 0], trees=20)
    >>> bool(alone.seconds([[400.0]])[0] < 2.1e-4), round(float(1e6 * both.seconds([[400.0]])[0]))
    (True, 800)
    """
    from sklearn.ensemble import RandomForestRegressor

    rows, times = _matrix(sizes), positive("seconds", seconds)
    if times.shape != (len(rows),):
        raise ValueError(f"seconds must be of shape {(len(rows),)}, got {times.shape}")
    modelled = 1.0 if model is None else positive("model", model(rows))
    forest = RandomForestRegressor(
        whole("trees", trees, 1), min_samples_leaf=whole("leaf", leaf, 1), random_state=seed
    )
    return LearnedSteps(forest.fit(np.log(rows), np.log(times / modelled)), model)


def _matrix(sizes: ArrayLike) -> Floats:
    rows = positive("sizes", sizes)
    if rows.ndim != 2 or rows.size == 0:
        raise ValueError(f"sizes must be of shape (n, d), got {rows.shape}")
    return rows
