"""Where a profile ends: how far a parameter can be held from its estimate while the fit stays good.

A profile that never rises says that the data don't determine the parameter: its end is infinite.

Source: D. M. Bates, D. G. Watts, "Nonlinear regression analysis and its applications", Wiley 1988,
chapter 6 (profile t).
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import TypeVar

import numpy as np

_STEPS = 24
_REFINED = 4
State = TypeVar("State")


def profile_end(
    profile: Callable[[float, State], tuple[float, State]],
    start: tuple[float, float, State],
    side: int,
    step: float,
    bound: float,
    limit: float,
) -> float:
    """Walk from the optimum until the profile t is `limit`, then close in on it.

    `profile` takes a value at which the parameter is held and the state of a fit nearby, and
    returns by how many standard errors the fit is worse, and its state; `start` is the estimate,
    its t (0 at the optimum) and the state there. The walk goes up for a `side` of 1 and down for
    -1, at first by `step` and then by a half more each time. The end is infinite beyond the
    distance `bound`, or if t stays below `limit`.

    >>> round(profile_end(lambda value, _: (abs(value - 1), None), (1.0, 0.0, None), 1, 1, 9, 2), 6)
    3.0
    >>> profile_end(lambda value, _: (0.0, None), (1.0, 0.0, None), -1, 1, 9, 2)
    -inf
    """
    inside, t_inside, state = start
    origin = inside
    for _ in range(_STEPS):
        if abs(inside + side * step - origin) > bound:
            return side * inf
        outside = inside + side * step
        t_outside, state_outside = profile(outside, state)
        if t_outside >= limit:
            break
        inside, t_inside, state, step = outside, t_outside, state_outside, 1.5 * step
    else:
        return side * inf
    for _ in range(_REFINED):
        fraction = np.clip((limit - t_inside) / max(t_outside - t_inside, 1e-12), 0.05, 0.95)
        middle = inside + float(fraction) * (outside - inside)
        t_middle, state_middle = profile(middle, state)
        if t_middle < limit:
            inside, t_inside, state = middle, t_middle, state_middle
        else:
            outside, t_outside = middle, t_middle
    return float(inside + (outside - inside) * (limit - t_inside) / (t_outside - t_inside))
