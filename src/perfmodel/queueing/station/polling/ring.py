"""What a polling system is given: rates, times and disciplines, one of each a queue.

>>> ring = checked_ring(SOLVED, [0.3, 0.1], 1.0, 0.5, ["gated", "exhaustive"], 1.0, 0.0)
>>> print(ring.loads, ring.of_kind("gated"))
[0.3 0.1] [ True False]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.queueing.station.result import items_of, stable
from perfmodel.validation import Floats, at_most, non_negative, positive, sample, whole

SOLVED = ("exhaustive", "gated")
"""Disciplines whose mean waits are known queue by queue."""
CONSERVED = (*SOLVED, "1-limited")
"""Disciplines for which the weighed sum of the waits is known."""
_MOST_QUEUES = 200
_LARGEST = 1e50
Check = Callable[[str, ArrayLike], Floats]


@dataclass(frozen=True)
class Ring:
    """What a polling system is given, checked; one value a queue."""

    rates: Floats
    services: Floats
    seconds: Floats
    """E[S^2] of the service times."""
    switchovers: Floats
    switchover_scvs: Floats
    """Squared coefficients of variation of the switchover times."""
    disciplines: tuple[str, ...]

    @property
    def loads(self) -> Floats:
        """Share of time that the server works at each queue."""
        return self.rates * self.services

    @property
    def backlog(self) -> float:
        """Mean wait without switchovers, first come first served: the wait of M/G/1."""
        return float(self.rates @ self.seconds / 2 / (1 - self.loads.sum()))

    def of_kind(self, *disciplines: str) -> np.ndarray:
        """Return which queues have one of the disciplines, shape (queues,)."""
        return np.isin(self.disciplines, disciplines)


def checked_ring(
    allowed: Sequence[str],
    arrival_rates: ArrayLike,
    mean_services: ArrayLike,
    mean_switchovers: ArrayLike,
    discipline: str | Sequence[str],
    scvs: ArrayLike,
    switchover_scvs: ArrayLike,
) -> Ring:
    """Return the arguments of `waits.polling` as arrays of one value a queue, or refuse them.

    Raises `ValueError` if one is out of range, of another length, not `allowed`, or the utilization
    is 1 or more.
    """
    rates = non_negative("arrival_rates", sample("arrival_rates", arrival_rates))
    queues = whole("number of arrival_rates", rates.size, 1, _MOST_QUEUES)
    at_most("arrival_rates", rates, _LARGEST)
    means = _each("mean_services", mean_services, queues, positive)
    stable((rates * means).sum())
    return Ring(
        rates,
        means,
        means**2 * (1 + _each("scvs", scvs, queues)),
        _each("mean_switchovers", mean_switchovers, queues),
        _each("switchover_scvs", switchover_scvs, queues),
        _disciplines(allowed, discipline, queues),
    )


def _each(name: str, value: ArrayLike, queues: int, check: Check = non_negative) -> Floats:
    """Return one value a queue, refusing another number of them."""
    values = at_most(name, check(name, value), _LARGEST)
    if values.shape not in ((), (queues,)):
        raise ValueError(f"{name} must be {queues} values, one a queue, got shape {values.shape}")
    return np.broadcast_to(values, queues)


def _disciplines(
    allowed: Sequence[str], discipline: str | Sequence[str], queues: int
) -> tuple[str, ...]:
    names = (discipline,) * queues if isinstance(discipline, str) else items_of(discipline)
    fine = all(isinstance(name, str) and name in allowed for name in names)
    if len(names) != queues or not fine:
        raise ValueError(
            f"discipline must be one of {', '.join(allowed)}, or one for each of {queues} queues, "
            f"got {discipline!r}"
        )
    return names
