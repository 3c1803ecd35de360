"""A service behind the loopback interface: mean response time of servers of three kinds.

Requests arrive as a Poisson process, whatever the length of the queue, and ask for service of a
known distribution. `one worker` spins for a request at a time in order of arrival, `time slices`
spins for 0.2 ms of each request in turn, `sleepers` are several threads that sleep for the time
asked, taking requests in order of arrival.

Chosen before any run was recorded: both models, the features (with the offered load, which any
operator knows) and the way a run is measured, from queueing theory: Pollaczek-Khinchine for one
worker, processor sharing for slices (the mean depends on the distribution only by its mean), and
Allen-Cunneen for several sleepers. The second model adds what a request costs beyond what it asks
for, fitted to the training rows. Nothing was changed after the recording.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize
from sklearn.base import BaseEstimator, RegressorMixin

from perfmodel.labs.prediction.shootout.measured import sessions
from perfmodel.prediction.arena.contest import Estimator
from perfmodel.prediction.arena.dataset import Dataset
from perfmodel.prediction.arena.estimators import Formula
from perfmodel.queueing.station.ggc import allen_cunneen
from perfmodel.validation import Floats, positive

if TYPE_CHECKING:
    import pandas as pd

FILE = "loopback_service.csv"
UNITS = {
    "rate": "1/s",
    "service": "s",
    "servers": "1",
    "load": "1",
    "scv": "1",
    "sharing": "1",
    "sleeping": "1",
}
"""`rate` of arrivals; `service`: mean time asked for; `load`: their product over `servers`; `scv`:
squared coefficient of variation of the time asked for; `sharing` and `sleeping`: 1 for the server
that takes turns, and for the one that sleeps, else 0."""
LOGGED = ("rate", "service", "servers", "load")
PLAIN = ("scv", "sharing", "sleeping")
FULLEST = 0.98
"""Utilization that the fitted model counts as the highest: above 1 no mean exists."""
START = 50e-6
"""Seconds from which the search for each constant starts, about a few system calls."""


def dataset() -> Dataset:
    """Return the recorded runs, grouped by `distribution` of the time asked for and by `server`."""
    name, groups = "loopback service", ("distribution", "server")
    return sessions.dataset(FILE, name, UNITS, groups, "mean response time", "mean")


def whiteboxes() -> dict[str, Estimator]:
    """Return the two models that were written before the recording."""
    return {
        "queueing formulas, nothing fitted": Formula(response_time),
        "queueing formulas, 3 overheads": WithOverheads(),
    }


def work(features: pd.DataFrame) -> Floats:
    """Return the mean time that each request asks for, in seconds, shape (n,)."""
    return positive("service", features["service"].to_numpy())


def response_time(features: pd.DataFrame) -> Floats:
    """Return the mean response time of each server, in seconds, shape (n,).

    S / (1 - rate S) where requests share one worker; otherwise Allen-Cunneen, which for one worker
    is Pollaczek-Khinchine. An unstable server is refused.
    """
    rate, mean, servers, scv, sharing = (
        features[name].to_numpy(dtype=float)
        for name in ("rate", "service", "servers", "scv", "sharing")
    )
    # A memoryless server answers as quickly in the mean whether it takes turns or not.
    varied = np.where(sharing > 0, 1.0, scv)
    return np.asarray(allen_cunneen(rate, mean, 1.0, varied, servers).response_time)


class WithOverheads(BaseEstimator, RegressorMixin):  # type: ignore[misc]
    """Queueing formulas of a service that costs more than it asks for, by three constants.

    Fitted to the least sum of absolute logarithms of the error.
    """

    def fit(self, X: pd.DataFrame, y: ArrayLike) -> Self:
        """Fit the constants to mean response times in seconds, shape (n,)."""
        seconds = positive("y", y)

        def loss(logs: Any) -> float:
            return float(np.abs(np.log(_stretched(X, np.exp(logs)) / seconds)).sum())

        starts = [np.log(START) + np.log(scale) for scale in ([1, 1, 1], [0.1, 1, 3], [3, 1, 0.1])]
        fits = [optimize.minimize(loss, start, method="Nelder-Mead") for start in starts]
        self.constants_ = np.exp(min(fits, key=lambda fit: float(fit.fun)).x)
        """Seconds that a request keeps a spinning worker beyond what it asks, a sleeping one, and
        seconds on the way that keep none."""
        return self

    def predict(self, X: pd.DataFrame) -> Floats:
        """Return mean response times in seconds, shape (n,)."""
        return _stretched(X, self.constants_)


def _stretched(features: pd.DataFrame, constants: Any) -> Floats:
    spinning, sleeping, passage = constants
    asked = features["service"].to_numpy(dtype=float)
    service = asked + np.where(features["sleeping"].to_numpy() > 0, sleeping, spinning)
    full = FULLEST * features["servers"].to_numpy(dtype=float) / features["rate"].to_numpy()
    occupied = np.minimum(service, np.maximum(full, asked))
    # The overhead is constant: it adds to the mean and not to the variance.
    adjusted = features.assign(service=occupied, scv=features["scv"] * (asked / occupied) ** 2)
    return np.asarray(response_time(adjusted) + (service - occupied) + passage)
