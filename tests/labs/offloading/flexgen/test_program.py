"""The linear program against a grid of all shares, the general one, and small changes."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from perfmodel.labs.offloading.flexgen.calibration import calibrated
from perfmodel.labs.offloading.flexgen.cost import (
    block_time,
    decode_arms,
    decode_loads,
    prefill_arms,
    prefill_loads,
    throughput,
)
from perfmodel.labs.offloading.flexgen.gpu_memory import with_gpu_memory
from perfmodel.labs.offloading.flexgen.inputs import CAPACITIES, RATES, RUNS
from perfmodel.labs.offloading.flexgen.memory import needs
from perfmodel.labs.offloading.flexgen.policy import Batch
from perfmodel.labs.offloading.flexgen.program import Limits, affine, solve
from perfmodel.offloading import PlacementProblem, best_placement

ALL = Limits.of(CAPACITIES)
FIRST, BIG = RUNS[1], RUNS[6]
CASES = [
    (FIRST, Batch(48, 3), RATES, "released"),
    (FIRST, Batch(32, 5), calibrated(), "released"),
    (FIRST, Batch(4, 3), RATES, "paper"),
    (BIG, Batch(32, 8), calibrated(), "released"),
    (BIG, Batch(16, 2), RATES, "serial"),
    (BIG, Batch(32, 1), calibrated(4.0), "paper"),
]


def grid(parts: int, hidden_on_disk: bool) -> np.ndarray:
    """Return all shares in steps of 1/`parts`, shape (policies, 9)."""
    triples = [(i, j, parts - i - j) for i in range(parts + 1) for j in range(parts + 1 - i)]
    hidden = triples if hidden_on_disk else [t for t in triples if t[2] == 0]
    return (
        np.array([[*w, *c, *h] for w, c, h in itertools.product(triples, triples, hidden)]) / parts
    )


def times(run, batch, rates, version, shares):
    """Return seconds of a block for many shares at once."""
    first = prefill_arms(prefill_loads(run.job, batch, shares, rates), version).max(axis=-1)
    loads = decode_loads(run.job, batch, shares, rates, version)
    later = decode_arms(loads, version).max(axis=-1)
    return run.job.shape.layers * (first + (run.job.generated - 1) * later)


def fits(run, batch, version, shares, limits):
    """Return which shares fit."""
    rows = needs(run.job, batch, shares, version)
    capacity = (limits.gpu, limits.cpu, limits.disk)
    return np.all([r.max(axis=-1) <= c for r, c in zip(rows, capacity, strict=True)], axis=0)


@pytest.mark.parametrize(("run", "batch", "rates", "version"), CASES)
def test_no_policy_of_a_grid_is_better(run, batch, rates, version):
    found = solve(run.job, batch, rates, ALL, version)
    shares = grid(8, version == "paper")
    inside = fits(run, batch, version, shares, ALL)
    best = times(run, batch, rates, version, shares)[inside].min()
    assert found.time <= best * (1 + 1e-9)
    assert best < 1.15 * found.time


@pytest.mark.parametrize(("run", "batch", "rates", "version"), CASES)
def test_the_solution_is_what_it_says(run, batch, rates, version):
    found = solve(run.job, batch, rates, ALL, version)
    assert found.time == pytest.approx(block_time(run.job, found.policy, rates, version), rel=1e-6)
    assert found.throughput == pytest.approx(throughput(run.job, found.policy, rates, version))
    almost = Limits(*(1.000001 * limit for limit in (ALL.gpu, ALL.cpu, ALL.disk)))
    assert fits(run, batch, version, found.policy.shares, almost)
    assert sum(found.shares_of_time.values()) == pytest.approx(1)


def test_of_published_batches():
    for share, expected in ((0.8, 6.953), (1.0, 7.033), (1.2, 7.114)):
        limits = Limits.of(CAPACITIES, share)
        found = solve(FIRST.job, Batch(48, 3), RATES, limits)
        assert found.throughput == pytest.approx(expected, abs=5e-4)
    assert solve(FIRST.job, Batch(48, 3), RATES, Limits.of(CAPACITIES, 0.8)).policy.weights[
        0
    ] == pytest.approx(0.072, abs=5e-4)


@pytest.mark.parametrize("tier", ["GPU", "CPU"])
def test_prices_are_what_a_little_more_is_worth(tier):
    found = solve(BIG.job, BIG.policy.batch, calibrated(), ALL)
    more = Limits.of({**CAPACITIES, tier: CAPACITIES[tier] + 1e8})
    gained = found.time - solve(BIG.job, BIG.policy.batch, calibrated(), more).time
    assert gained == pytest.approx(1e8 * found.prices[tier], rel=1e-6)
    assert gained > 0


def test_price_of_dram_is_the_reading_that_it_saves():
    found = solve(BIG.job, BIG.policy.batch, calibrated(), ALL)
    assert found.prices["CPU"] == pytest.approx(31 / calibrated().disk_weights)
    per_gigabyte = found.throughput * 1e9 * found.prices["CPU"] / found.time
    assert found.price_of_gigabyte("CPU") == pytest.approx(per_gigabyte)


def test_shares_of_time_are_what_a_faster_disk_is_worth():
    small = 1e-4
    batch = Batch(16, 8)
    found = solve(BIG.job, batch, calibrated(), ALL)
    faster = solve(BIG.job, batch, calibrated(1 + small), ALL)
    share = found.shares_of_time["from_disk"]
    assert 1 - faster.time / found.time == pytest.approx(share * small, rel=1e-3)


def test_as_the_general_program():
    """Arms are links, in seconds; it knows no buffers, so that with limits it is a lower bound."""
    run, batch, rates = BIG, Batch(32, 2), calibrated()
    first = affine(lambda x: prefill_arms(prefill_loads(run.job, batch, x, rates), "paper"))
    later = affine(lambda x: decode_arms(decode_loads(run.job, batch, x, rates, "paper"), "paper"))
    layers = run.job.shape.layers
    cache = float(run.job.shape.cache(batch.block, 544))

    def general(capacity):
        return best_placement(
            PlacementProblem(
                size=np.array([run.job.shape.weights, cache, 2 * 12288 * batch.block]),
                capacity=np.array(capacity),
                work=np.vstack([first[1], later[1]]).reshape(10, 3, 3),
                rate=np.ones(10),
                busy=np.concatenate([first[0], later[0]]),
                phase=np.repeat([0, 1], 5),
                repeats=np.array([layers, 31.0 * layers]),
            )
        ).time

    free = solve(run.job, batch, rates, Limits(1e18, 1e18, 1e18), "paper")
    assert general([np.inf] * 3) == pytest.approx(free.time, rel=1e-7)
    held = solve(run.job, batch, rates, ALL, "paper")
    bound = general([ALL.gpu, ALL.cpu, ALL.disk])
    assert 0.8 * held.time < bound <= held.time


def test_nothing_fits():
    assert solve(BIG.job, BIG.policy.batch, RATES, Limits(1e9, 1e9, 1e9)) is None


def test_hidden_on_disk_only_in_the_papers_version():
    paper = solve(BIG.job, BIG.policy.batch, calibrated(), ALL, "paper")
    assert paper.policy.hidden[2] > 0
    assert solve(BIG.job, BIG.policy.batch, calibrated(), ALL).policy.hidden[2] == 0


@pytest.mark.parametrize(("run", "batch"), [(RUNS[0], Batch(2, 1)), (BIG, Batch(1, 500))])
def test_with_the_memory_of_the_gpu(run, batch):
    free = solve(run.job, batch, calibrated(), ALL)
    bound = solve(run.job, batch, calibrated(), ALL, gpu_bandwidth=320e9)
    ours = with_gpu_memory(run.job, bound.policy, calibrated())
    assert bound.throughput == pytest.approx(ours)
    assert with_gpu_memory(run.job, free.policy, calibrated()) <= ours * (1 + 1e-9)
    assert ours < free.throughput
    assert sum(bound.shares_of_time.values()) == pytest.approx(1)
    assert bound.shares_of_time["gpu_memory"] > 0 == free.shares_of_time["gpu_memory"]


def test_bad_input():
    with pytest.raises(ValueError, match="gpu_bandwidth must be above 0, got 0"):
        solve(FIRST.job, FIRST.policy.batch, RATES, ALL, gpu_bandwidth=0)
    with pytest.raises(ValueError, match="gpu must be 0 or more, got -1"):
        Limits(-1, 1, 1)
