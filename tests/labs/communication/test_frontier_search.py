"""The search for a plan against the best of all plans."""

from __future__ import annotations

import math

import numpy as np
import pytest

from perfmodel.communication import (
    ParallelPlans,
    Tier,
    TieredCluster,
    TrainingJob,
    TransformerShape,
    best_plan,
    enumerate_plans,
    plan_steps,
)
from perfmodel.labs.communication.frontier.plan_search import search_plans

SHAPE = TransformerShape(48, 6144, 48, 51_200, 2048)
JOB = TrainingJob(SHAPE, 256, 0.5)
CLUSTER = TieredCluster(191.5e12, 64e9, [Tier(2, 200e9), Tier(8, 50e9), Tier(64, 12.5e9)])
PLANS = enumerate_plans(JOB, 64, chunks=(1, 2), sharded=(0, 1))


def measured(place: int) -> float | None:
    steps = plan_steps(JOB, CLUSTER, PLANS[place])
    return float(steps.time) if steps.fits else None


def test_search_finds_the_best_and_chance_does_not():
    best = float(plan_steps(JOB, CLUSTER, best_plan(JOB, CLUSTER, PLANS)).time)
    learned, chance = (
        [search_plans(measured, PLANS, 40, seed, at_random=n) for seed in range(3)]
        for n in (10, 40)
    )
    assert all(search.best_so_far[-1] <= 1.05 * best for search in learned)
    means = [np.mean([search.best_so_far[-1] for search in s]) for s in (learned, chance)]
    assert means[0] < means[1]


def test_search_tries_nothing_twice_and_repeats_with_its_seed():
    once, again = (search_plans(measured, PLANS[:25], 100, 3) for _ in range(2))
    assert sorted(once.tried) == list(range(25))
    assert once.tried.tolist() == again.tried.tolist()
    assert (np.diff(once.best_so_far[np.isfinite(once.best_so_far)]) <= 0).all()


def test_search_learns_what_fits():
    """The more devices the faster, up to 50; beyond, three quarters of the plans, all fail."""
    plans = ParallelPlans(np.arange(1, 201), 1)

    def timed(place: int) -> float | None:
        return 1 / (place + 1) if place < 50 else None

    for seed in range(4):
        search = search_plans(timed, plans, 25, seed, at_random=5)
        assert search.best_so_far[-1] <= 1 / 45


def test_search_where_all_fails():
    search = search_plans(lambda place: None, PLANS, 20, 0)
    assert search.failures == 20
    assert np.isinf(search.best_so_far).all()


def test_plans_that_are_all_alike_are_tried_at_random():
    same = ParallelPlans([2, 2, 2, 2], 1, 1)
    found = search_plans(lambda place: 1.0 + place, same, 4, 0, at_random=1)
    assert sorted(found.tried) == [0, 1, 2, 3]


@pytest.mark.parametrize("seconds", [0.0, -1.0, math.nan, math.inf])
def test_times_that_no_run_takes(seconds):
    with pytest.raises(ValueError, match="measure's seconds must be"):
        search_plans(lambda place: seconds, PLANS, 3, 0)
