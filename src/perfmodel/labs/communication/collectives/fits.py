"""Latency and bandwidth of measured collectives, with at most one break, and their intervals."""

from __future__ import annotations

from functools import cache

from perfmodel.communication import (
    MessageBootstrap,
    MessageFit,
    bootstrap_messages,
    collective_cost,
    fit_messages,
)
from perfmodel.labs.communication.collectives.inputs import RINGS
from perfmodel.labs.communication.collectives.tables import collective_times


@cache
def fitted(gpu: str, collective: str, ranks: int, largest: float | None = None) -> MessageBootstrap:
    """Return the fit of one number of GPUs, to all sizes or to those up to the largest given.

    >>> fit = fitted("H100", "all-reduce", 8).fit
    >>> [int(size) >> 10 for size in fit.breaks]
    [256]
    """
    table = collective_times(gpu, collective)
    sizes, times = table.of(ranks)
    seen = sizes <= (sizes[-1] if largest is None else largest)
    fit = fit_messages(sizes[seen], times[seen], most_breaks=1, resolution=table.resolution)
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
    found, factor = fitted(gpu, collective, ranks), bus_factor(collective, ranks)
    wait, early, late = (1e6 * end for end in (found.fit.latencies[0], *found.latency()))
    rates = (found.fit.bandwidths[-1], *found.bandwidth())
    rate, slow, fast = (factor * end / 1e9 for end in rates)
    return (
        gpu,
        str(ranks),
        f"{wait:.1f} ({early:.1f} to {late:.1f})",
        break_between(found.fit),
        f"{rate:.3g} ({slow:.3g} to {fast:.3g})",
    )


def break_between(fit: MessageFit) -> str:
    """Return the two measured sizes between which the protocol changes, KiB, or that it doesn't."""
    if not fit.breaks.size:
        return "none found"
    low = fit.breaks[0]
    high = fit.sizes[fit.sizes > low][0]
    return f"{low / 1024:,.0f} and {high / 1024:,.0f}"


def break_said(fit: MessageFit) -> str:
    """Return `break_between` in words, with the unit.

    >>> break_said(fitted("H100", "all-reduce", 8).fit)
    'break between 256 and 512 KiB'
    >>> break_said(fitted("H100", "all-reduce", 8, 4.0 * 2**20).fit)
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
