"""Surrogate hosts: virtual machines that slow each other down, seen through noisy counters.

The numbers of machines and the kinds of load come from CloudFormer's test bed. We chose the model
of the competition for memory bandwidth and cache, and made up its constants.

The drawing shows a job's time alone and with neighbours: only waiting for memory takes longer.

>>> windows = hosts(samples=100)
>>> windows.counters.shape, bool((windows.performance <= 100).all())
((100, 8, 24), True)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from perfmodel.live.drawing import Scale, Scene, Shape, Text
from perfmodel.live.drawing.chart import legend
from perfmodel.prediction.arena.dataset import Dataset
from perfmodel.prediction.arena.splits import Split
from perfmodel.validation import Floats, positive, whole, within

if TYPE_CHECKING:
    import pandas as pd

BANDWIDTH = 140e9
"""Bytes per second that the memory of a socket serves."""
CACHE = 24.75e6
"""Bytes of the last level of cache of a socket, shared by its machines."""
MACHINES = 9
"""Virtual machines on a socket."""
SIGNATURE = 8
"""Counters whose rates tell applications apart and say nothing else."""
NOISE = 0.05
"""Standard deviation of the logarithm of a counter's noise."""


@dataclass(frozen=True)
class Applications:
    """Applications, each of which asks memory and cache in its own way; arrays of shape (a,)."""

    bandwidth: Floats
    """Bytes per second at full load."""
    working_set: Floats
    """Bytes that it would keep in cache."""
    memory_share: Floats
    """Share of the time alone that is spent waiting for memory, 0 to 1."""
    miss_growth: Floats
    """How much longer memory takes when none of the working set is in cache."""
    instructions: Floats
    """Instructions per cycle alone."""
    signature: Floats
    """Rates of the counters that identify it, shape (a, 8)."""

    def __len__(self) -> int:
        return self.bandwidth.size


def applications(count: int = 11, seed: int = 0) -> Applications:
    """Draw two applications or more at random.

    >>> len(applications())
    11
    """
    random, size = np.random.default_rng(seed), whole("count", count, 2)
    return Applications(
        random.uniform(4e9, 30e9, size),
        random.uniform(1e6, 8e6, size),
        random.uniform(0.1, 0.9, size),
        random.uniform(0.1, 1.0, size),
        random.uniform(0.5, 2.5, size),
        random.uniform(0.5, 2.0, (size, SIGNATURE)),
    )


def performance(
    demand: Floats,
    memory_bound_fraction: Floats,
    bandwidth: float = BANDWIDTH,
    growth: Floats | float = 1.0,
) -> Floats:
    """Return the fraction of its performance alone that a machine keeps with neighbours.

    `demand` is what all machines of the socket ask for together and `bandwidth` what the socket
    serves, in bytes/s; `memory_bound_fraction` is the fraction of the time alone that is spent
    waiting for memory, and `growth` the traffic to memory over that alone, because of cache lost to
    others.

    >>> round(float(performance(9 * 20e9, 0.6)), 4)
    0.8537
    """
    stretch = np.maximum(1, np.asarray(demand) / positive("bandwidth", bandwidth)) * growth
    return np.asarray(1 / (1 - memory_bound_fraction + memory_bound_fraction * stretch))


COUNTERS = ("traffic", "ipc", "occupancy", "load", *(f"rate {n}" for n in range(1, 9)))
"""Of a machine, in bytes/s, 1, bytes, 1 and 1."""
COLUMNS = [f"{whose} {name}" for whose in ("own", "beside") for name in COUNTERS]


@dataclass(frozen=True, eq=False)
class Hosts:
    """Windows of counters of a machine and of its neighbours' mean, and what they cost it."""

    counters: Floats
    """Shape (n, seconds, 24), in the order of `COLUMNS`; `beside` is the neighbours' mean."""
    performance: Floats
    """Percent of the performance alone, shape (n,)."""
    application: np.ndarray
    """Number of the machine's own application, shape (n,)."""
    alone: Floats
    """Instructions per cycle in one window alone, shape (n,); no predictor but one sees them."""

    @property
    def means(self) -> pd.DataFrame:
        """Counters averaged over time: what all predictors but the net see."""
        import pandas as pd

        return pd.DataFrame(self.counters.mean(axis=1), columns=COLUMNS)


def hosts(samples: int = 3300, seconds: int = 8, count: int = 11, seed: int = 0) -> Hosts:
    """Make windows of some seconds of counters of machines with eight neighbours.

    Applications of the machine and its neighbours are drawn at random; loads are steady, periodic
    or random, drawn for each machine.
    """
    apps, random = applications(count, seed), np.random.default_rng(seed + 1000)
    which = random.integers(0, count, (whole("samples", samples, 1), MACHINES))
    load = _loads(random, which.shape, whole("seconds", seconds, 1))
    demand = (apps.bandwidth[which][:, None] * load).sum(axis=2)
    others = np.maximum(1, demand / BANDWIDTH)
    own = which[:, :1]
    cache = cache_share(load[:, :, 1:].mean(axis=2))
    growth = 1 + apps.miss_growth[own] * np.maximum(0, 1 - cache / apps.working_set[own])
    share = apps.memory_share[own]
    retained = performance(demand, share, growth=growth)
    slow = np.concatenate([(1 / retained)[:, :, None], np.repeat(others[:, :, None], 8, 2)], axis=2)
    seen = _counters(apps, which, load, slow)
    seen = np.concatenate([seen[:, :, 0], seen[:, :, 1:].mean(axis=2)], axis=2)
    noisy = seen * np.exp(random.normal(0, NOISE, seen.shape))
    alone = apps.instructions[:, None] * np.exp(random.normal(0, NOISE, (count, seconds)))
    percent = 100 / (1 / retained).mean(axis=1)
    return Hosts(noisy, percent, which[:, 0], alone.mean(axis=1)[which[:, 0]])


def _loads(random: np.random.Generator, shape: tuple[int, int], seconds: int) -> Floats:
    """Return loads of 0.05 to 1, shape (n, seconds, machines)."""
    level = random.beta(2, 2, shape)[:, None]
    period, phase = random.uniform(3, 12, shape)[:, None], random.uniform(0, 1, shape)[:, None]
    wave = 1 + 0.8 * np.sin(2 * np.pi * (np.arange(seconds)[:, None] / period + phase))
    noise = random.beta(2, 2, (shape[0], seconds, shape[1]))
    kind = random.integers(0, 3, shape)[:, None]
    load = np.select([kind == 0, kind == 1], [level, level * wave], noise)
    return np.asarray(np.clip(load, 0.05, 1))


def cache_share(neighbour_load: Floats) -> Floats:
    """Return the bytes of cache that a machine holds: more where its neighbours are idle."""
    return np.asarray(CACHE / MACHINES * (1 + 0.5 * (1 - neighbour_load)))


def _counters(apps: Applications, which: np.ndarray, load: Floats, slow: Floats) -> Floats:
    """Return counters of every machine without noise, shape (n, seconds, machines, 12)."""
    of = which[:, None]
    first = [
        apps.bandwidth[of] * load / slow,
        apps.instructions[of] / slow,
        apps.working_set[of] * load,
        load,
    ]
    return np.concatenate(
        [np.stack(first, axis=3), apps.signature[of] * load[:, :, :, None]], axis=3
    )


def dataset(windows: Hosts) -> Dataset:
    """Return surrogate hosts as a data set of the arena, grouped by application."""
    units = dict(zip(COUNTERS, ("B/s", "1", "B", "1", *"11111111"), strict=True))
    return Dataset(
        name="surrogate hosts",
        features=windows.means,
        units={column: units[column.split(" ", 1)[1]] for column in COLUMNS},
        target=windows.performance,
        quantity="performance with neighbours / performance alone",
        unit="%",
        provenance="made by this course's own model of contention; no measurement",
        licence="BSD-3-Clause, as this project",
        groups={"application": windows.application.tolist()},
    )


def splits(data: Dataset, seed: int, num_unseen: int = 4, budget: int = 0) -> list[Split]:
    """Return two splits with equally many rows: by application, and row by row.

    No training row is of the `num_unseen` applications that are tested, drawn from the seed.
    `budget` are the training rows, and twice as many as those tested; as many as there are if 0.
    """
    random, of = np.random.default_rng(seed), data.group("application")
    unseen = random.permutation(np.unique(of))[: whole("num_unseen", num_unseen, 1)]
    out = np.isin(of, unseen)
    order = random.permutation(len(data))
    train, test = order[~out[order]], order[out[order]]
    if budget:
        train, test = train[: whole("budget", budget, 2)], test[: budget // 2]
    mixed = random.permutation(len(data))[: train.size + test.size]
    return [
        Split("unseen applications", train, {"beyond": test}),
        Split("random rows", mixed[: train.size], {"inside": mixed[train.size :]}),
    ]


DEMAND = 20e9
"""Bytes per second that each machine of the drawing asks for."""
_LONGEST, _HIGH = 2.5, 26.0


def wait_bars(machines: int, memory_bound_fraction: float) -> Scene:
    """Draw the time of one piece of work on a host of equal machines; no cache is lost.

    There are 14 machines at most, each asking for 20 GB/s; alone, a fraction
    `memory_bound_fraction` of the time is spent waiting for memory.

    >>> wait_bars(14, 1).values
    {'performance kept (%)': 50.0}
    """
    count = whole("machines", machines, 1, 14)
    share = float(within("memory_bound_fraction", memory_bound_fraction, 0, 1))
    fraction = float(performance(np.array(count * DEMAND), np.array(share)))
    time = Scale(0, _LONGEST, 16, 344)
    shapes: list[Shape] = legend(16, 14, [("computes", 1, "solid")])
    shapes += legend(130, 14, [("waits for memory", 2, "hatch")])
    for y, name, waits in (
        (46, "alone", share),
        (108, "with neighbours", 1 / fraction - (1 - share)),
    ):
        shapes.append(Text(name, 16, y, "start"))
        if share < 1:
            shapes.append(time.bar(0, y + 12, 1 - share, _HIGH, "", 1, "solid"))
        if share > 0:
            shapes.append(time.bar(1 - share, y + 12, waits, _HIGH, "", 2, "hatch"))
    shapes += time.below(160, "time (1 = alone)")
    asked = f"{count} machines ask for {count * DEMAND / 1e9:.0f} of {BANDWIDTH / 1e9:.0f} GB/s"
    longer = f"{1 / fraction:.3g} times as long" if fraction < 1 else "as long as alone"
    says = (
        f"{asked}: the work takes {longer}, so {100 * fraction:.3g} % of the performance is kept."
    )
    return Scene(196, shapes, says, {"performance kept (%)": 100 * fraction})
