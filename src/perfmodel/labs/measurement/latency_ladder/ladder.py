r"""The latency ladder: mean time of a load, by the size of the working set.

A load of a walk through W bytes takes the first level's latency, and a penalty for each miss (the
average memory access time, AMAT, of Hennessy and Patterson):

.. math:: t(W) = t_1 + \sum_i m_i(W)\, d_i

with the miss ratio :math:`m_i(W)` of a cache of capacity :math:`C_i`, and the extra seconds
:math:`d_i` of a miss. A translation buffer is one more such step. Its capacity is its reach,
entries times page size. The sum equals the mean of the levels' latencies, weighted by the fraction
of loads that each serves. The model of the misses depends on the walk and on the replacement
policy. `simulated_miss_ratio` counts the misses that each model predicts, and `fitting` finds the
latencies in a measured ladder.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import special, stats

from perfmodel.live.drawing import Box, Scale, Scene, Shape, Text
from perfmodel.measurement import chained_bandwidth
from perfmodel.measurement.cpu.caches import Hierarchy
from perfmodel.validation import Floats, one_of, positive, whole

MissModel = Literal["picks", "lru", "random", "scattered"]

MISS_MODELS = {
    "picks": "each load picks a random line; any replacement policy",
    "lru": "a walk in a cycle; the cache evicts the least recently used line",
    "random": "a walk in a cycle; the cache evicts a random line",
    "scattered": "a walk in a cycle; LRU within each set, pages at random places",
}
"""What each model assumes about the walk and the cache."""

PAGE, WAYS = 4096, 8
"""Bytes of a page and lines of a set, for the model `scattered`."""


@dataclass(frozen=True)
class LadderStep:
    """A cache, or a translation buffer, that a large working set misses."""

    name: str
    capacity: float
    """Bytes that it holds; for a translation buffer the bytes that its entries reach."""
    penalty: float = 0.0
    """Seconds that a miss adds."""
    translates: bool = False


@dataclass(frozen=True)
class Ladder:
    """The latency of the first level, and the further steps in order of distance.

    >>> caches = LadderStep("L1", 32 << 10, 4e-9), LadderStep("L2", 1 << 20, 95e-9)
    >>> ladder = Ladder(1e-9, caches, "picks")
    >>> [round(float(t) * 1e9, 2) for t in ladder.latency([16 << 10, 64 << 10, 2 << 20])]
    [1.0, 3.0, 52.44]
    """

    base: float
    """Seconds of a load that hits the first level."""
    steps: tuple[LadderStep, ...]
    model: MissModel = "random"

    def __post_init__(self) -> None:
        """Refuse an unknown law and caches that shrink with distance."""
        positive("base", self.base)
        checked_miss_model(self.model)
        sizes = [step.capacity for step in self.steps if not step.translates]
        if sizes != sorted(sizes):
            raise ValueError(f"steps must grow in capacity from cache to cache, got {sizes}")

    def misses(self, size: ArrayLike) -> Floats:
        """Return the share of loads that miss each step at `size` bytes, shape (..., steps)."""
        columns = [miss_ratio(size, step.capacity, self.model) for step in self.steps]
        return np.stack(columns, axis=-1) if columns else np.empty((*np.shape(size), 0))

    def latency(self, size: ArrayLike) -> Floats:
        """Return the mean seconds of a load for working sets of `size` bytes."""
        penalties = np.array([step.penalty for step in self.steps])
        return np.asarray(self.base + self.misses(size) @ penalties)

    def shares(self, size: ArrayLike) -> Floats:
        """Return the shares of loads that each cache and, last, memory serve at `size` bytes."""
        caches = [k for k, step in enumerate(self.steps) if not step.translates]
        missed = self.misses(size)[..., caches]
        ones = np.ones((*missed.shape[:-1], 1))
        reached = np.concatenate([ones, missed, 0 * ones], axis=-1)
        return np.asarray(reached[..., :-1] - reached[..., 1:])

    def changed(
        self, name: str, *, capacity: float | None = None, penalty: float | None = None
    ) -> Ladder:
        """Return the ladder with another `capacity` or `penalty` in the step of that name.

        >>> Ladder(1e-9, (LadderStep("L1", 1024, 4e-9),)).changed("L1", capacity=2048).steps[0]
        LadderStep(name='L1', capacity=2048, penalty=4e-09, translates=False)
        """
        names = [step.name for step in self.steps]
        one_of("name", name, names)
        steps = list(self.steps)
        old = steps[names.index(name)]
        steps[names.index(name)] = replace(
            old,
            capacity=old.capacity if capacity is None else capacity,
            penalty=old.penalty if penalty is None else penalty,
        )
        return replace(self, steps=tuple(steps))

    def level_latencies(self) -> Floats:
        """Return the seconds of a load from each cache and, last, memory, without translation."""
        penalties = [step.penalty for step in self.steps if not step.translates]
        return np.asarray(self.base + np.cumsum([0.0, *penalties]))


def steps_of(caches: Hierarchy, entries: Sequence[int] = (64, 1536)) -> tuple[LadderStep, ...]:
    """Return the steps of a processor, caches first, all penalties still 0.

    No operating system tells the entries of its translation buffers. The default is what many
    desktop and server cores have, with pages of `PAGE` bytes: an assumption, to be tested.

    >>> from perfmodel.measurement.cpu.caches import CacheLevel
    >>> [s.name for s in steps_of(Hierarchy((CacheLevel(1, 32 << 10, 1),), 64, "sysfs"), [64])]
    ['L1', 'TLB of 64 entries']
    """
    steps = [LadderStep(f"L{level.level}", float(level.size)) for level in caches.levels]
    steps += [
        LadderStep(
            f"TLB of {count:,} entries", float(whole("entries", count, 1) * PAGE), translates=True
        )
        for count in entries
    ]
    return tuple(steps)


def miss_ratio(size: ArrayLike, capacity: ArrayLike, model: MissModel = "random") -> Floats:
    r"""Return the share of loads that miss a cache.

    Bytes of the working set and of the cache; `model` is one of `MISS_MODELS`.

    `random`: between two visits to a line, (W/C) (1 - h) C lines are fetched, and each throws it
    out with probability 1/C; so the share of hits obeys :math:`h = e^{-(W/C)(1-h)}`, whose lower
    root is :math:`-W_0(-r e^{-r})/r` with r = W/C and Lambert's function.
    `scattered`: a page hits if at most `WAYS` - 1 of the others share its colour.

    >>> [round(float(miss_ratio(2.0, 1.0, model)), 3) for model in ("picks", "lru", "random")]
    [0.5, 1.0, 0.797]
    """
    r = positive("size", size) / positive("capacity", capacity)
    over = np.maximum(r, 1.0)
    if checked_miss_model(model) == "picks":
        return np.asarray(1 - 1 / over)
    if model == "lru":
        return np.asarray(np.where(r > 1, 1.0, 0.0))
    if model == "random":
        hits = -special.lambertw(-over * np.exp(-over)).real / over
        return np.asarray(np.where(r > 1, 1 - hits, 0.0))
    colours = np.maximum(1.0, np.asarray(capacity) / (WAYS * PAGE))
    others = np.ceil(np.asarray(size) / PAGE) - 1
    return np.asarray(np.where(others < WAYS, 0.0, stats.binom.sf(WAYS - 1, others, 1 / colours)))


def checked_miss_model(model: str) -> str:
    """Return `model`, or raise a ValueError where it is none of `MISS_MODELS`."""
    one_of("model", model, MISS_MODELS)
    return model


ROOM, MOST, TURNS = 4, 8, 6
"""Lines that the drawn core can have in flight, the largest number of chains, latencies drawn."""
LATENCY = 100e-9
"""Seconds of a load in the drawing."""


def loads_in_flight(chains: int) -> Scene:
    """Draw loads of independent chains of pointers on a core with room for `ROOM` lines."""
    count = whole("chains", chains, 1, MOST)
    at_once = min(count, ROOM)
    time = Scale(0, 1e9 * LATENCY * TURNS, 68, 340)
    shapes: list[Shape] = [Text("loads on their way", 204, 12)]
    for row in range(count):
        shapes.append(Text(f"chain {row + 1}", 60, 34 + 22 * row, anchor="end"))
    for turn in range(TURNS):
        left, right = (time(1e9 * LATENCY * when) for when in (turn, turn + 1))
        for index in range(at_once):
            y = 26 + 22 * ((turn * at_once + index) % count)
            shapes.append(Box(left + 1, y, right - left - 2, 16, "", 1, "solid"))
    shapes += time.below(30 + 22 * MOST, "time (ns)")
    lines = at_once * TURNS
    rate = float(chained_bandwidth(at_once, LATENCY)) / 1e9
    says = (
        f"{count} chain{'s' * (count > 1)} load{'s' * (count == 1)} {lines} lines in "
        f"{1e9 * LATENCY * TURNS:.0f} ns, which is {rate:.3g} GB/s."
    )
    values = {f"lines in {1e9 * LATENCY * TURNS:.0f} ns": float(lines), "bandwidth (GB/s)": rate}
    return Scene(66 + 22 * MOST, shapes, says, values)


KIB, MIB = 2.0**10, 2.0**20

MADE_UP = Ladder(
    1e-9,
    (
        LadderStep("L1", 32 * KIB, 3e-9),
        LadderStep("L2", 1 * MIB, 12e-9),
        LadderStep("L3", 16 * MIB, 79e-9),
        LadderStep("TLB", 6 * MIB, 20e-9, translates=True),
    ),
)
"""Loads take 1, 4, 16 and 95 ns; 1,536 pages of 4 KiB are translated at no cost."""


def simulated_miss_ratio(
    lines: int,
    cache_lines: int,
    model: MissModel,
    turns: int = 20,
    seed: int = 1,
    *,
    back_and_forth: bool = False,
) -> float:
    """Return the share of misses of a walk through `lines` in a simulated cache of `cache_lines`.

    For `scattered` the lines are pages, and `cache_lines` is a multiple of `WAYS`. `turns` walks
    are counted, after half as many that are not; `back_and_forth` reverses every second one.
    """
    random = np.random.default_rng(seed)
    count, capacity = whole("lines", lines, 1), whole("cache_lines", cache_lines, 1)
    sets = max(1, capacity // WAYS) if checked_miss_model(model) == "scattered" else 1
    colour = random.integers(sets, size=count)
    caches: list[OrderedDict[int, None]] = [OrderedDict() for _ in range(sets)]
    order = random.permutation(count)
    missed = 0
    for turn in range(-(turns // 2), whole("turns", turns, 1)):
        walk = order[::-1] if back_and_forth and turn % 2 else order
        for line in (random.integers(count, size=count) if model == "picks" else walk).tolist():
            missed += (
                _touch(caches[colour[line]], line, capacity // sets, model, random) and turn >= 0
            )
    return missed / (turns * count)


def _touch(
    cache: OrderedDict[int, None],
    line: int,
    cache_lines: int,
    model: MissModel,
    random: np.random.Generator,
) -> bool:
    """Load `line` and return whether it was missing."""
    if line in cache:
        cache.move_to_end(line)
        return False
    if len(cache) == cache_lines:
        out = list(cache)[random.integers(cache_lines)] if model == "random" else next(iter(cache))
        del cache[out]
    cache[line] = None
    return True
