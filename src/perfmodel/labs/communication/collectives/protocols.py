"""A whitebox of measured collectives: rounds and bytes of a ring, each at a price, and one break.

Time is a start, so much a round and so much a byte of the ring's volume. Small and large vectors
have prices of their own; where one protocol gives way to the other is searched for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import nnls
from sklearn.base import BaseEstimator, RegressorMixin

from perfmodel.communication import collective_cost
from perfmodel.labs.communication.collectives.inputs import RINGS
from perfmodel.validation import Floats, positive, whole

if TYPE_CHECKING:
    import pandas as pd

_LEAST = 3
"""Different sizes that a protocol must have."""


class RingPrices(BaseEstimator, RegressorMixin):  # type: ignore[misc]
    """Start, round and byte of a ring, each at a price of 0 or more, with at most one break.

    No break for one protocol, one for two.

    >>> import pandas as pd
    >>> runs = pd.DataFrame({"ranks": [2, 4] * 8, "bytes": np.repeat(2.0 ** np.arange(8, 16), 2)})
    >>> rounds = 2 * (runs["ranks"] - 1)
    >>> times = 10 + rounds * (3 + 0.5 * runs["bytes"] / runs["ranks"])
    >>> RingPrices("all-reduce", 0).fit(runs, times).prices_[0].round(6)
    array([10. ,  3. ,  0.5])
    """

    def __init__(self, collective: str, breaks: int = 1) -> None:
        self.collective = collective
        self.breaks = breaks

    def fit(self, X: pd.DataFrame, y: ArrayLike) -> Self:
        """Fit prices and break to positive times, shape (n,), by least squared relative errors."""
        if self.breaks not in (0, 1):
            raise ValueError(f"breaks must be 0 or 1, got {self.breaks!r}")
        times, sizes, counts = positive("y", y), X["bytes"].to_numpy(float), self._counts(X)
        different = np.unique(sizes)
        least, self.break_, self.prices_ = np.inf, np.inf, np.zeros((1, 3))
        ends = different[_LEAST - 1 : -_LEAST] if self.breaks else [np.inf]
        for end in ends:
            parts = [rows for rows in (sizes <= end, sizes > end) if rows.any()]
            fits = [_priced(counts[rows], times[rows]) for rows in parts]
            error = sum(residual for _, residual in fits)
            if error < least:
                least, self.break_ = error, float(end)
                self.prices_ = np.array([prices for prices, _ in fits])
        return self

    def predict(self, X: pd.DataFrame) -> Floats:
        """Return times, shape (n,)."""
        place = (X["bytes"].to_numpy(float) > self.break_).astype(int)
        return np.asarray((self._counts(X) * self.prices_[place]).sum(axis=1))

    def _counts(self, X: pd.DataFrame) -> Floats:
        name = RINGS[self.collective]
        costs = {
            count: collective_cost(self.collective, name, whole("ranks", count, 2), 1.0)
            for count in np.unique(X["ranks"].to_numpy())
        }
        pairs = zip(X["ranks"], X["bytes"], strict=True)
        return np.array([(1, costs[p].rounds, costs[p].volume * size) for p, size in pairs], float)


def _priced(counts: Floats, times: Floats) -> tuple[Floats, float]:
    relative = counts / times[:, None]
    scale = np.sqrt((relative**2).mean(axis=0))
    scale[scale == 0] = 1
    prices, residual = nnls(relative / scale, np.ones(len(times)))
    return prices / scale, float(residual) ** 2
