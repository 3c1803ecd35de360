"""Random numbers by name: each kind of draw of each class at each station has a stream of its own.

Two systems simulated with one seed see the same arrivals and the same service times wherever they
share the names of classes and stations, whatever else differs (common random numbers).

>>> first, second = (Stream(2.0, generator(7, 0, "service", "web", "cpu")) for _ in range(2))
>>> bool((first.take(5) == np.concatenate([second.take(2), second.take(3)])).all())
True
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from perfmodel.lattice import in_units, lattice_span
from perfmodel.queueing.distributions.light_tail import Deterministic
from perfmodel.queueing.distributions.moments import within_floats
from perfmodel.queueing.distributions.phase_type import ArrivalProcess
from perfmodel.queueing.network.elements import ServiceDistribution
from perfmodel.validation import Floats, non_negative, positive, sample

QUANTUM = 4096
"""Draws of a law at a time, so that how a run is cut into pieces never changes its numbers."""


@dataclass(frozen=True)
class Trace:
    """Measured times in seconds, used once each in their order: service or interarrival times.

    >>> Trace([1.0, 3.0]).moment(1)
    2.0
    """

    values: tuple[float, ...]

    def __post_init__(self) -> None:
        """Refuse an empty trace and negative times; keep the values as a tuple."""
        times = non_negative("values", sample("values", self.values))
        positive("the mean of values", times.mean())
        object.__setattr__(self, "values", tuple(times.tolist()))

    @within_floats
    def moment(self, order: int) -> float:
        """Return the mean of values^order."""
        return float(np.mean(np.array(self.values) ** order))


class Stream:
    """An endless supply of draws; a trace ends, and goes on with infinity."""

    def __init__(
        self, law: float | ServiceDistribution | Floats | None, rng: np.random.Generator
    ) -> None:
        """Draw from `law`: a mean in seconds is exponential, None is uniform from 0 to 1."""
        self._law: Any = np.array(law.values) if isinstance(law, Trace) else law
        if isinstance(law, ArrivalProcess):
            self._law = Phases(law)
        self._rng = rng
        self.taken = 0
        self._rest = self._law if isinstance(self._law, np.ndarray) else np.zeros(0)

    @property
    def length(self) -> float:
        """How many draws there are: a trace's length, or infinity."""
        return len(self._law) if isinstance(self._law, np.ndarray) else np.inf

    def take(self, count: int) -> Floats:
        """Return the next `count` draws."""
        drawn = np.empty(count)
        self.fill(drawn)
        return drawn

    def fill(self, drawn: Floats) -> None:
        """Put the next draws into a contiguous array."""
        self.taken += drawn.size
        if self._law is None:
            self._rng.random(out=drawn)
        elif isinstance(self._law, float):
            self._rng.standard_exponential(out=drawn)
            drawn *= self._law
        else:
            self._fill_from_rest(drawn)

    def _fill_from_rest(self, drawn: Floats) -> None:
        filled = 0
        while True:
            part = self._rest[: drawn.size - filled]
            drawn[filled : filled + part.size] = part
            self._rest = self._rest[part.size :]
            filled += part.size
            if filled == drawn.size:
                return
            self._rest = self._more()

    def _more(self) -> Floats:
        if isinstance(self._law, np.ndarray):
            return np.full(QUANTUM, np.inf)
        return np.asarray(self._law.sample(self._rng, QUANTUM))


class Phases:
    """The times between the marked moves of a chain, which goes on where the last draw left it.

    >>> calls = Phases(ArrivalProcess.poisson(4.0))
    >>> bool(abs(calls.sample(np.random.default_rng(1), 100_000).mean() - 0.25) < 0.005)
    True
    """

    def __init__(self, process: ArrivalProcess) -> None:
        """Start as just after an arrival."""
        self._size = len(process.quiet)
        self._pace = -process.quiet.diagonal()
        moves = np.hstack([process.quiet + np.diag(self._pace), process.marked])
        self._odds = (moves / self._pace[:, None]).cumsum(axis=1)
        self._odds[:, -1] = np.inf
        self._phase = -1
        self._start = process.start.cumsum()

    def sample(self, rng: np.random.Generator, count: int) -> Floats:
        """Return the next `count` times in seconds."""
        if self._phase < 0:
            self._phase = int((rng.random() >= self._start[:-1]).sum())
        times, missing, waited = [], count, 0.0
        while missing:
            moments, outcomes = self._moves(rng, 2 * missing)
            marks = np.flatnonzero(outcomes >= self._size)[:missing]
            last = marks[-1] if marks.size == missing else -1
            self._phase = int(outcomes[last] % self._size)
            times.append(np.diff(moments[marks], prepend=-waited))
            waited = moments[last] - (moments[marks[-1]] if marks.size else -waited)
            missing -= marks.size
        return np.concatenate(times)

    def _moves(self, rng: np.random.Generator, count: int) -> tuple[Floats, np.ndarray]:
        """Return the moments of the next moves and where they lead, plus the size if marked."""
        drawn = rng.random(count)
        table = np.stack([np.searchsorted(odds, drawn, "right") for odds in self._odds], axis=1)
        size, outcome = self._size, self._phase
        outcomes = [outcome := row[outcome % size] for row in table.tolist()]
        after = np.array(outcomes)
        before = np.append(self._phase, after[:-1] % size)
        return (rng.standard_exponential(count) / self._pace[before]).cumsum(), after


def counted(laws: list[Any], stretched: bool) -> tuple[list[Any], float]:
    """Return laws in a unit of which all times are whole multiples, and the unit in seconds.

    Where there is none, because times are random or no multiples, or are `stretched` by batches,
    they stay in seconds.

    >>> counted([Deterministic(0.1), Deterministic(0.3)], stretched=False)
    ([Deterministic(mean=1.0), Deterministic(mean=3.0)], 0.1)
    """
    known = [_constants(law) for law in laws if law is not None]
    if stretched or any(values is None for values in known):
        return laws, 1.0
    unit = lattice_span(*known)
    return (laws, 1.0) if unit is None else ([_in_units(law, unit) for law in laws], unit)


def _constants(law: Any) -> Any:
    """Return the times of a law without chance; None for others."""
    if isinstance(law, Deterministic):
        return law.mean
    if isinstance(law, Trace):
        return law.values
    return law if isinstance(law, np.ndarray) or law == 0.0 else None


def _in_units(law: Any, unit: float) -> Any:
    if isinstance(law, Deterministic):
        return Deterministic(float(in_units(law.mean, unit)))
    return Trace(tuple(in_units(law.values, unit))) if isinstance(law, Trace) else law


def generator(seed: int, replication: int, *names: str) -> np.random.Generator:
    """Return the generator of the stream that `names` tell, independent of every other's.

    `seed`: of the whole study, 0 or more. `replication`: which independent repetition. `names`:
    purpose, class and station. PCG64, seeded through NumPy's SeedSequence.
    """
    key = (replication, *(zlib.crc32(name.encode()) for name in names))
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=key)))
