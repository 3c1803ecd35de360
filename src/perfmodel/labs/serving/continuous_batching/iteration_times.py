"""Four constants that say how long an iteration takes, fitted to fifteen measured ones.

An iteration reads the weights once and handles its sequences, or it computes for all its tokens,
whichever takes longer. Prompts are fitted from 128 to 16,384 tokens and batches that decode from 1
to 128 sequences; prompts in chunks, and iterations that hold both, are predicted. A regression
without a roofline and a learned model get the same iterations.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from scipy.optimize import least_squares, nnls

from perfmodel.labs.serving.continuous_batching.inputs import (
    CHUNK,
    CHUNKED_SECONDS,
    DECODE_SECONDS,
    FOUR_SECONDS,
    MIXED_SECONDS,
    PROMPT_SECONDS,
)
from perfmodel.serving import StepPieces
from perfmodel.validation import Floats, whole

_START = (0.05, 1e-3, 2e-4, 1e-9)


@cache
def yi_steps() -> StepPieces:
    """Return the iterations of Yi-34B on two A100, in two pieces.

    Weights and sequences: a fixed time and a time a sequence. Computing: a time for each new token,
    of prompts or of answers, and for each pair of prompt attention. The constants are those whose
    logarithms of seconds are nearest to the measured ones.

    >>> steps = yi_steps()
    >>> print(f"{1e3 * steps.fixed[0]:.0f} ms, {1e6 * steps.prompt_token[1]:.0f} us a token")
    48 ms, 188 us a token
    """
    new, sequences, pairs, measured = _table()

    def misfit(logarithms: Floats) -> Floats:
        steps = _pieces(np.exp(logarithms))
        return np.log(steps.seconds(new, sequences, 0.0, pairs) / measured)

    return _pieces(np.exp(least_squares(misfit, np.log(_START)).x))


def fit_errors() -> Floats:
    """Return by how much the fitted times are off, as shares: decoding first, then prompts."""
    new, sequences, pairs, measured = _table()
    return np.asarray(yi_steps().seconds(new, sequences, 0.0, pairs) / measured - 1)


def chunked_seconds(steps: StepPieces, prompt: int, chunk: int) -> float:
    """Return the seconds to read one prompt in chunks (both in tokens), with nothing beside it.

    >>> chunked_seconds(StepPieces(1.0, 0.1, 0.0, 0.0), 25, 10)
    5.5
    """
    tokens, size = whole("prompt", prompt, low=1), whole("chunk", chunk, low=1)
    read = np.arange(0, tokens, size)
    share = np.minimum(size, tokens - read)
    last = (read + share == tokens).astype(np.float64)
    pairs = share * read + share * (share + 1) / 2
    return float(steps.seconds(share, last, read, pairs).sum())


def _pieces(constants: Floats) -> StepPieces:
    fixed, sequence, token, pair = (float(value) for value in constants)
    return StepPieces(
        fixed=[fixed, 0.0],
        prompt_token=[0.0, token],
        sequence=[sequence, token],
        cache_token=0.0,
        prompt_pair=[0.0, pair],
    )


def _table() -> tuple[Floats, Floats, Floats, Floats]:
    """Return new prompt tokens, sequences, pairs and seconds of the fitted iterations."""
    decoding, prompts = np.array(list(DECODE_SECONDS)), np.array(list(PROMPT_SECONDS))
    new = np.append(np.zeros(decoding.size), prompts)
    sequences = np.append(decoding, np.ones(prompts.size))
    measured = np.array([*DECODE_SECONDS.values(), *PROMPT_SECONDS.values()])
    return new, sequences, new * (new + 1) / 2, measured


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
