"""Stalls at readings of the clock, as on a machine whose cores are taken away for moments.

Python imports this by itself where the folder is in PYTHONPATH; STALLS is then the seed. One
reading in thirty is held up, half of those by more than 2 ms and a few by a tenth of a second.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable
from typing import TypeVar

Reading = TypeVar("Reading", int, float)

OFTEN = 1 / 30
MEDIAN = 2e-3
LONGEST = 0.3


def stalled(read: Callable[[], Reading], drawn: random.Random) -> Callable[[], Reading]:
    """Return the clock `read`, held up now and then before it is read."""

    def clock() -> Reading:
        if drawn.random() < OFTEN:
            time.sleep(min(LONGEST, MEDIAN * drawn.lognormvariate(0, 1.5)))
        return read()

    return clock


if "STALLS" in os.environ:
    draws = random.Random(int(os.environ["STALLS"]))
    time.perf_counter = stalled(time.perf_counter, draws)
    time.perf_counter_ns = stalled(time.perf_counter_ns, draws)
