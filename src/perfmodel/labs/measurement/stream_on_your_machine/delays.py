"""A law of delays: what a program's times may be like, given only their minimum and median.

Each run takes the minimum and an exponential delay, and now and then one meets a pause. It is the
simplest law with a given minimum and median: what it says of a mean can be held against a measured
one, and samples made by it show what each statistic makes of such a program.
"""

from __future__ import annotations

import math

import numpy as np

from perfmodel.labs.measurement.stream_on_your_machine.inputs import LoopTimes
from perfmodel.validation import Floats, non_negative, within


def made_times(
    law: LoopTimes,
    shape: int | tuple[int, ...],
    pauses: float = 0.0,
    pause: float = 0.034,
    seed: int = 1,
) -> Floats:
    """Return times of a made program that has a published minimum and median.

    The minimum, an exponential delay, and now and then a pause of `pause` seconds, with a
    probability of `pauses`. The published mean isn't used.
    """
    rng = np.random.default_rng(seed)
    delays = rng.exponential(_delay(law), shape)
    paused = rng.random(shape) < within("pauses", pauses, 0, 1)
    return np.asarray(law.min + delays + float(non_negative("pause", pause)) * paused)


def made_mean(law: LoopTimes, pauses: float = 0.0, pause: float = 0.034) -> float:
    """Return the mean that `made_times` tends to, for the same `law`, `pauses` and `pause`.

    >>> round(made_mean(LoopTimes(min=1.0, median=2.0, mean=0.0)), 4)
    2.4427
    """
    chance = float(within("pauses", pauses, 0, 1))
    return law.min + _delay(law) + chance * float(non_negative("pause", pause))


def _delay(law: LoopTimes) -> float:
    """Return the mean of the exponential delay whose median is the published one's distance."""
    if law.median <= law.min:
        raise ValueError(f"law must have its median above its minimum, got {law}")
    return (law.median - law.min) / math.log(2)
