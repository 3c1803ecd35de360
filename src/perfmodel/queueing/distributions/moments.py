"""Moments that floating point holds, and a refusal of others by name."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from math import inf
from typing import Any


def within_floats(moment: Callable[[Any, int], float]) -> Callable[[Any, int], float]:
    """Return the method `moment` of a positive time, refusing moments beyond floating point."""

    @wraps(moment)
    def checked(law: Any, order: int) -> float:
        try:
            value = moment(law, order)
        except OverflowError:
            value = inf
        if not 0 < value < inf:
            raise ValueError(
                f"mean must be nearer to 1 s for floating point to hold the moment of order "
                f"{order}, got {law!r}"
            )
        return value

    return checked
