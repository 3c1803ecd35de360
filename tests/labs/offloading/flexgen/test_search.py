"""The outer search, against trying all blocks and against what is published."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest

from perfmodel.labs.offloading.flexgen.calibration import FROM_DISK, calibrated
from perfmodel.labs.offloading.flexgen.cost import throughput
from perfmodel.labs.offloading.flexgen.gpu_memory import with_gpu_memory
from perfmodel.labs.offloading.flexgen.inputs import CAPACITIES, RATES, RUNS
from perfmodel.labs.offloading.flexgen.policy import Batch
from perfmodel.labs.offloading.flexgen.program import Limits, solve
from perfmodel.labs.offloading.flexgen.search import (
    batch_sizes,
    best_count,
    best_policy,
    search,
)

FIRST = RUNS[1]


@pytest.mark.parametrize(
    ("share", "expected", "batch"), [(0.8, 7.075, Batch(32, 5)), (1.0, 7.479, Batch(32, 7))]
)
def test_30b(share, expected, batch):
    found = best_policy(FIRST.job, RATES, Limits.of(CAPACITIES, share))
    assert found.throughput == pytest.approx(expected, abs=5e-4)
    assert found.policy.batch == batch


@pytest.mark.parametrize("run", [RUNS[1], RUNS[3], RUNS[4], RUNS[6], RUNS[7], RUNS[8]])
def test_at_least_as_good_as_what_is_published(run):
    rates = calibrated() if run in FROM_DISK else RATES
    found = best_policy(run.job, rates, Limits.of(CAPACITIES))
    assert found.throughput >= throughput(run.job, run.policy, rates)


@pytest.mark.parametrize("version", ["released", "paper"])
@pytest.mark.parametrize("size", [8, 16, 32])
def test_as_trying_one_more_until_it_falls(size, version):
    limits, rates = Limits.of(CAPACITIES), calibrated()
    speeds = []
    for count in range(1, 64):
        found = solve(FIRST.job, Batch(size, count), rates, limits, version)
        if found is None or (speeds and found.throughput < speeds[-1]):
            break
        speeds.append(found.throughput)
    best = best_count(FIRST.job, size, rates, limits, version)
    assert best.policy.batch.count == len(speeds)
    assert best.throughput == pytest.approx(speeds[-1])


@pytest.mark.parametrize("start", [1, 5, 9, 40])
def test_wherever_it_starts(start):
    limits = Limits.of(CAPACITIES)
    best = best_count(FIRST.job, 32, RATES, limits, start=start)
    assert best.policy.batch.count == 7


def test_single_sequences_do_not_pay_where_the_gpu_has_a_memory():
    run, limits = FROM_DISK[1], Limits.of(CAPACITIES)
    free = best_policy(run.job, calibrated(), limits)
    bound = best_policy(run.job, calibrated(), limits, gpu_bandwidth=320e9)
    published = throughput(run.job, run.policy, calibrated())
    assert free.policy.batch.size == 1
    assert with_gpu_memory(run.job, free.policy, calibrated()) < published
    assert bound.policy.batch.size > 1
    assert published < bound.throughput <= free.throughput


def test_throughput_has_one_peak():
    limits = Limits.of(CAPACITIES)
    speeds = [
        getattr(solve(FIRST.job, Batch(16, count), RATES, limits), "throughput", 0.0)
        for count in range(1, 30)
    ]
    turns = np.diff(np.sign(np.diff(speeds)))
    assert (turns <= 0).all()
    assert np.argmax(speeds) not in (0, 28)


def test_sizes_and_their_end():
    assert list(islice(batch_sizes(), 8)) == [1, 2, 3, 4, 8, 16, 32, 64]
    found = search(FIRST.job, RATES, Limits.of(CAPACITIES, 0.5))
    assert list(found) == list(islice(batch_sizes(), len(found)))
    following = next(islice(batch_sizes(), len(found), None))
    assert best_count(FIRST.job, following, RATES, Limits.of(CAPACITIES, 0.5)) is None


def test_no_room():
    with pytest.raises(ValueError, match="limits must have room for one sequence"):
        search(FIRST.job, RATES, Limits(1e9, 1e9, 1e9))
