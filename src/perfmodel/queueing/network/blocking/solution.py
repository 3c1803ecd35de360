"""The results of a closed network with small buffers: throughput, and the jobs that are blocked.

>>> import numpy as np
>>> from perfmodel.queueing.network.model import JobClass, Network, Station
>>> line = Network([Station("press", capacity=2), Station("oven", capacity=1)],
...                [JobClass("parts", population=2)], [1.0, 1.0])
>>> BlockingSolution(line, "by hand", True, *(np.array([0.5, 0.25]) for _ in range(6)))
by hand (exact)
station  throughput (1/s)  utilization  blocked  queue length  time (s)  finds no room  full
press    0.5               0.5          0.5      0.5           1         0.5            0.5
oven     0.25              0.25         0.25     0.25          1         0.25           0.25
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from perfmodel.printed_tables import PrintedTable
from perfmodel.queueing.network.model import Network
from perfmodel.units import number
from perfmodel.validation import Floats


@dataclass(frozen=True, eq=False, repr=False)
class BlockingSolution:
    """Steady-state measures of a closed network with full stations; all of shape (stations,)."""

    network: Network
    method: str
    exact: bool
    """Whether the method gives the model's true value, up to rounding."""
    throughput: Floats
    """Visits completed per second, the job having moved on."""
    utilization: Floats
    """Share of the servers that work on a job for the first time; the mean number at a delay."""
    blocked: Floats
    """Mean servers held by jobs whose service ended, but that found no room where they go."""
    queue_length: Floats
    """Mean jobs at the station, those that wait for room elsewhere included."""
    blocking_probability: Floats
    """Share of the services at whose end the job finds no room."""
    full_probability: Floats
    """Share of the time in which the station is full; 0 where there is room for all."""
    warning: str = ""
    """Why not to trust the result in full; empty where there is no reason."""

    @property
    def response_time(self) -> Floats:
        """Seconds of one visit: waiting, service and waiting for room, shape (stations,)."""
        return np.asarray(self.queue_length / self.throughput)

    def table(self) -> list[dict[str, float | str]]:
        """Return one row per station, ready for `pandas.DataFrame` or `live.table`."""
        columns = {
            "throughput (1/s)": self.throughput,
            "utilization": self.utilization,
            "blocked": self.blocked,
            "queue length": self.queue_length,
            "time (s)": self.response_time,
            "finds no room": self.blocking_probability,
            "full": self.full_probability,
        }
        return [
            {"station": station.name, **{name: float(v[k]) for name, v in columns.items()}}
            for k, station in enumerate(self.network.stations)
        ]

    def printed(self) -> PrintedTable:
        """Return a row for each station."""
        rows = [
            [value if isinstance(value, str) else number(value) for value in row.values()]
            for row in self.table()
        ]
        trust = "exact" if self.exact else "not exact here"
        notes = [self.warning] if self.warning else []
        return PrintedTable(f"{self.method} ({trust})", list(self.table()[0]), rows, notes)

    def __repr__(self) -> str:
        """Return the table as text."""
        return str(self.printed())

    def _repr_html_(self) -> str:
        return self.printed().html()
