"""The launch queue: claims, the recursion against three other ways to the same path, its bend."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfmodel.labs.queueing.launch_queue.batch_sweep import Machine, batch_sweep, knee
from perfmodel.labs.queueing.launch_queue.platforms import A100, GH200, KNEES, claims, coupled_pair
from perfmodel.labs.queueing.launch_queue.timeline import steady_latency, steady_tklqt, timeline
from perfmodel.queueing.network.model import JobClass, Network, Station
from perfmodel.queueing.operational_analysis.sample_path import departures
from perfmodel.queueing.simulation import Trace, simulate
from perfmodel.queueing.station.mg1 import mg1

BATCHES = 2.0 ** np.arange(8)
times = st.floats(0, 10)


@pytest.mark.parametrize("claim", claims(), ids=lambda c: c.quantity)
def test_claims_hold_or_say_why_not(claim):
    assert claim.check().met != bool(claim.miss)


def test_a_path_by_hand():
    run = timeline([2.0, 2.0, 9.0], [5.0, 1.0, 1.0], launch_latency=1.0)
    np.testing.assert_allclose(run.launches, [0, 2, 4])
    np.testing.assert_allclose(run.starts, [1, 6, 7])
    np.testing.assert_allclose(run.delays, [1, 4, 3])
    assert (run.tklqt, run.latency, run.gpu_idle) == (8, 8, 1)
    assert run.mean_duration == pytest.approx(7 / 3)


@given(st.integers(1, 60), times, times, times)
def test_closed_forms_agree_with_the_recursion(kernels, cost, duration, latency):
    run = timeline(np.full(kernels, cost), np.full(kernels, duration), latency)
    assert steady_tklqt(kernels, cost, duration, latency) == pytest.approx(run.tklqt, abs=1e-9)
    assert steady_latency(kernels, cost, duration, latency) == pytest.approx(run.latency)


@given(st.lists(st.tuples(times, times), min_size=1, max_size=30), times)
def test_recursion_is_a_queue_served_in_order(kernels, latency):
    costs, durations = np.array(kernels).T
    run = timeline(costs, durations, latency)
    np.testing.assert_allclose(run.ends, departures(run.launches + latency, durations), atol=1e-9)
    assert (run.delays >= latency - 1e-9).all()
    assert (run.starts[1:] >= run.ends[:-1] - 1e-9).all()


def test_the_event_simulation_takes_the_same_path():
    rng = np.random.default_rng(4)
    gaps, durations = rng.exponential(1.25, 200), rng.exponential(1.0, 200)
    run = timeline(np.append(gaps[1:], 0), durations, 0.0)
    gpu = Network([Station("gpu")], [JobClass("kernels", 1 / gaps.mean())], [[Trace(durations)]])
    found = simulate(
        gpu, 200, arrivals={"kernels": Trace(gaps)}, keep_samples=True, progress=False
    ).samples[0]
    np.testing.assert_allclose(found, run.ends - run.launches, rtol=1e-6)


def test_random_launches_wait_as_in_md1():
    sweep = batch_sweep(Machine(1.0, 0.1, 0.0), [6], 20_000, np.random.default_rng(1), runs=4)
    exact = float(mg1(1.0, 0.6, 0.0).waiting_time)
    assert sweep.delays.mean() == pytest.approx(exact, rel=0.05)


def test_delay_of_random_launches_grows_with_the_run_where_steady_state_has_none():
    machine, rng = Machine(1.0, 0.1, 0.0), np.random.default_rng(2)
    short, long = (batch_sweep(machine, [10], n, rng, 400).delays.mean() for n in (100, 400))
    assert 1.7 < long / short < 2.3


def test_knee_of_steady_launches_is_host_cost_over_time_per_item():
    for machine in (Machine(8e-6, 1e-6, 2e-6), Machine(10e-6, 0.31e-6, 2e-6)):
        found = knee(BATCHES, batch_sweep(machine, BATCHES).tklqt)
        assert found == pytest.approx(machine.transition_batch, rel=1e-3)


def test_published_knees_are_inputs_of_the_pair():
    for machine, at, platform in zip(coupled_pair(), KNEES.values(), (A100, GH200), strict=True):
        assert machine.transition_batch == pytest.approx(at)
        assert machine.host_cost == platform.launch_latency


def test_jitter_moves_the_bend_up_before_the_transition():
    machine = Machine(8e-6, 1e-6, 2e-6)
    steady = batch_sweep(machine, [7]).tklqt[0]
    random = batch_sweep(machine, [7], jitter=np.random.default_rng(3)).tklqt.mean()
    assert random > 3 * steady


def test_floor_holds_small_batches():
    machine = Machine(8e-6, 1e-6, 2e-6, duration_floor=3e-6)
    np.testing.assert_allclose(machine.duration([1, 3, 5]), [3e-6, 3e-6, 5e-6])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: timeline([-1.0], [1.0], 0.0), "host_costs must be 0 or more"),
        (lambda: timeline([], [], 0.0), "durations must have a kernel or more"),
        (lambda: timeline([1.0], [1.0], -1.0), "launch_latency must be 0 or more, got -1"),
        (lambda: steady_tklqt(0, 1, 1, 1), "kernels must be above 0, got 0"),
        (lambda: Machine(0, 1, 1), "host_cost must be above 0, got 0"),
        (lambda: Machine(1, 1, 1, -1), "duration_floor must be 0 or more"),
        (lambda: batch_sweep(Machine(1, 1, 1), [0]), "batch must be above 0"),
        (lambda: knee([1, 2, 3, 4], [1, 1]), "batches must rise, one for each of tklqt"),
        (lambda: knee([1, 3, 2, 4], [1, 1, 1, 1]), "batches must rise"),
        (lambda: knee([1, 2, 3, 4], [4, 3, 2, 1]), "tklqt must rise at large batches"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
