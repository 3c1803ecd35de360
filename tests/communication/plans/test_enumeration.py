"""The planner against loops that try everything, in scalars and by their own formulas."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.communication import (
    Tier,
    TieredCluster,
    TrainingJob,
    TransformerShape,
    best_plan,
    enumerate_plans,
    plan_steps,
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


def test_chunks_need_stages():
    plans = enumerate_plans(JOB, 8, chunks=(1, 2))
    assert (plans.chunks[plans.pipeline == 1] == 1).all()
    assert (plans.chunks[plans.pipeline > 1] == 2).any()


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
