"""What the live figure shows: some items, what small models scored, the forecast and the truth."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.labs.forecasting.cod.benchmark import clusters_of, draw_benchmark
from perfmodel.labs.forecasting.cod.difficulty_clusters import fit_success
from perfmodel.labs.forecasting.cod.inputs import COMPUTE, TARGET
from perfmodel.validation import Floats, one_of

VIEWS = ("all items, one law", "all items, by clusters", "hardest cluster", "easiest cluster")


class View(NamedTuple):
    """Some items of a benchmark and their forecast."""

    seen: Floats
    """Mean pass rates of the small models, shape (8,)."""
    forecast: Floats
    """At each compute asked for."""
    truth: Floats
    error: float
    """Forecast less truth at the large model, in points."""
    verdict: str
    """Which items these are, or whether the cluster is kept."""


def view_of(view: str, seed: int, compute: ArrayLike) -> View:
    """Return one of `VIEWS` of a benchmark.

    >>> view_of("easiest cluster", 0, [1.0, 10.0]).verdict
    '100 items, kept'
    """
    one_of("view", view, VIEWS)
    benchmark, clusters = draw_benchmark(seed), clusters_of(seed)
    asked = np.append(compute, TARGET)
    items, verdict = np.arange(len(benchmark.rates)), f"{len(benchmark.rates)} items"
    if view == VIEWS[0]:
        forecast = fit_success(COMPUTE, benchmark.rates.mean(axis=0)).predict(asked)
    elif view == VIEWS[1]:
        forecast = clusters.forecast(asked, every=True)
    else:
        cluster = clusters.clusters[0 if view == VIEWS[2] else -1]
        items, forecast = cluster.items, cluster.fit.predict(asked)
        verdict = f"{items.size} items, {'kept' if cluster.extrapolatable else 'set aside'}"
    truth = benchmark.true_rates(asked)[items].mean(axis=0)
    error = 100 * float(forecast[-1] - truth[-1])
    seen = benchmark.rates[items].mean(axis=0)
    return View(seen, forecast[:-1], truth[:-1], error, verdict)
