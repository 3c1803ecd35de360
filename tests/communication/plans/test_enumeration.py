"""The planner against loops that try everything, in scalars and by their own formulas."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.communication import (
    ParallelPlans,
    Tier,
    TieredCluster,
    TrainingJob,
    TransformerShape,
    best_plan,
    enumerate_plans,
    plan_steps,
    search_plans,
)


def exhaustive(job: TrainingJob, cluster: TieredCluster, devices: int):
    """Return the plans that divide, in loops, and the first best (plan, seconds) that fits."""
    shape, seen, best = job.shape, [], (None, math.inf)
    divisors = [k for k in range(1, devices + 1) if devices % k == 0]
    for t in divisors:
        for p in divisors:
            for d in divisors:
                if t * p * d != devices or shape.heads % t or shape.layers % p:
                    continue
                for b in (1, 2, 4, 8):
                    if job.batch % (d * b):
                        continue
                    for recompute in (False, True):
                        seen.append((t, p, d, b, recompute))
                        memory, time = by_hand(job, cluster, *seen[-1])
                        if memory <= cluster.memory and time < best[1] * (1 - 1e-12):
                            best = (seen[-1], time)
    return seen, best


def by_hand(job, cluster, t, p, d, b, recompute):
    """Return bytes and seconds with the optimizer sharded, 1F1B and nothing hidden."""
    shape, m = job.shape, job.batch // (d * b)
    h, s, layers = shape.hidden, shape.sequence, shape.layers // p

    def tier(size):
        return next(tier for tier in cluster.tiers if tier.devices >= size)

    parameters = (layers * (12 * h * h + 13 * h) + (shape.vocabulary + s) * h) / t
    full = s * b * h * (10 + 24 / t + 5 * shape.heads * s / (h * t))
    kept = min(p, m) * layers * (2 * s * b * h if recompute else full) + recompute * full
    memory = parameters * (2 + 2 + 12 / d) + kept
    matrix = (96 if recompute else 72) * shape.layers * h * h * (1 + s / (6 * h))
    work = s * b * (matrix + 6 * shape.vocabulary * h) / (t * p * cluster.peak * job.efficiency)
    ring = sums_by_hand(cluster, t, 2 * b * s * h)
    slot = work + layers * (6 if recompute else 4) * ring
    time = (m + p - 1) * slot
    if p > 1:
        far = tier(t * p * d)
        message = 2 * b * s * h / (far.together or far.bandwidth) + far.latency
        time += message * max(2 * (p - 1) * (m + p) / p - 2, 2 * (p - 1))
    if d > 1:
        far = tier(t * d)
        sent = 2 * parameters / d / (far.together or far.bandwidth) + far.latency
        time += 2 * (d - 1) * sent
    return memory, time


@given(
    layers=st.sampled_from([4, 6, 12]),
    heads=st.sampled_from([4, 6, 8]),
    width=st.sampled_from([64, 128]),
    devices=st.sampled_from([4, 8, 12, 16]),
    batch=st.sampled_from([8, 24, 48]),
    tight=st.floats(0.1, 3.0),
    slow=st.floats(0.5, 50.0),
)
@settings(max_examples=60, deadline=None)
def test_best_plan_is_that_of_exhaustive_loops(layers, heads, width, devices, batch, tight, slow):
    shape = TransformerShape(layers, heads * width, heads, 32_000, 1024)
    job = TrainingJob(shape, batch, 0.5)
    memory = tight * (16 * shape.parameters / devices + 1e9)
    tiers = [Tier(4, 100e9, 1e-6), Tier(devices * 4, 100e9 / slow, 1e-5, together=40e9 / slow)]
    cluster = TieredCluster(100e12, memory, tiers)
    plans = enumerate_plans(job, devices)
    seen, (best, seconds) = exhaustive(job, cluster, devices)
    columns = (plans.tensor, plans.pipeline, plans.data, plans.micro_batch, plans.recompute)
    assert sorted(zip(*(c.tolist() for c in columns), strict=True)) == sorted(seen)
    if best is None:
        with pytest.raises(ValueError, match="plans must have one that fits"):
            best_plan(job, cluster, plans)
        return
    ours = best_plan(job, cluster, plans)
    assert float(plan_steps(job, cluster, ours).time) == pytest.approx(seconds, rel=1e-9)


def sums_by_hand(cluster, t, size):
    """Return the faster of one ring, and rings inside nodes with others between them."""
    near, far = cluster.tiers
    here = near if t <= near.devices else far
    ring = 2 * (t - 1) * (size / t / here.bandwidth + here.latency)
    if t <= near.devices or t % near.devices:
        return ring
    inside, nodes = near.devices, t // near.devices
    steps = 2 * (inside - 1) * (size / inside / near.bandwidth + near.latency)
    share = size / inside / nodes
    steps += 2 * (nodes - 1) * (share / (far.together or far.bandwidth) + far.latency)
    return min(ring, steps)


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


def test_chunks_need_stages():
    plans = enumerate_plans(JOB, 8, chunks=(1, 2))
    assert (plans.chunks[plans.pipeline == 1] == 1).all()
    assert (plans.chunks[plans.pipeline > 1] == 2).any()


def test_search_where_all_fails():
    search = search_plans(lambda place: None, PLANS, 20, 0)
    assert search.failures == 20
    assert np.isinf(search.best_so_far).all()


def test_no_plan_divides_a_prime():
    assert len(enumerate_plans(TrainingJob(SHAPE, 7, 0.5), 11)) == 0


def test_no_tensor_groups_are_no_plans_and_not_all():
    assert len(enumerate_plans(JOB, 64, tensor=[])) == 0


@pytest.mark.parametrize(
    ("name", "least"), [("tensor", 1), ("micro_batch", 1), ("chunks", 1), ("sharded", 0)]
)
def test_numbers_to_try_must_be_whole(name, least):
    for wrong in (least - 1, 1.5):
        with pytest.raises(ValueError, match=f"{name} must be a whole number, {least} or more"):
            enumerate_plans(JOB, 64, **{name: [wrong]})


def test_plans_that_are_all_alike_are_tried_at_random():
    same = ParallelPlans([2, 2, 2, 2], 1, 1)
    found = search_plans(lambda place: 1.0 + place, same, 4, 0, at_random=1)
    assert sorted(found.tried) == [0, 1, 2, 3]


@pytest.mark.parametrize("seconds", [0.0, -1.0, math.nan, math.inf])
def test_times_that_no_run_takes(seconds):
    with pytest.raises(ValueError, match="measure's seconds must be"):
        search_plans(lambda place: seconds, PLANS, 3, 0)
