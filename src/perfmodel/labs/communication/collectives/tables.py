"""Measured times of NCCL's collectives; their latency and bandwidth, with at most one break."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from perfmodel.communication import (
    MessageBootstrap,
    MessageFit,
    bootstrap_messages,
    collective_cost,
    fit_messages,
)
from perfmodel.shipped_data import shipped_table
from perfmodel.validation import Floats

GPUS: Mapping[str, str] = MappingProxyType(
    {"V100": "V100-PCIE-16GB", "H100": "H100-SXM-80GB", "H200": "H200-SXM-141GB"}
)
"""Names of the GPUs, and of their files."""
FILES: Mapping[str, str] = MappingProxyType(
    {
        "all-reduce": "all_reduce",
        "all-gather": "all_gather",
        "reduce-scatter": "reduce_scatter",
        "all-to-all": "alltoall",
        "send and receive": "sendrecv",
    }
)
"""Collectives, and what they are called in the names of files."""
RINGS: Mapping[str, str] = MappingProxyType(
    {"all-reduce": "ring", "all-gather": "ring", "reduce-scatter": "ring", "all-to-all": "pairwise"}
)
"""The algorithm of least bytes for each collective, that any number of GPUs can run."""
LATENCY = 10e-6
"""Seconds of a message of the page's example, whatever its size."""
BANDWIDTH = 10e9
"""Bytes/s of a link of the page's example."""


@dataclass(frozen=True, eq=False)
class CollectiveTimes:
    """Times of one collective on one kind of GPU, in one machine."""

    gpu: str
    collective: str
    ranks: NDArray[np.int64]
    """GPUs that took part, shape (n,)."""
    sizes: Floats
    """Bytes of the vector, shape (n,)."""
    times: Floats
    """Seconds, shape (n,)."""

    @property
    def counts(self) -> list[int]:
        """Numbers of GPUs there are."""
        return [int(count) for count in np.unique(self.ranks)]

    @property
    def resolution(self) -> float:
        """Seconds to whose multiples the times are rounded: a microsecond or a hundredth of it."""
        microseconds = 1e6 * self.times
        return 1e-6 if np.abs(microseconds - np.round(microseconds)).max() < 1e-6 else 1e-8

    def of(self, ranks: int) -> tuple[Floats, Floats]:
        """Return sizes, ascending, and times of one number of GPUs."""
        rows = self.ranks == ranks
        if not rows.any():
            raise ValueError(f"ranks must be one of {self.counts}, got {ranks!r}")
        order = np.argsort(self.sizes[rows])
        return self.sizes[rows][order], self.times[rows][order]


PAIRS = tuple(
    (gpu, collective)
    for gpu in GPUS
    for collective in FILES
    if gpu == "V100" or collective != "reduce-scatter"
)
"""GPUs and collectives of which there is a table."""


@cache
def collective_times(gpu: str, collective: str) -> CollectiveTimes:
    """Return the times of a collective on the GPUs of one machine, in half precision.

    >>> sizes, times = collective_times("H100", "all-reduce").of(8)
    >>> int(sizes[-1]) >> 20, round(1e6 * times[-1])
    (128, 597)
    """
    if (gpu, collective) not in PAIRS:
        raise ValueError(f"gpu and collective must be one of {PAIRS}, got {(gpu, collective)}")
    name = f"{GPUS[gpu]}_{FILES[collective]}.csv"
    rows = shipped_table(__package__, f"nccl/{name}")
    used = rows[(rows["dtype"] == "half") & (rows["num_nodes"] == 1) & (rows["size(kb)"] > 0)]
    return CollectiveTimes(
        gpu,
        collective,
        used["num_gpus_per_node"].to_numpy(np.int64),
        1024.0 * used["size(kb)"].to_numpy(float),
        1e-6 * used["time(us)"].to_numpy(float),
    )


@cache
def fitted(gpu: str, collective: str, ranks: int, largest: float | None = None) -> MessageBootstrap:
    """Return the fit of one number of GPUs, to all sizes or to those up to the largest given.

    >>> fit = fitted("H100", "all-reduce", 8).fit
    >>> [int(size) >> 10 for size in fit.breaks]
    [256]
    """
    table = collective_times(gpu, collective)
    sizes, times = table.of(ranks)
    used = sizes <= (sizes[-1] if largest is None else largest)
    fit = fit_messages(sizes[used], times[used], max_breaks=1, resolution=table.resolution)
    return bootstrap_messages(fit)


def bus_factor(collective: str, ranks: int) -> float:
    """Return the bytes that leave a GPU for each byte of the vector; 1 for a plain message.

    >>> bus_factor("all-reduce", 8)
    1.75
    """
    if collective not in RINGS:
        return 1.0
    return collective_cost(collective, RINGS[collective], ranks, 1.0).volume


def protocol_row(gpu: str, collective: str, ranks: int) -> tuple[str, ...]:
    """Return GPU, number, latency, break and bus bandwidth as text, with 95 % intervals.

    The latency is that of the first protocol, µs; the bandwidth that of the last, GB/s.
    """
    fit, factor = fitted(gpu, collective, ranks), bus_factor(collective, ranks)
    wait, early, late = (1e6 * end for end in (fit.fit.latencies[0], *fit.latency()))
    rates = (fit.fit.bandwidths[-1], *fit.bandwidth())
    rate, slow, fast = (factor * end / 1e9 for end in rates)
    return (
        gpu,
        str(ranks),
        f"{wait:.1f} ({early:.1f} to {late:.1f})",
        break_between(fit.fit),
        f"{rate:.3g} ({slow:.3g} to {fast:.3g})",
    )


def break_between(fit: MessageFit) -> str:
    """Return the two measured sizes between which the protocol changes, KiB, or that it doesn't."""
    if not fit.breaks.size:
        return "none found"
    low = fit.breaks[0]
    high = fit.sizes[fit.sizes > low][0]
    return f"{low / 1024:,.0f} and {high / 1024:,.0f}"


def break_summary(fit: MessageFit) -> str:
    """Return `break_between` in words, with the unit.

    >>> break_summary(fitted("H100", "all-reduce", 8).fit)
    'break between 256 and 512 KiB'
    >>> break_summary(fitted("H100", "all-reduce", 8, 4.0 * 2**20).fit)
    'no break found'
    """
    return f"break between {break_between(fit)} KiB" if fit.breaks.size else "no break found"


def largest_over_measured(
    gpu: str, collective: str, ranks: int, largest: float
) -> tuple[float, float, float]:
    """Return a fit's time of the largest vector over the measured one, and the ends of its band.

    >>> [round(ratio, 1) for ratio in largest_over_measured("H100", "all-reduce", 8, 4.0 * 2**20)]
    [2.3, 1.6, 3.0]
    """
    sizes, times = collective_times(gpu, collective).of(ranks)
    found = fitted(gpu, collective, ranks, largest)
    fit, low, high = (
        float(ends) / times[-1] for ends in (found.fit.time(sizes[-1]), *found.time(sizes[-1]))
    )
    return float(fit), float(low), float(high)
