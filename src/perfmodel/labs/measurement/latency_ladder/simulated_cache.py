"""A simulated cache that a walk goes through: a check of the laws of the latency ladder."""

from __future__ import annotations

from collections import OrderedDict

import numpy as np

from perfmodel.labs.measurement.latency_ladder.ladder import WAYS, MissLaw, checked_miss_law
from perfmodel.validation import whole


def simulated_misses(
    lines: int,
    room: int,
    law: MissLaw,
    turns: int = 20,
    seed: int = 1,
    *,
    back_and_forth: bool = False,
) -> float:
    """Return the share of misses of a walk through `lines` in a simulated cache of `room` lines.

    For `scattered` the lines are pages, and `room` is a multiple of `WAYS`. `turns` walks are
    counted, after half as many that are not; `back_and_forth` reverses every second one.
    """
    random = np.random.default_rng(seed)
    count, held = whole("lines", lines, 1), whole("room", room, 1)
    sets = max(1, held // WAYS) if checked_miss_law(law) == "scattered" else 1
    colour = random.integers(sets, size=count)
    caches: list[OrderedDict[int, None]] = [OrderedDict() for _ in range(sets)]
    order = random.permutation(count)
    missed = 0
    for turn in range(-(turns // 2), whole("turns", turns, 1)):
        walk = order[::-1] if back_and_forth and turn % 2 else order
        for line in (random.integers(count, size=count) if law == "picks" else walk).tolist():
            missed += _touch(caches[colour[line]], line, held // sets, law, random) and turn >= 0
    return missed / (turns * count)


def _touch(
    cache: OrderedDict[int, None], line: int, room: int, law: MissLaw, random: np.random.Generator
) -> bool:
    """Load `line` and return whether it was missing."""
    if line in cache:
        cache.move_to_end(line)
        return False
    if len(cache) == room:
        out = list(cache)[random.integers(room)] if law == "random" else next(iter(cache))
        del cache[out]
    cache[line] = None
    return True
