"""Timing a function: warm up, loop until the clock can see it, repeat until it is sure enough.

>>> from perfmodel.measurement.simulated import SimulatedMachine
>>> machine = SimulatedMachine(log_deviation=0.1)
>>> found = measure(machine.job(0.02), clock=machine.clock)
>>> found.minimum < found.median, round(found.median, 3), found.reached
(True, 0.02, True)
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from math import ceil

import numpy as np

from perfmodel.measurement import load
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
    median_interval,
)
from perfmodel.units import prefixed
from perfmodel.validation import Floats, positive, whole

MIN_SAMPLES = 5
"""Samples that are taken even when they last longer than the time allowed."""


@dataclass(frozen=True, eq=False)
class Measurement:
    """Samples of one function's time, with what is needed to judge them."""

    name: str
    samples: Floats
    """Seconds a call, shape (samples,), in the order taken."""
    inner: int
    """Calls in a sample."""
    warmup: Floats
    """Seconds of each call before sampling; the first often pays for compiling and caches."""
    resolution: float
    """Seconds that the clock can tell apart."""
    confidence: float
    """Level of `interval`."""
    target: float | None
    """Half-width of the median's interval, relative to the median, that was aimed at."""
    reached: bool
    """Whether the target was reached in time; True where none was set."""
    load: load.Load | None
    """The other load of the machine; None where it was not observed."""
    provenance: Provenance

    @property
    def minimum(self) -> float:
        """Seconds a call in the quickest sample: the time with the least disturbance."""
        return float(self.samples.min())

    @property
    def median(self) -> float:
        """Seconds a call: half of the samples took longer."""
        return float(np.median(self.samples))

    @property
    def mean(self) -> float:
        """Seconds a call; a single long pause moves it."""
        return float(self.samples.mean())

    @cached_property
    def interval(self) -> tuple[float, float]:
        """Bootstrap percentile interval of the median, in seconds.

        It describes this process only: see `child.across_processes` for the others.
        """
        return bootstrap_interval(self.samples, np.median, self.confidence)

    @property
    def relative_width(self) -> float:
        """Half the width of `interval` over the median."""
        return (self.interval[1] - self.interval[0]) / 2 / self.median

    def __str__(self) -> str:
        times = (self.median, self.minimum, *self.interval)
        median, minimum, low, high = (prefixed(value, "s") for value in times)
        return (
            f"{self.name}: median {median}, {100 * self.confidence:g} % interval "
            f"{low} to {high}, minimum {minimum}, {self.samples.size} samples of "
            f"{self.inner} calls" + ("" if self.reached else "; target not reached in time")
        )

    def _repr_html_(self) -> str:
        low, high = (prefixed(end, "s") for end in self.interval)
        rows = {
            "median": prefixed(self.median, "s"),
            f"{100 * self.confidence:g} % interval": f"{low} to {high}",
            "minimum": prefixed(self.minimum, "s"),
            "mean": prefixed(self.mean, "s"),
            "samples": f"{self.samples.size} of {self.inner} calls",
            "processor": self.provenance.host.processor,
            "date": self.provenance.date,
        }
        return html_table(self.name, rows)


def measure(
    function: Callable[[], object],
    *,
    target: float = 0.02,
    confidence: float = 0.95,
    max_seconds: float = 2.0,
    warmup: int = 1,
    clock: Clock = time.perf_counter_ns,
    progress: bool = False,
    name: str | None = None,
) -> Measurement:
    """Time a function until the median is known to within a target, or the time is up.

    After the warm-up a sample is made long enough for the clock by calling the function several
    times in it. Samples are then taken until the median's distribution-free interval is narrow
    enough; it is looked at after 5 samples and after each quarter more, so that few looks are made.
    Returns a `Measurement`. Raises `RuntimeError` if the clock does not advance or goes backwards.

    Parameters
    ----------
    function : callable
        Called without arguments; its result is dropped.
    target : float
        Half-width of the median's interval, relative to the median, above 0.
    confidence : float
        Level of that interval, above 0 and below 1.
    max_seconds : float
        Time for sampling, warm-up and calibration apart; five samples are taken in any case.
    warmup : int
        Calls beforehand, 0 or more; with 0 the calibration sees the first call.
    clock : callable
        Returns nanoseconds.
    progress : bool
        Show a bar, drawn between samples.
    name : str, optional
        What was measured; the function's own name by default.

    Examples
    --------
    >>> from perfmodel.measurement.simulated import SimulatedMachine
    >>> machine = SimulatedMachine(log_deviation=0.0)
    >>> measure(machine.job(0.5), max_seconds=100, clock=machine.clock).samples.size
    7
    """
    positive("target", target)
    allowed = float(positive("max_seconds", max_seconds))
    level = check_level(confidence)
    with bar(progress, allowed) as show:
        return _measured(
            function,
            warmup=warmup,
            clock=clock,
            allowed=allowed,
            name=name,
            level=level,
            target=target,
            collect=partial(_until, target, level, allowed, show),
        )


def repeat(
    function: Callable[[], object],
    runs: int = 60,
    *,
    confidence: float = 0.95,
    seconds: float = 1.0,
    warmup: int = 1,
    clock: Clock = time.perf_counter_ns,
    name: str | None = None,
) -> Measurement:
    """Time a function in a given number of short samples, for a minimum that many agree on.

    There are `runs` samples, 5 or more, which may take about `seconds` seconds together, unless a
    single call is longer than its share; 1000 ticks of the clock are enough for a sample. The
    `function`, `confidence`, `warmup`, `clock` and `name` are as for `measure`, as is what is
    raised. The `Measurement` has no target.

    Examples
    --------
    >>> from perfmodel.measurement.simulated import SimulatedMachine
    >>> machine = SimulatedMachine()
    >>> repeat(machine.job(0.01), runs=20, clock=machine.clock).samples.size
    20
    """
    count = whole("runs", runs, MIN_SAMPLES)
    return _measured(
        function,
        warmup=warmup,
        clock=clock,
        allowed=float(positive("seconds", seconds)),
        name=name,
        level=check_level(confidence),
        target=None,
        collect=lambda draw, _: ([draw() for _ in range(count)], True),
    )


_Draw = Callable[[], float]
_Collect = Callable[[_Draw, Clock], tuple[list[float], bool]]


def _measured(
    function: Callable[[], object],
    *,
    warmup: int,
    clock: Clock,
    allowed: float,
    name: str | None,
    level: float,
    target: float | None,
    collect: _Collect,
) -> Measurement:
    tick = clock_resolution(clock)
    warm = [time_calls(function, 1, clock) for _ in range(whole("warmup", warmup))]
    inner = calibrate(function, sample_seconds(tick, allowed), clock)
    before = load.snapshot()
    times, reached = collect(lambda: time_calls(function, inner, clock), clock)
    if min(times) <= 0:
        raise RuntimeError(f"the clock did not advance during a sample of {inner} calls")
    return Measurement(
        name=name or str(getattr(function, "__name__", type(function).__name__)),
        samples=np.array(times),
        inner=inner,
        warmup=np.array(warm),
        resolution=tick,
        confidence=level,
        target=target,
        reached=reached,
        load=load.between(before, load.snapshot()),
        provenance=provenance(),
    )


def _until(
    target: float,
    confidence: float,
    allowed: float,
    show: Callable[[float], None],
    draw: _Draw,
    clock: Clock,
) -> tuple[list[float], bool]:
    times: list[float] = []
    began, look = clock(), MIN_SAMPLES
    while True:
        times.append(draw())
        spent = 1e-9 * (clock() - began)
        show(spent)
        late = len(times) >= MIN_SAMPLES and spent >= allowed
        if late or len(times) >= look:
            if _narrow(times, target, confidence):
                return times, True
            look = ceil(1.25 * len(times))
        if late:
            return times, False


def _narrow(times: list[float], target: float, confidence: float) -> bool:
    low, high = median_interval(times, confidence)
    return high - low <= 2 * target * float(np.median(times))
