"""Energy: joules from the machine's own counters, from a stated estimate, or a plain refusal.

Watts are not energy. A faster program may draw more power and still need less energy:

>>> hot, cool = Energy(65.5e3, 625.0, "example"), Energy(100e3, 1000.0, "example")
>>> hot.power > cool.power, hot.joules < cool.joules
(True, True)
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from perfmodel.measurement.errors import EnergyUnavailable
from perfmodel.measurement.load import usable_cores
from perfmodel.measurement.nvml import BINDINGS, gpu_counters
from perfmodel.units import prefixed
from perfmodel.validation import non_negative, positive, within

POWERCAP = Path("/sys/class/powercap")
JOULES_PER_KWH = 3.6e6
MIN_READING_INTERVALS = 100
"""Times that a run is at least as long as a reading of the counters."""


class Counter(Protocol):
    """Something that counts joules upwards."""

    @property
    def name(self) -> str:
        """What the energy is of."""

    def read(self) -> float:
        """Return joules since some moment."""

    def between(self, before: float, after: float) -> float:
        """Return the joules from one reading, `before`, to a later one, `after`."""


@dataclass(frozen=True)
class Rapl:
    """A package's energy counter of the Linux powercap interface (Intel RAPL, and AMD's)."""

    folder: Path

    @property
    def name(self) -> str:
        """The domain's name, such as `package-0`."""
        return f"RAPL {(self.folder / 'name').read_text('ascii').strip()}"

    def read(self) -> float:
        """Return joules since the counter was last zero."""
        return 1e-6 * int((self.folder / "energy_uj").read_text("ascii"))

    def between(self, before: float, after: float) -> float:
        """Return the joules from `before` to `after`, at most one wrap-around between them."""
        if after >= before:
            return after - before
        return after - before + 1e-6 * int((self.folder / "max_energy_range_uj").read_text("ascii"))


@dataclass(frozen=True)
class PowerModel:
    """An estimate of power for machines that show none: idle plus a share of the rest."""

    idle: float
    """Watts with nothing to do."""
    busy: float
    """Watts with all cores at work, for example the processor's rated TDP."""
    source: str
    """Where these watts come from: a data sheet, a meter at the wall."""

    def __post_init__(self) -> None:
        """Refuse an estimate without a source, or one that draws less when busy."""
        if not non_negative("idle", self.idle) <= positive("busy", self.busy):
            raise ValueError(f"busy must be at least idle, {self.idle:g} W, got {self.busy:g} W")
        _check_source(self.source)

    def watts(self, utilization: float) -> float:
        """Return the power at a utilization of all cores, from 0 to 1.

        >>> PowerModel(10, 50, "data sheet").watts(0.5)
        30.0
        """
        fraction = float(within("utilization", utilization, 0, 1))
        return self.idle + fraction * (self.busy - self.idle)


@dataclass(frozen=True)
class GridIntensity:
    """Grams of CO2 equivalent for a kilowatt-hour of electricity, with its source: no default."""

    grams_per_kwh: float
    source: str
    """Grid, year and who says so."""

    def __post_init__(self) -> None:
        """Refuse a negative intensity and one without a source."""
        non_negative("grams_per_kwh", self.grams_per_kwh)
        _check_source(self.source)

    @property
    def kilograms_per_joule(self) -> float:
        """The same in SI units."""
        return self.grams_per_kwh / 1e3 / JOULES_PER_KWH


@dataclass(frozen=True)
class Energy:
    """Energy of a run, how long it took, and how it is known."""

    joules: float
    seconds: float
    source: str
    """The counters, or the estimate's source."""
    estimated: bool = False
    calls: int = 1

    @property
    def power(self) -> float:
        """Mean watts over the run."""
        return self.joules / self.seconds

    def per(self, operations: float) -> float:
        """Return joules an operation, when each call does `operations` operations.

        >>> Energy(10.0, 1.0, "example", calls=5).per(100)
        0.02
        """
        return self.joules / self.calls / float(positive("operations", operations))

    def carbon(self, intensity: GridIntensity) -> float:
        """Return the kilograms of CO2 equivalent on a grid of this `intensity`.

        >>> run = Energy(121 * 1000.0, 1000.0, "example")
        >>> round(1e3 * run.carbon(GridIntensity(400, "example grid")), 1)
        13.4
        """
        return self.joules * intensity.kilograms_per_joule

    def __str__(self) -> str:
        kind = "estimate" if self.estimated else "measured"
        joules, seconds = prefixed(self.joules, "J"), prefixed(self.seconds, "s")
        return f"{joules} in {seconds}, {kind}: {self.source}"


def energy_counters(root: Path = POWERCAP) -> tuple[Counter, ...]:
    """Return the energy counters that can be read: the processor's packages, then the GPUs.

    The `root` is the powercap folder.
    """
    counters: list[Counter] = []
    # A package is intel-rapl:0; what lies below it, intel-rapl:0:1, is already part of it.
    for folder in sorted(root.glob("*-rapl:*")):
        if folder.name.count(":") == 1 and os.access(folder / "energy_uj", os.R_OK):
            counters.append(Rapl(folder))
    return (*counters, *gpu_counters())


def measure_energy(
    function: Callable[[], object],
    *,
    seconds: float = 2.0,
    estimate: PowerModel | None = None,
    sources: Sequence[Counter] | None = None,
    clock: Callable[[], int] = time.perf_counter_ns,
    busy: Callable[[], float] = time.process_time,
) -> Energy:
    """Call a function again and again and return the energy that the machine took meanwhile.

    The counters see the whole package, other programs included. A function that hands work to a GPU
    must wait for it: otherwise the counters are read before the work is done. Returns an `Energy`.
    Raises `EnergyUnavailable` if no counter can be read and no estimate was asked for.

    Parameters
    ----------
    function : callable
        Called without arguments, at least once.
    seconds : float
        How long to go on at least, above 0; the counters advance in steps of a millisecond and
        more. Reading them takes time too, a GPU's often milliseconds: the run lasts at least a
        hundred times as long, and joules and seconds both count from reading to reading.
    estimate : PowerModel, optional
        Used only where no counter can be read, and then labelled an estimate: its power at the
        utilization of all usable cores by this process.
    sources : sequence of Counter, optional
        Instead of `energy_counters()`.
    clock, busy : callable
        Nanoseconds of time, and seconds of processor time of this process.

    Examples
    --------
    >>> from perfmodel.measurement.simulated import SimulatedMachine
    >>> machine, model = SimulatedMachine(log_deviation=0.0), PowerModel(5, 45, "data sheet")
    >>> clocks = {"clock": machine.clock, "busy": lambda: 0.0}
    >>> print(measure_energy(machine.job(0.5), estimate=model, sources=[], **clocks))
    10 J in 2 s, estimate: data sheet, at 0 % utilization
    """
    allowed = float(positive("seconds", seconds))
    meters = energy_counters() if sources is None else tuple(sources)
    if not meters and estimate is None:
        raise EnergyUnavailable("energy", _why_not(), "run as a user who may, or pass `estimate`")
    asked = clock()
    before, worked, began = [meter.read() for meter in meters], busy(), clock()
    calls, spent, reading = 0, 0.0, 1e-9 * (began - asked)
    while calls == 0 or spent < max(allowed, MIN_READING_INTERVALS * reading):
        function()
        calls += 1
        spent = 1e-9 * (clock() - began)
    if spent <= 0:
        raise RuntimeError("the clock did not advance during the run")
    ended = clock()
    after = [meter.read() for meter in meters]
    if meters:
        # Each reading is of some moment in it, so the joules are of the time between their middles.
        spent = 1e-9 * ((ended + clock()) - (asked + began)) / 2
    if estimate is not None and not meters:
        fraction = min(1.0, (busy() - worked) / spent / usable_cores())
        source = f"{estimate.source}, at {100 * fraction:.0f} % utilization"
        return Energy(estimate.watts(fraction) * spent, spent, source, True, calls)
    triples = zip(meters, before, after, strict=True)
    joules = sum(meter.between(first, last) for meter, first, last in triples)
    names = ", ".join(meter.name for meter in meters)
    return Energy(joules, spent, names, calls=calls)


def _why_not() -> str:
    if any(POWERCAP.glob("*-rapl:*")):
        return f"only root may read the counters in {POWERCAP}"
    return (
        f"there is no RAPL counter in {POWERCAP}, and no NVIDIA GPU that counts energy, "
        f"or no {BINDINGS} to ask it"
    )


def _check_source(source: str) -> None:
    if not source.strip():
        raise ValueError(f"source must say where the number comes from, got {source!r}")
