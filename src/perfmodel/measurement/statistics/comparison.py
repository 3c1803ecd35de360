"""Is B faster than A? Measured side by side in blocks, with leave to answer "can't tell".

Blocks are A B B A and B A A B in turn. A block's ratio is the quicker of its two B over the quicker
of its two A, so that a pause which hits one of them does no harm. If A and B are the same program,
the logarithms of the ratios lie symmetrically about zero, whatever the noise and however the
machine drifts: that is all that the signed-rank interval asks for.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from math import exp, log1p

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
from perfmodel.measurement.progress import bar
from perfmodel.measurement.provenance import Provenance, provenance
from perfmodel.measurement.statistics.intervals import (
    bootstrap_interval,
    check_level,
    hodges_lehmann,
    signed_rank_interval,
)
from perfmodel.validation import Floats, at_most, positive, sample, whole

PILOT = 20
"""Blocks after which the number of blocks is planned for the first time."""
MIN_BLOCKS = 6
"""Blocks that are measured even when the time is up: fewer give no 95 % interval."""


@dataclass(frozen=True, eq=False)
class Comparison:
    """Times of A and B in blocks, and the conclusion about B against A."""

    names: tuple[str, str]
    times: Floats
    """Seconds a call, shape (blocks, 2, 2): block, program (A, B), repeat."""
    inner: int
    """Calls in a sample, the same for A and B: the quicker of two means of many calls and the
    quicker of two single calls would differ even for one program."""
    confidence: float
    detect: float
    """Relative difference that the number of blocks was planned for."""
    complete: bool
    """Whether all planned blocks were measured in the time allowed."""
    provenance: Provenance

    @cached_property
    def ratios(self) -> Floats:
        """Quicker time of B over quicker time of A in each block, shape (blocks,)."""
        return _ratios(self.times)

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
    def conclusion(self) -> str:
        """The conclusion about B: "faster", "slower", or "can't tell" if the interval holds 1."""
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
        head = f"{self.names[1]} against {self.names[0]}: {self.conclusion}"
        return (
            f"{head}; ratio of times {self.ratio:.4g}, {100 * self.confidence:g} % interval "
            f"{low:.4g} to {high:.4g}, {len(self.times)} blocks"
            + ("" if self.complete else "; fewer than planned")
        )

    def _repr_html_(self) -> str:
        low, high = self.interval
        rows = {
            "verdict": self.conclusion,
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
    """Time two functions in blocks A B B A, B A A B, and compare them.

    Twenty pilot blocks show how wide the interval is; from that the number of blocks is planned
    that finds a difference of `detect` with the chance `power`, and planned again when that many
    are measured, until they are enough. Only the width is looked at and never the answer, so that
    the interval means what it says.

    On a machine that is busy with other programs, ``clock=time.thread_time_ns`` counts only the
    time that this thread had a core: right for one thread that computes and never waits. Returns a
    `Comparison`. Raises `RuntimeError` if the clock does not advance.

    Parameters
    ----------
    a, b : callable
        Called without arguments.
    detect : float
        Relative difference in time worth finding, above 0.
    power : float
        Chance of finding it, when it is there.
    confidence : float
        Level of the interval, above 0 and below 1.
    max_seconds : float
        Time for all blocks; six are measured in any case.
    warmup : int
        Calls of each function beforehand.
    clock, progress
        As for `timing.measure`.
    names : (str, str)
        Of A and of B, for the text.

    Examples
    --------
    >>> from perfmodel.measurement.simulated import SimulatedMachine
    >>> machine = SimulatedMachine(log_deviation=0.01)
    >>> old, new = machine.job(1e-3), machine.job(0.8e-3)
    >>> compare(old, new, clock=machine.clock).conclusion
    'faster'
    """
    level, allowed = check_level(confidence), float(positive("max_seconds", max_seconds))
    effect = log1p(float(positive("detect", detect)))
    if not 1 - level < power < 1:
        raise ValueError(f"power must be above 1 - confidence and below 1, got {power!r}")
    length = sample_seconds(clock_resolution(clock), allowed)
    calls = whole("warmup", warmup)
    inner = max(_warmed(function, calls, length, clock) for function in (a, b))
    first, second = (partial(time_calls, function, inner, clock) for function in (a, b))
    with bar(progress, allowed) as show:
        times, complete = _blocks(
            (first, second),
            lambda ratios: planned(effect, ratios, power, level),
            allowed,
            clock,
            show,
        )
    return Comparison(names, times, inner, level, detect, complete, provenance())


def planned(effect: float, log_ratios: ArrayLike, power: float, confidence: float) -> int:
    """Return the blocks to measure for an effect, from the width of a pilot's interval.

    The interval narrows with the root of the number of blocks. To find an `effect`, the logarithm
    of a ratio, with a probability of `power`, its half-width has to be the effect times z / (z +
    z_power), where z and z_power are the normal quantiles of the `confidence` and of the power. The
    `log_ratios` are those of the pilot's blocks, of which there are at least as many.

    Examples
    --------
    >>> planned(0.1, [-0.2, -0.1, -0.05, 0.0, 0.0, 0.1, 0.15, 0.2], 0.9, 0.95)
    35
    """
    pilot = sample("log_ratios", log_ratios, MIN_BLOCKS)
    z, z_power = stats.norm.ppf([(1 + confidence) / 2, power])
    wanted = float(positive("effect", effect)) * z / (z + z_power)
    low, high = signed_rank_interval(pilot, min(confidence, 1 - 2.0 ** (2 - pilot.size)))
    needed = (high / 2 - low / 2) / wanted
    at_most("width of the pilot over the effect", needed, 1e100)
    return int(max(pilot.size, np.ceil(pilot.size * needed**2)))


def _warmed(function: Callable[[], object], calls: int, seconds: float, clock: Clock) -> int:
    for _ in range(calls):
        function()
    return calibrate(function, seconds, clock)


def _ratios(times: Floats) -> Floats:
    best = times.min(axis=2)
    return np.asarray(best[:, 1] / best[:, 0])


def _blocks(
    programs: tuple[Callable[[], float], Callable[[], float]],
    plan: Callable[[Floats], int],
    allowed: float,
    clock: Clock,
    show: Callable[[float], None],
) -> tuple[Floats, bool]:
    rows: list[list[list[float]]] = []
    began, wanted = clock(), PILOT
    while len(rows) < wanted:
        outer = len(rows) % 2
        outside, inside = programs[outer], programs[1 - outer]
        early, pair, late = outside(), [inside(), inside()], outside()
        rows.append([[early, late], pair][:: 1 - 2 * outer])
        spent = 1e-9 * (clock() - began)
        show(spent)
        if min(map(min, rows[-1])) <= 0:
            raise RuntimeError("the clock did not advance during a sample")
        if len(rows) == wanted:
            wanted = plan(np.log(_ratios(np.array(rows))))
        if len(rows) >= MIN_BLOCKS and spent >= allowed:
            break
    return np.array(rows), len(rows) >= wanted
