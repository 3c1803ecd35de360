"""The launch queue: hand values, the recursion against three other ways to a path, its bend."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.labs.queueing.launch_queue.batch_sweep import LaunchMachine, batch_sweep, knee
from perfmodel.labs.queueing.launch_queue.inputs import A100, GH200, KNEES
from perfmodel.labs.queueing.launch_queue.platforms import coupled_pair, large_batch_speedup
from perfmodel.labs.queueing.launch_queue.timeline import steady_latency, steady_tklqt, timeline
from perfmodel.queueing.network.model import JobClass, Network, Station
from perfmodel.queueing.operational_analysis.sample_path import departures
from perfmodel.queueing.simulation import Trace, simulate
from perfmodel.queueing.station.mg1 import mg1

BATCHES = 2.0 ** np.arange(8)
times = st.floats(0, 10)


# Worked out from the definitions in microseconds: 300 kernels, one every 8, t0 that of an A100.
@pytest.mark.parametrize(
    ("duration", "total"),
    [(8.0, 678.15), (10.0, 90378.15), (12.0, 180078.15), (24.0, 718278.15)],
)
def test_tklqt_worked_out(duration, total):
    assert 1e6 * through_a_queue(duration).tklqt == pytest.approx(total, abs=0.005)


@pytest.mark.parametrize(
    ("duration", "latency", "idle", "within"),
    [(1.0, 2395, 2095, 0.5), (10.0, 3002, 2.3, 0.05), (24.0, 7202, 2.3, 0.05)],
)
def test_latency_and_idle_time_worked_out(duration, latency, idle, within):
    run = through_a_queue(duration)
    assert 1e6 * run.latency == pytest.approx(latency, abs=0.5)
    assert 1e6 * run.gpu_idle == pytest.approx(idle, abs=within)


def through_a_queue(duration):
    """Take 300 kernels of so many microseconds through a queue that knows no closed form."""
    launches, sizes = 8e-6 * np.arange(300.0), np.full(300, duration * 1e-6)
    ends = departures(launches + A100.launch_latency, sizes)
    run = timeline(np.full(300, 8e-6), sizes, A100.launch_latency)
    np.testing.assert_allclose(run.ends, ends)
    return run


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
    sweep = batch_sweep(LaunchMachine(1.0, 0.1, 0.0), [6], 20_000, np.random.default_rng(1), runs=4)
    exact = float(mg1(arrival_rate=1.0, mean_service=0.6, scv=0.0).waiting_time)
    assert sweep.delays.mean() == pytest.approx(exact, rel=0.05)


def test_delay_of_random_launches_grows_with_the_run_where_steady_state_has_none():
    machine, rng = LaunchMachine(1.0, 0.1, 0.0), np.random.default_rng(2)
    short, long = (batch_sweep(machine, [10], n, rng, 400).delays.mean() for n in (100, 400))
    assert 1.7 < long / short < 2.3


def test_knee_of_steady_launches_is_host_cost_over_time_per_item():
    for machine, batch in (
        (LaunchMachine(8e-6, 1e-6, 2e-6), 8.0),
        (LaunchMachine(10e-6, 0.31e-6, A100.launch_latency), 32.3),
    ):
        bend = knee(BATCHES, batch_sweep(machine, BATCHES).tklqt)
        assert bend == pytest.approx(machine.transition_batch, rel=1e-3)
        assert bend == pytest.approx(batch, abs=0.05)


def test_published_knees_are_inputs_of_the_pair():
    for machine, at, platform in zip(coupled_pair(), KNEES.values(), (A100, GH200), strict=True):
        assert machine.transition_batch == pytest.approx(at)
        assert machine.host_cost == platform.launch_latency


def test_the_pair_is_flat_to_its_knee_and_changes_places_with_the_batch():
    # Both follow from the inputs, so that they are tests and no claims.
    pcie, _ = coupled_pair()
    ratio = batch_sweep(pcie, [1, 2, 4, 8, 16, 32]).tklqt / (300 * pcie.launch_latency)
    assert ratio[:4] == pytest.approx(1, abs=1e-9)
    assert (np.diff(ratio[3:]) > 0).all()
    assert large_batch_speedup(1.0) < 1 < large_batch_speedup(1024.0)


def test_jitter_moves_the_bend_up_before_the_transition():
    machine = LaunchMachine(8e-6, 1e-6, 2e-6)
    steady = batch_sweep(machine, [7]).tklqt[0]
    random = batch_sweep(machine, [7], jitter=np.random.default_rng(3)).tklqt.mean()
    assert random > 3 * steady


def test_floor_holds_small_batches():
    machine = LaunchMachine(8e-6, 1e-6, 2e-6, duration_floor=3e-6)
    np.testing.assert_allclose(machine.duration([1, 3, 5]), [3e-6, 3e-6, 5e-6])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: timeline([-1.0], [1.0], 0.0), "host_costs must be 0 or more"),
        (lambda: timeline([], [], 0.0), "durations must have a kernel or more"),
        (lambda: timeline([1.0], [1.0], -1.0), "launch_latency must be 0 or more, got -1"),
        (lambda: steady_tklqt(0, 1, 1, 1), "kernels must be above 0, got 0"),
        (lambda: LaunchMachine(0, 1, 1), "host_cost must be above 0, got 0"),
        (lambda: LaunchMachine(1, 1, 1, -1), "duration_floor must be 0 or more"),
        (lambda: batch_sweep(LaunchMachine(1, 1, 1), [0]), "batch must be above 0"),
        (lambda: knee([1, 2, 3, 4], [1, 1]), "batches must rise, one for each of tklqt"),
        (lambda: knee([1, 3, 2, 4], [1, 1, 1, 1]), "batches must rise"),
        (lambda: knee([1, 2, 3, 4], [4, 3, 2, 1]), "tklqt must rise at large batches"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
