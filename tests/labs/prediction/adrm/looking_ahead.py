"""Whether a forecaster looks ahead: what it says before a moment may not hang on what comes after.

Series that agree up to a moment must get the same forecasts up to it. The other series is the first
one cut off there, or with another future. That future is far from the first: a choice among
methods stays the same under small changes, even where it is made with the answer in view.
"""

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

Series = NDArray[np.float64]
Forecaster = Callable[[Series], Mapping[str, Series]]
SAME = 1e-9
"""Relative: matrix products of another shape add up in another order."""


def futures(series: Series, known: int, random: np.random.Generator) -> list[Series]:
    """Return series that are the given one in its first `known` values, and then are not.

    Parameters
    ----------
    series : ndarray, shape (n,)
        Above 0, as all that are returned.
    known : int
        Below n.
    random : numpy.random.Generator
    """
    past, rest = series[:known], series[known:]
    wild = rest * 10 ** random.uniform(-3, 3, rest.size)
    next_alone = np.append(1e3 * rest[0], rest[1:])
    others = (1e3 * rest, 1e-3 * rest, rest[::-1], wild, next_alone)
    return [past, *(np.concatenate([past, other]) for other in others)]


def looks_ahead(
    forecast: Forecaster, series: Series, random: np.random.Generator, moments: int = 2
) -> set[str]:
    """Return the names of the forecasts that know more than they may.

    Parameters
    ----------
    forecast : callable
        Gives forecasts by name for a series, shape (n,): element i is to be made from values 0 to
        i and no others. The last element may be left out.
    series : ndarray, shape (n,)
        Above 0, n of 10 or more.
    random : numpy.random.Generator
        Draws the other futures and the moments after which they begin.
    moments : int
        How many are tried beside the first four, in which a choice among methods still hangs on
        every single error.
    """
    honest, found = forecast(series), set()
    later = random.choice(np.arange(6, series.size), moments, replace=False)
    for known in (2, 3, 4, 5, *later):
        for other in futures(series, known, random):
            for name, values in forecast(other).items():
                size = min(known, len(values), len(honest[name]))
                pair = honest[name][:size], values[:size]
                if not np.allclose(*pair, rtol=SAME, atol=0, equal_nan=True):
                    found.add(name)
    return found
