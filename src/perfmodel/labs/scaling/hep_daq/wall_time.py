"""What an event costs in the last trigger, against its size: 34 points and forms fitted to them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Final, NamedTuple

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestRegressor

from perfmodel.shipped_data import shipped_table
from perfmodel.validation import Floats, positive, whole

Form = Callable[[Floats, Floats], Callable[[Floats], Floats]]


class WallTimes(NamedTuple):
    """Events and what they take, arrays of shape (n,), by rising size."""

    size: Floats
    """Bytes."""
    time: Floats
    """1 at 2,000,000 bytes, no unit."""


def wall_times(dropped: int = 0) -> WallTimes:
    """Return the table, without the `dropped` largest events.

    >>> len(wall_times().size), round(float(wall_times(1).size[-1]) / 1e6, 2)
    (34, 4.67)
    """
    table = _table()
    remaining = len(table) - whole("dropped", dropped)
    if remaining < 4:
        raise ValueError(f"dropped must leave 4 events or more of {len(table)}, got {dropped}")
    return WallTimes(
        table["bytes"].to_numpy()[:remaining], table["wall_time"].to_numpy()[:remaining]
    )


def cubic(size: Floats, time: Floats) -> Callable[[Floats], Floats]:
    """Return the authors' form, k3 x^3 + k2 x^2 + k1 x, fitted by least squares.

    >>> round(float(cubic(*wall_times())(np.array(8.425e6))), 2)
    27.88
    """
    k = cubic_terms(size, time)
    return lambda x: k[0] * (x / 1e6) ** 3 + k[1] * (x / 1e6) ** 2 + k[2] * (x / 1e6)


def cubic_terms(size: Floats, time: Floats) -> Floats:
    """Return k3, k2, k1 of the cubic for sizes in MB, shape (3,)."""
    megabytes = positive("size", size) / 1e6
    powers = np.stack([megabytes**3, megabytes**2, megabytes], axis=1)
    return np.asarray(np.linalg.lstsq(powers, time, rcond=None)[0], np.float64)


def quadratic(size: Floats, time: Floats) -> Callable[[Floats], Floats]:
    """Return a x^2 + b x + c, fitted by least squares."""
    k = np.polyfit(size / 1e6, time, 2)
    return lambda x: np.asarray(np.polyval(k, x / 1e6), np.float64)


def exponential(size: Floats, time: Floats) -> Callable[[Floats], Floats]:
    """Return a e^(b x), a straight line through the logarithms of the times."""
    k = np.polyfit(size / 1e6, np.log(time), 1)
    return lambda x: np.asarray(np.exp(np.polyval(k, x / 1e6)), np.float64)


def forest(size: Floats, time: Floats) -> Callable[[Floats], Floats]:
    """Return a forest of 200 trees."""
    trees = RandomForestRegressor(200, random_state=0).fit(size[:, None], time)
    return lambda x: trees.predict(np.reshape(x, (-1, 1))).reshape(np.shape(x))


FORMS: Final[dict[str, Form]] = {
    "cubic without constant (the authors')": cubic,
    "quadratic": quadratic,
    "exponential": exponential,
    "forest": forest,
}


@cache
def _table() -> pd.DataFrame:
    return shipped_table(__package__, "wall_time.csv")
