"""A poll on Little's law, by the two counters."""

from __future__ import annotations

import numpy as np

from perfmodel.ledger import Sheet, recomputed
from perfmodel.queueing.operational_analysis.counters import between_readings
from perfmodel.queueing.operational_analysis.population import read_path


def _cars() -> float:
    """Return the mean population that the counters show over an hour of a day of cars."""
    arrivals = np.arange(0.0, 24 * 3600, 3600 / 12)
    departures = arrivals + 6 * 60
    first, last = (read_path(arrivals, departures, 3600.0 * hour) for hour in (11, 12))
    return between_readings(first, last).population


SHEET = Sheet(
    "C. Xia, talk at TeaPACS 2021 (slides), reported in V. de Nitto Personè and Y. C. Tay, ACM "
    "SIGMETRICS Performance Evaluation Review 49(4), 2022",
    [
        recomputed(
            "mean cars at a drive-through, 12 an hour for 6 minutes each, counted over an hour",
            "1.2",
            "slide 16",
            _cars,
        )
    ],
    unheld="That the two accumulators agree (Little 1961; Denning and Buzen 1978) is proved, not "
    "printed: the tests check it on random paths under every order of service.",
)
