"""A language model of counts, small enough to be trained in a tenth of a second at many sizes.

The probability of the next character is that of the characters that followed the same few before,
mixed with the same of one character less (Witten and Bell's weights). Its text is Python's own
standard library, which is on every reader's machine.

Source: S. F. Chen, J. Goodman, "An empirical study of smoothing techniques for language modeling",
Computer Speech and Language 13 (4), 1999, section 2.5.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from perfmodel.validation import Floats, whole

LETTERS = 128
ORDER = 5
"""Characters looked back on."""
SIZES = 4 ** np.arange(5, 11)
"""Characters of the six trainings: 1 thousand to 1 million."""
_TEST = 40_000

Codes = NDArray[np.int64]


@cache
def library_text() -> Codes:
    """Return the characters of Python's standard library, shuffled by modules, as numbers."""
    files = sorted(Path(os.__file__).parent.glob("*.py"))
    indices = np.random.default_rng(0).permutation(len(files))
    text = b"".join(files[index].read_bytes() for index in indices)
    codes = np.frombuffer(text, dtype=np.uint8).astype(np.int64)
    return codes[codes < LETTERS]


def cross_entropy(training: ArrayLike, test: ArrayLike, order: int = ORDER) -> float:
    """Return the mean surprise of a test text, in nats a character, after a training text.

    Characters are numbers from 0 to 127, of which `order` (0 to 8) are looked back on.

    >>> print(round(cross_entropy([1, 2] * 50, [1, 2] * 50, order=1), 2))
    0.01
    """
    back = whole("order", order)
    seen, asked = (np.asarray(text, dtype=np.int64) for text in (training, test))
    probability = np.full(asked.size - back, 1 / LETTERS)
    for length in range(back + 1):
        windows = _windows(asked, length + 1)[back - length :]
        probability = _mixed(_windows(seen, length + 1), windows, probability)
    return float(-np.log(probability).mean())


def training_losses(seed: int, runs: int = 4) -> Floats:
    """Return losses of trainings on random pieces of the library, shape (runs, 6 sizes).

    The test text is its last 40,000 characters, the same for all; sizes are those of `SIZES`.
    """
    text = library_text()
    test, pool = text[-_TEST:], text[:-_TEST]
    rng = np.random.default_rng(whole("seed", seed))
    starts = rng.integers(0, pool.size - SIZES, size=(whole("runs", runs, 1), SIZES.size))
    ends = [(at, at + size) for row in starts for at, size in zip(row, SIZES, strict=True)]
    losses = [cross_entropy(pool[start:end], test) for start, end in ends]
    return np.reshape(losses, (-1, SIZES.size))


def _windows(text: Codes, length: int) -> Codes:
    """Return each run of `length` characters as one number, its last character the lowest digit."""
    result = np.zeros(text.size - length + 1, dtype=np.int64)
    for index in range(length):
        result = result * LETTERS + text[index : text.size - length + 1 + index]
    return result


def _mixed(seen: Codes, asked: Codes, shorter: Floats) -> Floats:
    """Mix the shares of what followed a context with what a shorter context says."""
    grams, counts = np.unique(seen, return_counts=True)
    contexts, first = np.unique(grams // LETTERS, return_index=True)
    totals = np.add.reduceat(counts, first)
    kinds = np.diff(np.append(first, grams.size))
    of_gram = _looked_up(grams, counts, asked)
    context = asked // LETTERS
    total, kind = (_looked_up(contexts, values, context) for values in (totals, kinds))
    known = total > 0
    mixed = (of_gram + kind * shorter) / np.where(known, total + kind, 1)
    return np.where(known, mixed, shorter)


def _looked_up(keys: Codes, values: Codes, asked: Codes) -> Codes:
    indices = np.minimum(np.searchsorted(keys, asked), keys.size - 1)
    return np.where(keys[indices] == asked, values[indices], 0)
