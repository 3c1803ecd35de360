"""Arithmetic and memory traffic of one step of SMO, and the time they take on a machine.

A step (`smo`) works out two rows of the kernel matrix from a table of n samples x d features: it
reads the whole table for only 4 n d flop. The counts are those of the standard algorithm; the O(n)
exponentials of an rbf kernel are left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.validation import Floats, non_negative, positive, within

INDEX_BYTES = 4
"""Bytes of a column index in compressed sparse rows (CSR)."""


@dataclass(frozen=True)
class Data:
    """The table of samples: its shape, how much of it is not zero, bytes a value; all broadcast."""

    samples: ArrayLike
    """n, 1 or more."""
    features: ArrayLike
    """d, 1 or more."""
    density: ArrayLike = 1.0
    """Share of the values that are not zero, above 0 to 1."""
    word_bytes: ArrayLike = 4
    """Bytes of a value: 4 single, 8 double."""

    def __post_init__(self) -> None:
        for name in ("samples", "features", "density", "word_bytes"):
            positive(name, getattr(self, name))
        within("density", self.density, 0, 1)

    @property
    def values(self) -> Floats:
        """Values of the full table, n d."""
        return np.multiply(self.samples, self.features, dtype=float)


@dataclass(frozen=True)
class Method:
    """How a trainer works out its two kernel rows a step."""

    fused: bool = True
    """Both rows in one pass over the table; otherwise one pass each."""
    sparse: bool = False
    """Table in compressed sparse rows; otherwise dense."""
    gather_efficiency: float = 1.0
    """Share of the streaming and arithmetic speed that sparse code reaches, above 0 to 1."""
    hit_ratio: float = 0.0
    """Share of the rows found in a cache of rows, 0 to 1."""

    def __post_init__(self) -> None:
        within("gather_efficiency", positive("gather_efficiency", self.gather_efficiency), 0, 1)
        within("hit_ratio", self.hit_ratio, 0, 1)


FUSED = Method()
"""Dense storage, both rows in one pass, no cache."""


@dataclass(frozen=True)
class Processor:
    """A processor with its memory as the model sees it."""

    name: str
    flop_rate: float
    """Peak single-precision vector arithmetic, FLOP/s."""
    bandwidth: float
    """Peak memory bandwidth, bytes/s."""
    sync_time: float = 10e-6
    """Time of one reduction over all cores, s; the default is illustrative."""
    source: str = ""

    def __post_init__(self) -> None:
        positive("flop_rate", self.flop_rate)
        positive("bandwidth", self.bandwidth)
        non_negative("sync_time", self.sync_time)

    @property
    def ridge(self) -> float:
        """Arithmetic intensity above which the machine is compute-bound, FLOP/byte."""
        return self.flop_rate / self.bandwidth


class StepCost(NamedTuple):
    """Arithmetic (FLOP) and memory traffic (bytes) of one SMO step."""

    flops: Floats
    bytes: Floats


def row_cost(data: Data, method: Method = FUSED) -> StepCost:
    """Return the cost of the two kernel rows of a step, which is nearly all of the step.

    4 n d flop; n d w bytes a pass when dense, n d rho (w + 4) when sparse, where flops fall with
    the density rho too; two passes unless fused; nothing for rows found in the cache.

    >>> flops, moved = row_cost(Data(60_000, 780))
    >>> print(flops / moved)
    1.0
    """
    stored = np.multiply(data.values, data.density if method.sparse else 1.0)
    value_bytes = np.add(data.word_bytes, INDEX_BYTES if method.sparse else 0)
    missed = 1 - method.hit_ratio
    passes = 1 if method.fused else 2
    return StepCost(4 * stored * missed, passes * stored * value_bytes * missed)


def vector_cost(data: Data) -> StepCost:
    """Return the cost of selecting the pair and updating the gradient: 8 n flop, 5 n w bytes.

    >>> print(*vector_cost(Data(1000, 20)))
    8000.0 20000.0
    """
    n = np.asarray(data.samples, dtype=float)
    return StepCost(8 * n, 5 * n * np.asarray(data.word_bytes))


def smo_step_time(data: Data, processor: Processor, method: Method = FUSED) -> Floats:
    """Return the time of one SMO step: the longer of arithmetic and traffic, and two reductions.

    It is in seconds; all cores work on the step.

    >>> node = Processor("two sockets", flop_rate=0.9e12, bandwidth=80e9)
    >>> print((smo_step_time(Data(60_000, 780), node) * 1e3).round(2))
    2.38
    """
    rows, vectors = row_cost(data, method), vector_cost(data)
    speed = method.gather_efficiency if method.sparse else 1.0
    compute = (rows.flops / speed + vectors.flops) / processor.flop_rate
    traffic = (rows.bytes / speed + vectors.bytes) / processor.bandwidth
    return np.maximum(compute, traffic) + 2 * processor.sync_time


def sparse_crossover(word_bytes: ArrayLike, gather_efficiency: ArrayLike = 1.0) -> Floats:
    """Return the density below which sparse storage is faster than dense, e w/(w + 4).

    Values have w bytes, and sparse code reaches a fraction e of the streaming speed.

    >>> print(sparse_crossover(4, [1, 0.25]))
    [0.5   0.125]
    """
    w = positive("word_bytes", word_bytes)
    efficiency = positive("gather_efficiency", gather_efficiency)
    return within("gather_efficiency", efficiency, 0, 1) * w / (w + INDEX_BYTES)


def cached_rows(cache_bytes: ArrayLike, data: Data) -> Floats:
    """Return how many whole kernel rows of n values fit in a cache.

    >>> print(cached_rows(100e6, Data(60_000, 780)))
    416.0
    """
    row = np.multiply(data.samples, data.word_bytes, dtype=float)
    return np.floor(non_negative("cache_bytes", cache_bytes) / row)


def advantage(data: Data, processor: Processor, scalar_share: float, method: Method) -> Floats:
    """Return the speedup of all cores and lanes over one lane of one core with separate rows.

    The slow side stores the table dense, has all of the processor's bandwidth and nothing to wait
    for. It has a fraction `scalar_share` of the arithmetic.

    >>> processor = Processor("96 cores", flop_rate=7.4e12, bandwidth=460e9)
    >>> print(advantage(Data(1e6, 1000), processor, 1 / 768, Method()).round(1))
    47.5
    """
    share = float(within("scalar_share", positive("scalar_share", scalar_share), 0, 1))
    lane = Processor(processor.name, processor.flop_rate * share, processor.bandwidth, sync_time=0)
    slow = smo_step_time(data, lane, Method(fused=False))
    return slow / smo_step_time(data, processor, method)
