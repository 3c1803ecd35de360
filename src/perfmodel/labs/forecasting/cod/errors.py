"""Errors of forecasts of the large model: by one curve, by clusters, of a part, and by the map."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from perfmodel.labs.forecasting.cod.benchmark import (
    COMPUTE,
    SEEDS,
    SORTS,
    TARGET,
    clusters_of,
    draw_benchmark,
)
from perfmodel.labs.forecasting.cod.difficulty_clusters import fit_success, whole_from_part
from perfmodel.validation import Floats, one_of


class Errors(NamedTuple):
    """Forecast less truth, in points of a hundred, for one benchmark."""

    one_law: float
    """Of all items, by one curve fitted to their mean."""
    every_cluster: float
    """Of all items, by the clusters' laws."""
    kept: float
    """Of the items of extrapolatable clusters, by their laws, against their own truth."""
    kept_one_law: float
    """Of the same items, by one curve fitted to their mean."""
    kept_fraction: float
    """Share of the items that is kept."""
    hardest: float
    """Of the items of the hardest cluster, by its law, kept or not."""
    hardest_kept: bool


def errors_of(seed: int) -> Errors:
    """Return how far each forecast is off.

    >>> errors = errors_of(0)
    >>> abs(errors.every_cluster) < abs(errors.one_law)
    True
    """
    benchmark, clusters = draw_benchmark(seed), clusters_of(seed)
    kept, hardest = clusters.kept, clusters.clusters[0]
    truth, kept_truth = float(benchmark.truth.mean()), float(benchmark.truth[kept].mean())
    return Errors(
        100 * (_by_one_law(benchmark.rates) - truth),
        100 * (float(clusters.forecast(TARGET, every=True)) - truth),
        100 * (float(clusters.forecast(TARGET)) - kept_truth),
        100 * (_by_one_law(benchmark.rates[kept]) - kept_truth),
        clusters.kept_fraction,
        100 * float(hardest.fit.predict(TARGET) - benchmark.truth[hardest.items].mean()),
        hardest.extrapolatable,
    )


def mapped_error(seed: int, strength: float = 0.0) -> float:
    """Return the error, in points, of the whole by the map from the kept items.

    A model of another recipe, with `strength` of the large model's compute, helps to find the map;
    at 0 only the small models do.
    """
    benchmark, clusters = draw_benchmark(seed), clusters_of(seed)
    known = benchmark.rates
    if strength:
        known = np.column_stack([known, benchmark.stranger(strength * TARGET)])
    to_whole = whole_from_part(known[clusters.kept].mean(axis=0), known.mean(axis=0))
    forecast = float(to_whole(clusters.forecast(TARGET)))
    return 100 * (forecast - float(benchmark.truth.mean()))


def stranger_error(seed: int, strength: float) -> float:
    """Return the error, in points, of taking another recipe's score for the large model's."""
    benchmark = draw_benchmark(seed)
    return 100 * float(benchmark.stranger(strength * TARGET).mean() - benchmark.truth.mean())


def all_errors() -> list[Errors]:
    """Return the errors for all twelve benchmarks."""
    return [errors_of(seed) for seed in range(SEEDS)]


def mean_size(errors: Floats) -> tuple[float, float, float]:
    """Return the mean absolute error with its 95 % interval over benchmarks (Student's t).

    >>> [round(value, 2) for value in mean_size(np.array([-1.0, 2.0, 3.0]))]
    [2.0, -0.48, 4.48]
    """
    sizes = np.abs(errors)
    mean = float(sizes.mean())
    half = float(stats.sem(sizes) * stats.t.ppf(0.975, sizes.size - 1))
    return mean, mean - half, mean + half


class Filter(NamedTuple):
    """What decides whether the hardest cluster is kept, over twelve benchmarks."""

    lowest: float
    """c of the hardest cluster, as fitted."""
    median: float
    highest: float
    kept: int
    """Benchmarks on which it is kept."""


def filter_of(samples: int) -> Filter:
    """Return how the filter decides where each pass rate is measured by this many answers."""
    hardest = [clusters_of(seed, samples).clusters[0] for seed in range(SEEDS)]
    losses = [cluster.lasting_loss for cluster in hardest]
    kept = sum(cluster.extrapolatable for cluster in hardest)
    return Filter(min(losses), float(np.median(losses)), max(losses), kept)


def true_lasting_loss(sorts: int = 4) -> float:
    """Return c of the mean of the hardest sorts of items with unlimited compute.

    >>> round(true_lasting_loss(), 3)
    0.185
    """
    return float(-np.log(np.mean([np.exp(-sort.c) for sort in SORTS[-sorts:]])))


def _by_one_law(rates: Floats) -> float:
    return float(fit_success(COMPUTE, rates.mean(axis=0)).predict(TARGET))


VIEWS = ("all items, one curve", "all items, by clusters", "hardest cluster", "easiest cluster")


class View(NamedTuple):
    """Some items of a benchmark and their forecast."""

    seen: Floats
    """Mean pass rates of the small models, shape (8,)."""
    forecast: Floats
    """At each compute asked for."""
    truth: Floats
    error: float
    """Forecast less truth at the large model, in points."""
    conclusion: str
    """Which items these are, or whether the cluster is kept."""


def view_of(view: str, seed: int, compute: ArrayLike) -> View:
    """Return one of `VIEWS` of a benchmark.

    >>> view_of("easiest cluster", 0, [1.0, 10.0]).conclusion
    '100 items, kept'
    """
    one_of("view", view, VIEWS)
    benchmark, clusters = draw_benchmark(seed), clusters_of(seed)
    asked = np.append(compute, TARGET)
    items, conclusion = np.arange(len(benchmark.rates)), f"{len(benchmark.rates)} items"
    if view == VIEWS[0]:
        forecast = fit_success(COMPUTE, benchmark.rates.mean(axis=0)).predict(asked)
    elif view == VIEWS[1]:
        forecast = clusters.forecast(asked, every=True)
    else:
        cluster = clusters.clusters[0 if view == VIEWS[2] else -1]
        items, forecast = cluster.items, cluster.fit.predict(asked)
        conclusion = f"{items.size} items, {'kept' if cluster.extrapolatable else 'set aside'}"
    truth = benchmark.true_rates(asked)[items].mean(axis=0)
    error = 100 * float(forecast[-1] - truth[-1])
    seen = benchmark.rates[items].mean(axis=0)
    return View(seen, forecast[:-1], truth[:-1], error, conclusion)
