"""Forecasts of a bandwidth from its own past, as the Network Weather Service makes them.

No method is best on every route, so it runs a bank of simple ones and takes each time the one that
has been best so far.

>>> forecasts = bank([4.0, 4.0, 1.0, 1.0])
>>> forecasts["last"].tolist(), forecasts["mean"].tolist()
([4.0, 4.0, 1.0, 1.0], [4.0, 4.0, 3.0, 2.5])
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.validation import Floats, sample


def bank(series: ArrayLike) -> dict[str, Floats]:
    """Return one-step forecasts of a series, shape (n,), by each simple method of the NWS.

    Element i is the forecast of value i + 1 from values 0 to i. `best` takes each time the method
    whose absolute errors so far have the smallest sum.
    """
    import pandas as pd

    values = pd.Series(sample("series", series, 2))
    made = {"last": values, "mean": values.expanding().mean()}
    for window in (5, 10, 30):
        past = values.rolling(window, min_periods=1)
        made[f"mean of {window}"], made[f"median of {window}"] = past.mean(), past.median()
    for share in (0.1, 0.3, 0.5):
        made[f"smoothing {share:g}"] = values.ewm(alpha=share, adjust=False).mean()
    rows = np.array([forecast.to_numpy(dtype=float) for forecast in made.values()])
    missed = np.abs(rows[:, :-1] - values.to_numpy()[1:]).cumsum(axis=1)
    chosen = np.argmin(np.column_stack([np.zeros(len(rows)), missed]), axis=0)
    forecasts = dict(zip(made, rows, strict=True))
    return {**forecasts, "best": rows[chosen, np.arange(values.size)]}
