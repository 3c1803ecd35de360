"""Any model of step times put onto a grid, so that the simulator of batching can use it."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.serving.batching.steps import StepTable
from perfmodel.serving.step_times.learned import StepModel
from perfmodel.validation import non_negative, positive, sample


def tabulated_steps(model: StepModel, tokens: ArrayLike, cached: ArrayLike) -> StepTable:
    """Return the seconds that a model gives at the points of a grid.

    Parameters
    ----------
    model : callable
        Takes sizes, shape (n, 2), the new tokens of an iteration and those read from the cache, and
        returns seconds, shape (n,): a `LearnedSteps` or a `MeasuredTable` by its `seconds`.
    tokens : array_like, shape (rows,)
        New tokens, rising from 1.
    cached : array_like, shape (columns,)
        Tokens read from the cache, rising from 0. The model is asked for one token where it is 0,
        since learned models see logarithms.

    Returns
    -------
    StepTable
        It is linear between the points: a model with steps of its own needs a fine grid.

    Raises
    ------
    ValueError
        If an axis doesn't rise from its start, or the model gives a time that is not above 0.

    Examples
    --------
    >>> table = tabulated_steps(lambda size: 0.01 + 1e-6 * size[:, 1], [1, 64], [0, 10_000])
    >>> print(table.seconds(sequences=8, cached=5000).round(4))
    0.015
    """
    rows, columns = sample("tokens", tokens), non_negative("cached", sample("cached", cached))
    new, read = np.meshgrid(rows, np.maximum(columns, 1.0), indexing="ij")
    seconds = positive("model", model(np.column_stack([new.ravel(), read.ravel()])))
    return StepTable(rows, columns, seconds.reshape(new.shape))
