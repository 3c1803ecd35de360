"""A learned rule: a forest that saw optimal placements says of each expert who should do it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from perfmodel.labs.offloading.hybrimoe.layers import SHARES, random_layer
from perfmodel.offloading import (
    HostDeviceJobs,
    best_split,
    split_schedule,
    two_ended_list,
)
from perfmodel.validation import Floats, whole

MOST_TOKENS = 32


@dataclass(frozen=True, eq=False)
class LearnedRule:
    """Makespans over the optimum of layers that the forest and the line never saw."""

    learned: Floats
    """Experts placed as the forest says."""
    two_ends: Floats
    """By the list's two ends."""
    regression: Floats
    """Relative errors of a linear regression that predicts the optimum from sums over a layer."""
    mean: Floats
    """The same of the mean of the layers learned from, whatever the layer."""

    def says(self) -> str:
        """Return in words what was learned."""
        line, mean = (100 * float(np.abs(e).mean()) for e in (self.regression, self.mean))
        gaps = [100 * (float(r.mean()) - 1) for r in (self.learned, self.two_ends)]
        told = (
            f"it has learned what makes a layer long, {mean / line:.1f} times as near"
            if line < mean / 1.5
            else "hardly nearer: it has learned nothing that a mean doesn't know"
        )
        better = "worse than" if gaps[0] > gaps[1] else "no worse than"
        return (
            f"Told the mean of the layers learned from, whatever the layer, one is {mean:.0f} % "
            f"off the optimum on average. The **regression** is {line:.1f} % off: {told}. "
            f"Placed by the **forest**, layers take {gaps[0]:.1f} % longer than the best on "
            f"average, {better} the list's {gaps[1]:.1f} %."
        )


def features(jobs: HostDeviceJobs) -> Floats:
    """Return what a rule may look at, shape (jobs, 7): an expert itself, and sums over the layer.

    Seconds on the CPU, cached or not, its rank by seconds among the cached and among the others,
    experts, cached ones, and seconds of all on the CPU.
    """
    rank = np.argsort(np.argsort(-jobs.host, kind="stable"))
    whole_layer = [jobs.count, jobs.cached.sum(), jobs.host.sum()]
    return np.column_stack(
        [
            jobs.host,
            jobs.cached,
            np.where(jobs.cached, rank, -1),
            np.where(jobs.cached, -1, rank),
            np.tile(whole_layer, (jobs.count, 1)),
        ]
    )


def race(layers: int = 400, seed: int = 16) -> LearnedRule:
    """Return how a learned rule does on layers that it hasn't seen, beside the list's.

    Layers are of Mixtral's shape, with 1 to 32 tokens and a share of `SHARES` cached, at random; as
    many are tested on as are learned from.
    """
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LinearRegression

    count = whole("layers", layers, 2)
    rng = np.random.default_rng(seed)
    drawn = [
        random_layer(rng, int(rng.integers(1, MOST_TOKENS + 1)), float(rng.choice(SHARES)))
        for _ in range(2 * count)
    ]
    best = [best_split(jobs) for jobs in drawn]
    seen, unseen = drawn[:count], drawn[count:]
    forest = RandomForestClassifier(50, random_state=0)
    forest.fit(
        np.concatenate([features(jobs) for jobs in seen]),
        np.concatenate([schedule.on_host for schedule in best[:count]]),
    )
    sums = np.array([features(jobs)[0, 4:] for jobs in drawn])
    least = np.array([schedule.makespan for schedule in best])
    line = LinearRegression().fit(sums[:count], least[:count])
    told = forest.predict(np.concatenate([features(jobs) for jobs in unseen])).astype(bool)
    says = np.split(told, np.cumsum([jobs.count for jobs in unseen])[:-1])
    optimum = least[count:]
    return LearnedRule(
        np.array(
            [split_schedule(jobs, where).makespan for jobs, where in zip(unseen, says, strict=True)]
        )
        / optimum,
        np.array([two_ended_list(jobs).makespan for jobs in unseen]) / optimum,
        np.asarray(line.predict(sums[count:]) / optimum - 1),
        np.asarray(least[:count].mean() / optimum - 1),
    )
