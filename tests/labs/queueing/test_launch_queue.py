"""The launch queue: paths three ways, its bend, fused kernels, traces, threads that run."""

import json
from concurrent.futures import Executor, Future

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.labs.queueing.launch_queue.batch_sweep import (
    A100,
    GH200,
    KNEES,
    LaunchMachine,
    batch_sweep,
    coupled_pair,
    knee,
    large_batch_speedup,
)
from perfmodel.labs.queueing.launch_queue.kernel_fusion import (
    BLOCK,
    chains,
    fuse,
    fused_launches,
    fused_timeline,
)
from perfmodel.labs.queueing.launch_queue.timeline import (
    measure_launches,
    steady_latency,
    steady_tklqt,
    timeline,
)
from perfmodel.labs.queueing.launch_queue.trace import (
    LAUNCH,
    SKEW,
    Call,
    delays,
    from_chrome,
    to_chrome,
)
from perfmodel.queueing.network.model import JobClass, Network, Station
from perfmodel.queueing.operational_analysis.sample_path import departures
from perfmodel.queueing.simulation import Trace, simulate
from perfmodel.queueing.station.mg1 import mg1

ABAC = ["a", "b", "a", "c"]


def test_scores_by_hand():
    result = {chain.names: (chain.count, chain.proximity) for chain in chains(ABAC, 2)}
    assert result == {("a", "b"): (1, 0.5), ("b", "a"): (1, 1.0), ("a", "c"): (1, 0.5)}


def test_surest_chains_come_first():
    result = chains(BLOCK * 12, 4)
    assert result[0].proximity == 1
    scores = [(-chain.proximity, -chain.count) for chain in result]
    assert scores == sorted(scores)
    assert all(chain.names[0] != "transpose" for chain in result if chain.proximity == 1)


def test_fusing_takes_the_first_chain_that_fits_and_never_overlaps():
    assert fuse(["a", "a", "a"], [("a", "a")]) == [(0, 1), (2,)]
    assert fuse(ABAC, [("a", "b"), ("b", "a")]) == [(0, 1), (2,), (3,)]
    assert fuse(ABAC, []) == [(0,), (1,), (2,), (3,)]


def test_forty_chains_of_four_worked_out():
    assert 300 / fused_launches(300, 40, 4) == pytest.approx(1.667, abs=0.0005)


@given(st.lists(st.sampled_from("abc"), min_size=2, max_size=40), st.integers(2, 4))
def test_counts_agree_with_the_groups(kernels, length):
    if length > len(kernels):
        return
    chain = chains(kernels, length)[0]
    groups = fuse(kernels, [chain.names])
    fused = sum(len(group) == length for group in groups)
    assert [place for group in groups for place in group] == list(range(len(kernels)))
    assert fused <= chain.count
    assert len(groups) == fused_launches(len(kernels), fused, length)


def test_fusion_is_worth_its_launches_only_while_the_cpu_is_the_bound():
    kernels = list(BLOCK) * 12
    groups = fuse(kernels, [chains(kernels, 4)[0].names])
    ideal = len(kernels) / len(groups)
    gains = []
    for duration in (1e-9, 100.0):
        each = np.full(len(kernels), duration)
        before = timeline(np.ones(each.size), each, 0.0).latency
        gains.append(float(before / fused_timeline(groups, 1.0, each, 0.0).latency))
    assert gains[0] == pytest.approx(ideal, rel=0.01)
    assert gains[1] == pytest.approx(1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: fuse(ABAC, [()]), "chains of a kernel or more"),
        (lambda: fused_launches(10, 3, 4), "fused_chains times length must be at most launches"),
        (lambda: fused_timeline([(0,)], 1.0, [1.0, 1.0], 0.0), "groups must be the kernels 0 to 1"),
    ],
)
def test_chains_that_cannot_be_fused_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


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
    """Take 300 kernels of this many microseconds through a queue that knows no closed form."""
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
    result = simulate(
        gpu, 200, arrivals={"kernels": Trace(gaps)}, keep_samples=True, progress=False
    ).samples[0]
    np.testing.assert_allclose(result, run.ends - run.launches, rtol=1e-6)


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
        (lambda: timeline([], [], 0.0), "durations must have a kernel or more"),
        (lambda: knee([1, 2, 3, 4], [1, 1]), "batches must rise, one for each of tklqt"),
        (lambda: knee([1, 3, 2, 4], [1, 1, 1, 1]), "batches must rise"),
        (lambda: knee([1, 2, 3, 4], [4, 3, 2, 1]), "tklqt must rise at large batches"),
    ],
)
def test_paths_without_kernels_and_sweeps_without_a_bend_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


RUN = timeline([8e-6, 8e-6, 8e-6], [10e-6, 12e-6, 3e-6], 2e-6)


def call_with(delay):
    return Call("k", 100e-6, 101e-6, 100e-6 + delay, 200e-6)


def test_a_trace_survives_its_file():
    text = json.dumps(to_chrome(RUN, ["a", "b", "c"], call_duration=1e-6))
    calls = from_chrome(json.loads(text))
    assert [call.name for call in calls] == ["a", "b", "c"]
    np.testing.assert_allclose([call.start for call in calls], RUN.starts)
    np.testing.assert_allclose([call.end for call in calls], RUN.ends)
    assert delays(calls).sum() == pytest.approx(RUN.tklqt)


def test_a_profiler_adds_events_of_other_kinds():
    trace = to_chrome(RUN)
    other = [
        {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "ts": 0, "dur": 5, "args": {}},
        {"ph": "M", "name": "process_name"},
        {"ph": "X", "cat": "cuda_runtime", "name": LAUNCH, "ts": 90, "args": {"correlation": 99}},
        {"ph": "X", "cat": "cuda_runtime", "name": "cudaMemcpy", "args": {"correlation": 7}},
    ]
    assert len(from_chrome({"traceEvents": other + trace["traceEvents"][::-1]})) == 3


def test_counting_from_the_end_of_the_call_leaves_its_duration_out():
    calls = from_chrome(to_chrome(RUN, call_duration=1.5e-6))
    lost = delays(calls).sum() - delays(calls, since="end").sum()
    assert lost == pytest.approx(3 * 1.5e-6)


def test_skew_is_cleaned_as_soda_does():
    calls = [call_with(d) for d in (5e-6, -3e-6, -10e-6, -30e-6)]
    np.testing.assert_allclose(delays(calls, skew=SKEW), [5e-6, 0], atol=1e-12)
    np.testing.assert_allclose(delays(calls), [5e-6, -3e-6, -10e-6, -30e-6])
    assert delays(calls, skew=0.0).size == 1


class Inline(Executor):
    def submit(self, fn, /, *args, **kwargs):
        future = Future()
        future.set_result(fn(*args, **kwargs))
        return future


class FakeClock:
    def __init__(self):
        self.now = 50.0

    def __call__(self):
        return self.now

    def spend(self, seconds):
        def work():
            self.now += seconds

        return work


def test_launches_are_noted_on_the_clock():
    clock = FakeClock()
    run = measure_launches(clock.spend(2.0), clock.spend(3.0), 3, Inline(), clock)
    np.testing.assert_allclose(run.launches, [0, 5, 10])
    np.testing.assert_allclose(run.starts, [0, 5, 10])
    np.testing.assert_allclose(run.ends, [3, 8, 13])


def test_another_thread_keeps_the_order_and_its_errors_come_back():
    done = []
    run = measure_launches(int, lambda: done.append(len(done)), 20)
    assert done == list(range(20))
    assert (np.diff(run.starts) >= 0).all()
    assert (run.delays >= 0).all()
    with pytest.raises(ZeroDivisionError):
        measure_launches(int, lambda: 1 / 0, 2)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: to_chrome(timeline([[1.0]], [[1.0]], 0.0)),
            "run must be one run of shape",
        ),
        (lambda: to_chrome(RUN, ["a"]), "names must be 3, one a kernel, got 1"),
        (lambda: from_chrome({}), "trace must have the key 'traceEvents'"),
        (lambda: from_chrome({"traceEvents": []}), "a kernel with its launch, got none"),
        (lambda: delays([]), "calls must be one or more"),
    ],
)
def test_damaged_traces_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
