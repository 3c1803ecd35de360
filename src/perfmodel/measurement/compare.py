"""Is B faster than A? Measured side by side in blocks A B B A, with leave to answer "can't tell".

A machine that slows down evenly slows both alike within a block, so the ratio of a block's times
is left alone. If A and B are the same program, the logarithms of the ratios lie symmetrically
about zero whatever the noise, which is all that the signed-rank interval asks for.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from math import exp, inf, log1p

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from perfmodel.measurement.clock import (
    Clock,
    calibrate,
    clock_resolution,
    sample_seconds,
    time_calls,
)
from perfmodel.measurement.html import html_table
from perfmodel.measurement.intervals import bootstrap_interval, check_level
from perfmodel.measurement.progress import bar
from perfmodel.measurement.provenance import Provenance, provenance
from perfmodel.measurement.significance import samples_needed
from perfmodel.validation import Floats, positive, sample, whole

PILOT = 10
"""Blocks after which the number of blocks is planned."""
LEAST = 6
"""Blocks that are measured even when the time is up: fewer give no 95 % interval."""
EFFICIENCY = 3 / np.pi
"""Of the signed-rank test beside the t-test when noise is normal: plans are longer by this."""


@dataclass(frozen=True, eq=False)
class Comparison:
    """Times of A and B in blocks, and what they allow one to say of B against A."""

    names: tuple[str, str]
    times: Floats
    """Seconds a call, shape (blocks, 4): a block's A, B, B, A."""
    inner: tuple[int, int]
    """Calls in a sample of A and of B."""
    confidence: float
    detect: float
    """Relative difference that the number of blocks was planned for."""
    complete: bool
    """Whether all planned blocks were measured in the time allowed."""
    provenance: Provenance

    @cached_property
    def ratios(self) -> Floats:
        """Time of B over time of A in each block, shape (blocks,)."""
        a1, b1, b2, a2 = self.times.T
        return np.asarray((b1 + b2) / (a1 + a2))

    @cached_property
    def ratio(self) -> float:
        """Time of B over time of A: the Hodges-Lehmann estimate over the blocks."""
        return exp(hodges_lehmann(np.log(self.ratios)))

    @cached_property
    def interval(self) -> tuple[float, float]:
        """Signed-rank interval of `ratio`."""
        low, high = signed_rank_interval(np.log(self.ratios), self.confidence)
        return exp(low), exp(high)

    @cached_property
    def bootstrap(self) -> tuple[float, float]:
        """Bootstrap percentile interval of the median ratio, for comparison with `interval`."""
        return bootstrap_interval(self.ratios, np.median, self.confidence)

    @property
    def verdict(self) -> str:
        """What can be said of B: "faster", "slower", or "can't tell" if the interval holds 1."""
        low, high = self.interval
        return "faster" if high < 1 else "slower" if low > 1 else "can't tell"

    def equivalent(self, margin: float) -> bool:
        """Return whether B takes as long as A within a relative margin.

        Two one-sided signed-rank tests, each at half the level that `confidence` leaves: the
        interval lies inside (1 / (1 + margin), 1 + margin).
        """
        widest = 1 + float(positive("margin", margin))
        return 1 / widest < self.interval[0] and self.interval[1] < widest

    def __str__(self) -> str:
        low, high = self.interval
        said = f"{self.names[1]} against {self.names[0]}: {self.verdict}"
        return (
            f"{said}; ratio of times {self.ratio:.4g}, {100 * self.confidence:g} % interval "
            f"{low:.4g} to {high:.4g}, {len(self.times)} blocks"
            + ("" if self.complete else "; fewer than planned")
        )

    def _repr_html_(self) -> str:
        low, high = self.interval
        rows = {
            "verdict": self.verdict,
            "ratio of times": f"{self.ratio:.4g}",
            f"{100 * self.confidence:g} % interval": f"{low:.4g} to {high:.4g}",
            "blocks": str(len(self.times)) + ("" if self.complete else ", fewer than planned"),
        }
        return html_table(f"{self.names[1]} against {self.names[0]}", rows)


def compare(
    a: Callable[[], object],
    b: Callable[[], object],
    *,
    detect: float = 0.05,
    power: float = 0.9,
    confidence: float = 0.95,
    max_seconds: float = 10.0,
    warmup: int = 1,
    clock: Clock = time.perf_counter_ns,
    progress: bool = False,
    names: tuple[str, str] = ("A", "B"),
) -> Comparison:
    """Time two functions in blocks A B B A and compare them.

    Ten pilot blocks show how noisy the ratio is; from that the number of blocks is planned that
    finds a difference of `detect` with the chance `power`. Nobody looks at the answer in between,
    so that the interval means what it says.

    Parameters
    ----------
    a, b : callable
        Called without arguments.
    detect : float
        Relative difference in time worth finding, above 0.
    power : float
        Chance of finding it, when it is there.
    confidence : float
    max_seconds : float
        Time for all blocks; six are measured in any case.
    warmup : int
        Calls of each function beforehand.
    clock, progress
        As for `timing.measure`.
    names : (str, str)

    Returns
    -------
    Comparison

    Raises
    ------
    ValueError
        If an argument is out of range.
    RuntimeError
        If the clock does not advance.

    Examples
    --------
    >>> from perfmodel.measurement.simulated import SimulatedMachine
    >>> machine = SimulatedMachine(spread=0.01)
    >>> old, new = machine.job(1e-3), machine.job(0.8e-3)
    >>> compare(old, new, clock=machine.clock).verdict
    'faster'
    """
    level, allowed = check_level(confidence), float(positive("max_seconds", max_seconds))
    effect = log1p(float(positive("detect", detect)))
    samples_needed(effect, effect, power=power, alpha=1 - level, pairs=True)
    length = sample_seconds(clock_resolution(clock), allowed)
    inner = _warmed(a, whole("warmup", warmup), length, clock), _warmed(b, warmup, length, clock)
    first, second = (partial(time_calls, f, n, clock) for f, n in zip((a, b), inner, strict=True))
    with bar(progress, allowed) as show:
        times, complete = _blocks(
            lambda: [first(), second(), second(), first()],
            lambda spread: planned(effect, spread, power, level),
            allowed,
            clock,
            show,
        )
    return Comparison(names, times, inner, level, detect, complete, provenance())


def planned(effect: float, spread: float, power: float, confidence: float) -> int:
    """Return the blocks to measure for an effect, both in logarithms of the ratio.

    >>> planned(0.1, 0.2, 0.9, 0.95)
    47
    """
    if spread <= effect / 100:
        return PILOT
    pairs = samples_needed(effect, spread, power=power, alpha=1 - confidence, pairs=True)
    return max(PILOT, int(np.ceil(pairs / EFFICIENCY)))


def hodges_lehmann(values: ArrayLike) -> float:
    """Return the median of the means of all pairs, a centre that outliers hardly move.

    >>> hodges_lehmann([1.0, 2.0, 3.0, 100.0])
    2.75
    """
    return float(np.median(_walsh(sample("values", values))))


def signed_rank_interval(values: ArrayLike, confidence: float = 0.95) -> tuple[float, float]:
    """Return the interval of the centre of a symmetric law that Wilcoxon's signed-rank test gives.

    Parameters
    ----------
    values : array_like, shape (n,)
    confidence : float
        The coverage is at least this, exactly so up to 50 values and in the normal limit above.

    Returns
    -------
    (float, float)
        (-inf, inf) when there are too few values, below 6 at 95 %.

    Examples
    --------
    >>> signed_rank_interval([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    (1.0, 6.0)
    """
    data = sample("values", values)
    means = _walsh(data)
    cut = _signed_rank_cut(data.size, (1 - check_level(confidence)) / 2)
    if cut < 0:
        return -inf, inf
    return float(means[cut]), float(means[means.size - 1 - cut])


def _walsh(values: Floats) -> Floats:
    rows, columns = np.triu_indices(values.size)
    return np.sort((values[rows] + values[columns]) / 2)


def _signed_rank_cut(count: int, tail: float) -> int:
    """Return the largest w with P(W <= w) at most `tail`, or -1."""
    if count > 50:
        middle, spread = count * (count + 1) / 4, count * (count + 1) * (2 * count + 1) / 24
        return int(np.floor(middle - 0.5 + stats.norm.ppf(tail) * np.sqrt(spread)))
    ways = np.ones(1)
    for rank in range(1, count + 1):
        longer = np.zeros(ways.size + rank)
        longer[: ways.size] += ways / 2
        longer[rank:] += ways / 2
        ways = longer
    return int(np.searchsorted(np.cumsum(ways), tail, side="right")) - 1


def _warmed(function: Callable[[], object], calls: int, seconds: float, clock: Clock) -> int:
    for _ in range(calls):
        function()
    return calibrate(function, seconds, clock)


def _blocks(
    block: Callable[[], list[float]],
    plan: Callable[[float], int],
    allowed: float,
    clock: Clock,
    show: Callable[[float], None],
) -> tuple[Floats, bool]:
    rows: list[list[float]] = []
    began, wanted = clock(), PILOT
    while len(rows) < wanted:
        rows.append(block())
        spent = 1e-9 * (clock() - began)
        show(spent)
        if len(rows) == PILOT:
            a1, b1, b2, a2 = np.array(rows).T
            wanted = plan(float(np.log((b1 + b2) / (a1 + a2)).std(ddof=1)))
        if len(rows) >= LEAST and spent >= allowed:
            break
    times = np.array(rows)
    if times.min() <= 0:
        raise RuntimeError("the clock did not advance during a sample")
    return times, len(rows) >= wanted
