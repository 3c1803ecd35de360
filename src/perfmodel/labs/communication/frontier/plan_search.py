"""Search for a good plan by trying few: runs that end for lack of memory count as failures.

A Gaussian process over the logarithms of a plan's numbers learns the logarithm of the time from the
runs that ended well, a logistic regression which runs do. The next trial is the plan with the
greatest expected improvement times its chance to end well, as in Gelbart, Snoek and Adams,
"Bayesian optimization with unknown constraints", UAI 2014.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields

import numpy as np

from perfmodel.benchmarking.search.gaussian_process import expected_improvement
from perfmodel.communication import ParallelPlans
from perfmodel.communication.pipelines.task_graph import IntArray
from perfmodel.validation import Floats, positive, whole

LENGTH = 2.0
"""Length scale: over how many standard deviations of the plans' numbers times are similar."""
NOISE = 1e-4
"""Variance of a logarithm of time that nothing explains, in units of all their variance."""


@dataclass(frozen=True, eq=False)
class PlanSearch:
    """The trials of a search in their order."""

    tried: IntArray
    """Indices of the plans, shape (trials,)."""
    time: Floats
    """Seconds of each; infinite for a failure."""

    @property
    def best_so_far(self) -> Floats:
        """The least seconds up to each trial; infinite until one has run."""
        return np.asarray(np.minimum.accumulate(self.time))

    @property
    def failures(self) -> int:
        """Trials that ended for lack of memory."""
        return int(np.isinf(self.time).sum())


def search_plans(
    measure: Callable[[int], float | None],
    plans: ParallelPlans,
    trials: int,
    seed: int,
    *,
    at_random: int = 10,
) -> PlanSearch:
    """Try plans, each next one where the trials so far promise most.

    `measure`: takes a plan's place in `plans` and returns its seconds, above 0, or None if it
    failed. `plans`: to choose from; none is tried twice. `trials`: how many to try; all plans at
    most. `seed`: of the first trials. `at_random`: trials before anything is learned; `trials` or
    more makes a random search. So do plans that are all equal. Raises `ValueError` if a number is
    out of range, or `measure` returns seconds that are not above 0 and finite.

    >>> plans = ParallelPlans(tensor=[1, 2, 4], pipeline=[4, 2, 1])
    >>> search_plans(lambda index: [3.0, 1.0, 2.0][index], plans, trials=3, seed=0).best_so_far[-1]
    np.float64(1.0)
    """
    from threadpoolctl import threadpool_limits

    count = min(whole("trials", trials, 1), len(plans))
    first = whole("at_random", at_random, 1)
    order = np.random.default_rng(whole("seed", seed)).permutation(len(plans))
    features = _features(plans)
    tried: list[int] = []
    times: list[float] = []
    while len(tried) < count:
        left = order[~np.isin(order, tried)]
        place = int(left[0])
        if features.size and len(tried) >= first and np.isfinite(times).any():
            with threadpool_limits(1):
                worth = _worth(features[tried], np.array(times), features[left])
            place = int(left[np.argmax(worth)])
        seconds = measure(place)
        tried.append(place)
        times.append(np.inf if seconds is None else float(positive("measure's seconds", seconds)))
    return PlanSearch(np.array(tried, np.int64), np.array(times))


def _features(plans: ParallelPlans) -> Floats:
    """Return the logarithms of the plans' numbers that differ, each with variance 1."""
    numbers = [np.ravel(getattr(plans, f.name)).astype(np.float64) for f in fields(plans)]
    logs = np.stack([np.log2(1 + column) for column in numbers], axis=1)
    logs = logs[:, np.ptp(logs, axis=0) > 0]
    return np.asarray((logs - logs.mean(axis=0)) / logs.std(axis=0))


def _worth(seen: Floats, times: Floats, unseen: Floats) -> Floats:
    """Return expected improvement of the time's logarithm, times the chance to end well."""
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import Matern
    from sklearn.linear_model import LogisticRegression

    ended = np.isfinite(times)
    logs = np.log(times[ended])
    process = GaussianProcessRegressor(
        Matern(LENGTH, nu=2.5), alpha=NOISE, optimizer=None, normalize_y=True
    )
    mean, deviation = process.fit(seen[ended], logs).predict(unseen, return_std=True)
    improvement = expected_improvement(mean, deviation, logs.min())
    if ended.all():
        return improvement
    chances = LogisticRegression(C=10).fit(seen, ended).predict_proba(unseen)[:, 1]
    return np.asarray(improvement * chances)
