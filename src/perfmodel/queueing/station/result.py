"""The result of solving one station: the means, how they were found, and when to doubt them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.printed_tables import PrintedTable
from perfmodel.units import number
from perfmodel.validation import Floats

UNITS = {
    "arrival_rate": " (jobs/s)",
    "throughput": " (jobs/s)",
    "utilization": "",
    "response_time": " (s)",
    "waiting_time": " (s)",
    "queue_length": " (jobs)",
    "waiting_length": " (jobs)",
    "loss_probability": "",
}
COLUMNS = 6
"""Most points of an array that are printed."""


@dataclass(frozen=True, repr=False)
class StationResult:
    """Means of a station in its steady state; arrays where the inputs were arrays.

    >>> StationResult.from_waiting(0.5, 1.0, 1.5, "M/M/1")
    M/M/1 (exact)
    arrival rate (jobs/s)  0.5
    throughput (jobs/s)    0.5
    utilization            0.5
    response time (s)      2.5
    waiting time (s)       1.5
    queue length (jobs)    1.25
    waiting length (jobs)  0.75
    loss probability       0
    """

    arrival_rate: Floats
    """Jobs per second that are offered."""
    throughput: Floats
    """Jobs per second that are served; below `arrival_rate` where jobs are turned away."""
    utilization: Floats
    """Mean share of the servers that are busy (mean number busy where there is no limit)."""
    response_time: Floats
    """Mean seconds from arrival to departure, of the jobs that are served."""
    waiting_time: Floats
    """Mean seconds before service starts (response time less service time under preemption)."""
    queue_length: Floats
    """Mean number of jobs at the station, waiting or in service."""
    waiting_length: Floats
    """Mean number of jobs that wait."""
    method: str
    """Name of the formula or algorithm."""
    exact: bool = True
    """False for an approximation, a bound or a limit."""
    warning: str = ""
    """When not to trust the figures; empty where there is nothing to say."""
    loss_probability: Floats = field(default_factory=lambda: np.zeros(()))
    """Share of the offered jobs that are turned away."""

    def printed(self) -> PrintedTable:
        """Return the means with their units, the first points of arrays side by side."""
        columns = np.broadcast_arrays(*(np.asarray(getattr(self, name)) for name in UNITS))
        points = columns[0].size
        rows = [
            [name.replace("_", " ") + unit, *(number(float(v)) for v in column.flat)]
            for (name, unit), column in zip(UNITS.items(), columns, strict=True)
        ]
        notes = [self.warning] if self.warning else []
        if points > COLUMNS:
            notes.append(f"the first {COLUMNS} of {points} points")
        kept = [row[: COLUMNS + 1] for row in rows]
        trust = "exact" if self.exact else "not exact"
        return PrintedTable(f"{self.method} ({trust})", [""] * len(kept[0]), kept, notes)

    def __repr__(self) -> str:
        """Return the table as text."""
        return str(self.printed())

    def _repr_html_(self) -> str:
        return self.printed().html()

    @classmethod
    def from_waiting(
        cls,
        arrival_rate: ArrayLike,
        service_time: ArrayLike,
        waiting_time: ArrayLike,
        method: str,
        *,
        servers: ArrayLike = 1,
        utilization: ArrayLike | None = None,
        **more: Any,
    ) -> Self:
        """Return the result of a station that turns no job away, the rest by Little's law.

        Parameters
        ----------
        arrival_rate : array_like
            Jobs per second. The first three arguments and `servers` broadcast.
        service_time, waiting_time : array_like
            Means in seconds.
        method : str
            Name of the formula or algorithm.
        servers : array_like
            Among which the work is shared.
        utilization : array_like, optional
            Where it is not the arrival rate times the service time over the servers.
        **more
            `exact`, `warning`, and whatever a kind of result has besides the means.

        Examples
        --------
        >>> result = StationResult.from_waiting(0.5, 1.0, 1.0, "M/M/1")
        >>> print(result.response_time, result.queue_length, result.utilization)
        2.0 1.0 0.5
        """
        waiting, service = np.asarray(waiting_time), np.asarray(service_time, dtype=np.float64)
        rate, response, waiting = np.broadcast_arrays(
            np.asarray(arrival_rate, dtype=np.float64), waiting + service, waiting
        )
        if utilization is None:
            utilization = rate * service / np.asarray(servers, dtype=np.float64)
        return cls(
            arrival_rate=rate[()],
            throughput=rate[()],
            utilization=np.asarray(utilization)[()],
            response_time=response[()],
            waiting_time=waiting[()],
            queue_length=rate * response,
            waiting_length=rate * waiting,
            method=method,
            **more,
        )


def stable(utilization: ArrayLike) -> Floats:
    """Return the utilization, refusing 1 and above, where the queue has no steady state.

    >>> stable(1.25)
    Traceback (most recent call last):
        ...
    ValueError: utilization must be below 1 for a steady state, got 1.25
    """
    rho = np.asarray(utilization, dtype=np.float64)
    if not (rho < 1).all():
        raise ValueError(
            f"utilization must be below 1 for a steady state, got {float(np.max(rho)):g}"
        )
    return rho


def items_of(value: object) -> tuple[Any, ...]:
    """Return what a list or another iterable holds; nothing if `value` is none.

    >>> items_of([3, 4]), items_of(3), items_of(np.array(3))
    ((3, 4), (), ())
    """
    single = isinstance(value, np.ndarray) and not value.ndim
    return tuple(value) if isinstance(value, Iterable) and not single else ()
