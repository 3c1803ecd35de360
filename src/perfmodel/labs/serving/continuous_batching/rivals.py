"""The same measured iterations for a regression without a roofline and for a learned model."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from scipy.optimize import nnls

from perfmodel.labs.serving.continuous_batching.inputs import (
    CHUNK,
    CHUNKED_SECONDS,
    DECODE_SECONDS,
    FOUR_SECONDS,
    MIXED_SECONDS,
    PROMPT_SECONDS,
)
from perfmodel.labs.serving.continuous_batching.step_fit import yi_steps
from perfmodel.validation import Floats

MODELS = ("two pieces", "one line", "gradient boosting")


class Rival(NamedTuple):
    """Mean and largest error, as shares, of fifteen fitted and six unseen measurements."""

    model: str
    constants: str
    fitted: float
    unseen: float
    worst: float


def rivals() -> list[Rival]:
    """Return the errors of the whitebox, of a regression and of a learned model."""
    return [_rival(model) for model in MODELS]


@cache
def _rival(model: str) -> Rival:
    known, seconds = _known()
    fitted = _seconds(model, known) / seconds - 1
    unseen = []
    for rows, measured in _unseen():
        unseen.append(_seconds(model, rows).sum() / measured - 1)
    counts = {"two pieces": "4", "one line": "4", "gradient boosting": "100 trees"}
    off = np.abs(unseen)
    return Rival(
        model, counts[model], float(np.abs(fitted).mean()), float(off.mean()), float(off.max())
    )


def _seconds(model: str, rows: Floats) -> Floats:
    """Return seconds of iterations; columns: prompt tokens, sequences, cached, pairs."""
    if model == "two pieces":
        prompts, sequences, cached, pairs = rows.T
        return np.asarray(yi_steps().seconds(prompts, sequences, cached, pairs))
    known, seconds = _known()
    if model == "one line":
        design = np.column_stack([np.ones(len(known)), known[:, [0, 1, 3]]])
        constants = nnls(design / seconds[:, np.newaxis], np.ones(seconds.size))[0]
        return np.asarray(constants[0] + rows[:, [0, 1, 3]] @ constants[1:])
    from sklearn.ensemble import GradientBoostingRegressor

    learner = GradientBoostingRegressor(random_state=0)
    learner.fit(known[:, [0, 1, 3]], np.log(seconds))
    return np.asarray(np.exp(learner.predict(rows[:, [0, 1, 3]])))


def _known() -> tuple[Floats, Floats]:
    decoding = [(0, b, 0, 0) for b in DECODE_SECONDS]
    prompts = [(n, 1, 0, n * (n + 1) / 2) for n in PROMPT_SECONDS]
    seconds = np.array([*DECODE_SECONDS.values(), *PROMPT_SECONDS.values()])
    return np.array([*decoding, *prompts], dtype=np.float64), seconds


def _unseen() -> list[tuple[Floats, float]]:
    """Return the iterations of each measurement that was not fitted, and its seconds."""
    chunked = []
    for prompt, measured in CHUNKED_SECONDS.items():
        read = np.arange(0, prompt, CHUNK)
        share = np.minimum(CHUNK, prompt - read)
        last = read + share == prompt
        pairs = share * read + share * (share + 1) / 2
        chunked.append((np.column_stack([share, last, read, pairs]).astype(float), measured))
    mixed = np.array([[1021.0, 4.0, 0.0, 1021 * 1022 / 2]])
    return [*chunked, (mixed, MIXED_SECONDS), (np.array([[0.0, 4.0, 0.0, 0.0]]), FOUR_SECONDS)]
