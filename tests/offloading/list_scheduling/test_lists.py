"""Lists against all placements, in their guarantees, and by hand."""

from __future__ import annotations

from itertools import pairwise, permutations, product

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.offloading import (
    HostDeviceJobs,
    HostDeviceSchedule,
    best_split,
    earliest_finish_list,
    heavy_cached_first,
    split_bound,
    split_makespans,
    split_schedule,
    two_ended_list,
)
from perfmodel.offloading.list_scheduling import placements
from perfmodel.scaling import greedy_schedule

SECONDS = st.sampled_from([0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 7.0])


@st.composite
def some_jobs(draw, most=6):
    count = draw(st.integers(1, most))
    host, device, fetch = (
        draw(st.lists(SECONDS, min_size=count, max_size=count)) for _ in range(3)
    )
    return HostDeviceJobs(host, device, fetch, draw(SECONDS))


def random_jobs(rng: np.random.Generator, count: int) -> HostDeviceJobs:
    """Return unlike times, half of the jobs cached."""
    fetch = rng.uniform(0.1, 2, count) * (rng.random(count) < 0.5)
    return HostDeviceJobs(rng.uniform(0.1, 4, count), rng.uniform(0.1, 1, count), fetch, 0.3)


def check(schedule: HostDeviceSchedule) -> None:
    """Play the schedule by hand: nothing overlaps, nothing runs before its data came."""
    jobs, spent = schedule.jobs, schedule.end - schedule.start
    assert sorted(schedule.order.tolist()) == list(range(jobs.count))
    for machine in (schedule.on_host, ~schedule.on_host):
        runs = sorted(zip(schedule.start[machine], schedule.end[machine], strict=True))
        assert all(late[0] >= early[1] - 1e-12 for early, late in pairwise(runs))
    extra = spent[schedule.on_host] - jobs.host[schedule.on_host]
    if extra.size:
        assert extra.sum() == pytest.approx(jobs.start_up)
    there = ~schedule.on_host
    assert spent[there] == pytest.approx(jobs.device[there])
    fetched = [j for j in schedule.order if there[j] and not jobs.cached[j]]
    assert schedule.fetched[fetched] == pytest.approx(np.cumsum(jobs.fetch[fetched]))
    assert (schedule.start[there] >= schedule.fetched[there]).all()


def test_hybrimoe_by_hand():
    """Loads 1 1 4 2 1 3, the first three cached; worked out with pencil and paper."""
    loads = np.array([1, 1, 4, 2, 1, 3])
    fetch = np.where(np.arange(6) < 3, 0.0, 0.41791)
    jobs = HostDeviceJobs(1.0 * loads, 0.5, fetch, 0.79)
    schedule = two_ended_list(jobs)
    assert heavy_cached_first(jobs).tolist() == [2, 0, 1, 5, 3, 4]
    assert schedule.order.tolist() == [2, 0, 1, 4, 5, 3]
    assert np.flatnonzero(schedule.on_host).tolist() == [4]
    assert schedule.end == pytest.approx([1.0, 1.5, 0.5, 2.5, 1.79, 2.0])
    assert split_schedule(jobs, np.zeros(6, bool)).makespan == 3.0
    assert split_schedule(jobs, ~jobs.cached).makespan == pytest.approx(6.79)


@given(some_jobs())
def test_schedules_can_be_carried_out(jobs):
    for schedule in (two_ended_list(jobs), earliest_finish_list(jobs), best_split(jobs)):
        check(schedule)


@given(some_jobs(most=4))
def test_the_best_of_all_placements_and_all_orders(jobs):
    """Johnson's order and all placements against every order of every placement."""
    least = min(
        split_schedule(jobs, np.array(bits), order).makespan
        for bits in product((False, True), repeat=jobs.count)
        for order in permutations(range(jobs.count))
    )
    assert best_split(jobs).makespan == pytest.approx(least)
    assert split_bound(jobs) <= least + 1e-9
    for schedule in (two_ended_list(jobs), earliest_finish_list(jobs)):
        assert schedule.makespan >= least - 1e-12


@given(some_jobs())
def test_all_placements_at_once_are_each_alone(jobs):
    bits = np.array(list(product((False, True), repeat=jobs.count)))
    alone = [split_schedule(jobs, row).makespan for row in bits]
    assert split_makespans(jobs, bits) == pytest.approx(np.array(alone))


@given(some_jobs(), st.randoms(use_true_random=False))
def test_earliest_finish_is_within_three_times_in_any_order(jobs, random):
    order = list(range(jobs.count))
    random.shuffle(order)
    schedule = earliest_finish_list(jobs, order)
    assert schedule.makespan <= 3 * best_split(jobs).makespan + 1e-9
    if jobs.cached.all():
        assert schedule.makespan <= 2 * best_split(jobs).makespan + 1e-9


@given(st.lists(st.integers(1, 9), min_size=1, max_size=8))
def test_grahams_bounds_on_equal_machines(seconds):
    jobs = HostDeviceJobs(seconds, seconds, 0.0)
    best = best_split(jobs).makespan
    any_order = earliest_finish_list(jobs, range(jobs.count)).makespan
    tasks = {str(i): float(t) for i, t in enumerate(seconds)}
    assert any_order == max(run.end for run in greedy_schedule(tasks, {}, 2).values())
    assert best <= any_order <= 3 / 2 * best
    assert earliest_finish_list(jobs).makespan <= 7 / 6 * best


def test_grahams_bounds_are_reached():
    jobs = HostDeviceJobs([1.0, 1.0, 2.0], [1.0, 1.0, 2.0], 0.0)
    assert earliest_finish_list(jobs, [0, 1, 2]).makespan == 3 / 2 * best_split(jobs).makespan
    times = [3.0, 3.0, 2.0, 2.0, 2.0]
    jobs = HostDeviceJobs(times, times, 0.0)
    assert earliest_finish_list(jobs).makespan == 7 / 6 * best_split(jobs).makespan


def test_two_ends_have_no_guarantee():
    """Each machine is offered what suits the other, a hundred times over the optimum."""
    jobs = HostDeviceJobs([1.0, 100.0], [100.0, 1.0], 0.0)
    assert two_ended_list(jobs, [0, 1]).makespan == 100
    assert best_split(jobs).makespan == 1


def test_gap_on_a_thousand_instances():
    """The greedy lists over the optimum: eight jobs, unlike times, half of them cached."""
    rng = np.random.default_rng(16)
    ratios = []
    for _ in range(1000):
        jobs = random_jobs(rng, 8)
        best = best_split(jobs).makespan
        ratios.append([f(jobs).makespan / best for f in (two_ended_list, earliest_finish_list)])
    mean, most = np.mean(ratios, axis=0), np.max(ratios, axis=0)
    assert (np.min(ratios, axis=0) >= 1 - 1e-12).all()
    assert mean == pytest.approx([1.147, 1.106], abs=1e-3)
    assert most == pytest.approx([1.887, 1.624], abs=1e-3)


@given(some_jobs())
def test_more_cached_is_no_worse_for_the_optimum(jobs):
    cached = HostDeviceJobs(jobs.host, jobs.device, 0.0, jobs.start_up)
    assert best_split(cached).makespan <= best_split(jobs).makespan
    assert split_bound(cached) <= split_bound(jobs) + 1e-9


def test_bound_by_hand():
    """Jobs cut in parts, two thirds of them for the device; then a long job; then a full link."""
    jobs = HostDeviceJobs([2.0, 2.0], [1.0, 1.0], 0.0)
    assert split_bound(jobs) == pytest.approx(4 / 3)
    assert split_bound(HostDeviceJobs([9.0, 1.0], [5.0, 1.0], 0.0)) == 5.0
    assert split_bound(HostDeviceJobs([6.0] * 4, 0.1, 3.0)) == pytest.approx(8.0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: HostDeviceJobs([], [], []), "host must be a one-dimensional sample of 1 or more"),
        (lambda: best_split(HostDeviceJobs([1.0] * 21, 1.0, 0.0)), "jobs must be 20 at most"),
        (lambda: split_schedule(JOBS, [0, 1]), "on_host must be true or false for each of the 2"),
        (lambda: split_schedule(JOBS, [[True, False]]), "on_host must be one placement"),
        (lambda: split_makespans(JOBS, [True]), "on_host must be true or false for each of the 2"),
        (lambda: two_ended_list(JOBS, [0, 0]), "order must have each of the 2 jobs once"),
        (lambda: two_ended_list(JOBS, [[0, 1]]), "order must have each of the 2 jobs once"),
        (lambda: two_ended_list(JOBS, [0.0, 1.0]), "order must have each of the 2 jobs once"),
        (lambda: earliest_finish_list(JOBS, [1]), "order must have each of the 2 jobs once"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


JOBS = HostDeviceJobs([1.0, 2.0], 1.0, 0.5)


def test_all_placements_are_tried_in_parts(monkeypatch):
    times = np.random.default_rng(0).uniform(0, 3, (3, 7))
    jobs = HostDeviceJobs(*times)
    whole = best_split(jobs)
    monkeypatch.setattr(placements, "PART", 8)
    assert np.array_equal(best_split(jobs).on_host, whole.on_host)
    all_of_them = np.array(list(product([False, True], repeat=7)))
    assert whole.makespan == pytest.approx(split_makespans(jobs, all_of_them).min())
