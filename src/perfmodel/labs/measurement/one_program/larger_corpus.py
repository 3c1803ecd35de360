"""The time of a query on a larger corpus, forecast from smaller ones."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.forecasting.fitting import fit_law
from perfmodel.forecasting.laws import POWER_LAW
from perfmodel.forecasting.uncertainty import bootstrap_law, forecast_interval
from perfmodel.labs.measurement.one_program.corpus import Query
from perfmodel.labs.measurement.one_program.search import Searcher
from perfmodel.measurement.runs import timed_in_turns
from perfmodel.validation import Floats, positive, sample

LOSS = "least squares of logs"


def mean_query_times(
    searchers: Sequence[Searcher], queries: Sequence[Query], rounds: int
) -> Floats:
    """Return the mean seconds of the same `queries` on each index, shape (searchers, rounds)."""

    def all_queries(searcher: Searcher) -> None:
        for query in queries:
            searcher.search(query)

    works = [lambda searcher=searcher: all_queries(searcher) for searcher in searchers]
    return timed_in_turns(works, rounds) / len(queries)


def growth_forecast(
    sizes: ArrayLike, times: ArrayLike, at: float
) -> tuple[float, float, float, float]:
    """Return the time (s) of a query on a corpus of `at` documents, its interval, and an exponent.

    `times` (s) has a row of rounds for each of the `sizes`. The time is proportional to the
    documents: that is the whitebox, which knows that lists and scores grow with them. A power law
    finds the exponent itself. The 95 % interval covers both forms.

    >>> sizes = [1000, 2000, 4000]
    >>> found = growth_forecast(sizes, [[s * 1e-8, s * 1.02e-8] for s in sizes], 16_000)
    >>> round(1e6 * found[0]), round(found[3], 2)
    (162, 1.0)
    """
    documents = sample("sizes", sizes, 2)
    seconds = positive("times", np.asarray(times, dtype=float))
    if seconds.ndim != 2 or len(seconds) != documents.size:
        raise ValueError(f"times must have {documents.size} rows, got shape {seconds.shape}")
    x, y = np.repeat(documents, seconds.shape[1]), seconds.ravel()
    proportional = fit_law(POWER_LAW, x, y, loss=LOSS, fixed={"b": -1.0})
    power = fit_law(POWER_LAW, x, y, loss=LOSS)
    low, high = forecast_interval([bootstrap_law(fit) for fit in (proportional, power)], at)
    return (
        float(proportional.predict(at)),
        float(low),
        float(high),
        -float(power.theta["b"]),
    )
