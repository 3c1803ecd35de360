"""Inputs drawn for one student: the same every time for the same words, different for others."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

DIGITS = 4
"""Significant digits of a drawn parameter, so that the number shown is the number used."""


def generator(*words: str) -> np.random.Generator:
    """Return the random generator that belongs to `words` (topic, question, student, secret).

    >>> bool(generator("scaling", "q1").random() == generator("scaling", "q1").random())
    True
    >>> bool(generator("scaling", "q1").random() == generator("scaling", "q2").random())
    False
    """
    digest = hashlib.sha256("\0".join(words).encode("utf-8", "surrogatepass")).digest()
    return np.random.default_rng(int.from_bytes(digest, "big"))


def shown(value: Any) -> Any:
    """Return a drawn value as plain Python data, floats rounded to four significant digits.

    >>> shown({"fraction": np.float64(0.123456), "processors": np.int64(8)})
    {'fraction': 0.1235, 'processors': 8}
    """
    if isinstance(value, dict):
        return {str(key): shown(part) for key, part in value.items()}
    if isinstance(value, np.ndarray):
        return np.array(shown(value.tolist()))
    if isinstance(value, list | tuple):
        return [shown(part) for part in value]
    if isinstance(value, float | np.floating):
        return float(f"{value:.{DIGITS}g}")
    return value.item() if isinstance(value, np.generic) else value
