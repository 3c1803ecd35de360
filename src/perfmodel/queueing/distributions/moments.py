"""Moments within the range of floating point; others are refused by name."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from math import inf
from typing import Any

import numpy as np


def within_floats(moment: Callable[[Any, int], float]) -> Callable[[Any, int], float]:
    """Return the method `moment` of a positive time, refusing moments beyond floating point."""

    @wraps(moment)
    def checked(law: Any, order: int) -> float:
        try:
            with np.errstate(over="ignore", under="ignore", invalid="ignore"):
                value = moment(law, order)
        except OverflowError:
            value = inf
        if not sys.float_info.min <= value < inf:
            raise ValueError(
                f"mean must be closer to 1 s for floating point to hold the moment of order "
                f"{order}, got {law!r:.200}"
            )
        return value

    return checked
