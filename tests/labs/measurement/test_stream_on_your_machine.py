"""The law of delays: minimum, median and mean of what it makes."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.labs.measurement.stream_on_your_machine import executors, sweep, traffic
from perfmodel.labs.measurement.stream_on_your_machine.executors import (
    ELEMENTS,
    REFERENCE,
    SAMPLES,
    STATISTICS,
    LoopTimes,
)
from perfmodel.labs.measurement.stream_on_your_machine.traffic import (
    LOOPS,
    NUMPY_TRIAD,
    STREAM,
    WORD,
    moves_of,
    words_moved,
)
from perfmodel.measurement.cpu import stream
from perfmodel.measurement.cpu.pinned_threads import PinnedThreads


def test_made_times_have_the_law_asked_for():
    law = REFERENCE["copy"]["parallel"]
    found = executors.synthetic_times(law, 200_000, pauses=0.001, pause=0.001)
    assert found.min() >= law.min
    assert np.median(found) == pytest.approx(law.median, rel=0.01)
    assert found.mean() == pytest.approx(executors.synthetic_mean(law, 0.001, 0.001), rel=0.01)


def test_a_median_below_the_minimum_is_refused():
    with pytest.raises(ValueError, match="median above its minimum"):
        executors.synthetic_times(LoopTimes(2, 1, 1), 5)


# The statistics of the reference run: rates, winners, and what lifts a mean.


@pytest.mark.parametrize(
    ("loop", "executor", "statistic", "gigabytes_per_second"),
    [
        ("copy", "parallel", "min", 167.9),
        ("add", "parallel", "min", 113.1),
        ("triad", "parallel", "median", 97.8),
        ("triad", "fork_join", "median", 93.9),
    ],
)
def test_counted_rates_of_the_reference_run(loop, executor, statistic, gigabytes_per_second):
    rate = executors.reference_rate(loop, executor, statistic)
    assert rate == pytest.approx(1e9 * gigabytes_per_second, abs=0.05e9)


def test_the_reference_runs_arrays_fit_into_a_servers_cache():
    assert pytest.approx(12.44e6, abs=5e3) == 3 * traffic.WORD * ELEMENTS


def test_what_lifts_a_mean_above_its_median():
    scale = REFERENCE["scale"]["fork_join"]
    assert scale.mean / scale.median == pytest.approx(1.147, abs=5e-4)
    assert pytest.approx(3.4e-6) == 0.034 / SAMPLES
    pauses = SAMPLES * (scale.mean - scale.median) / 0.034
    assert pauses == pytest.approx(4, abs=0.5)


def test_medians_of_triad_by_fork_join_and_parallel():
    triad = REFERENCE["triad"]
    assert triad["fork_join"].median / triad["parallel"].median == pytest.approx(1.0417, abs=5e-5)


def test_the_fastest_executor_for_copy_depends_on_the_statistic():
    winners = [executors.winner("copy", statistic) for statistic in STATISTICS]
    assert winners == ["parallel", "fork_join", "fork_join"]


def test_the_statistic_changes_the_winner_in_three_of_four_loops():
    winners = {loop: {executors.winner(loop, s) for s in STATISTICS} for loop in REFERENCE}
    assert [len(names) for names in winners.values()] == [2, 2, 1, 2]


def test_no_constant_overhead_tells_the_executors_apart():
    signs = {
        np.sign(rows["fork_join"].median - rows["parallel"].median) for rows in REFERENCE.values()
    }
    assert signs == {-1, 1}


# Sweeps over sizes, the fit of two constants to one, and the comparison of two samples.


def made_sweep(overhead, bandwidth, noise, sizes=(100, 1000, 10_000, 100_000), runs=25):
    elements = np.array(sizes)
    rng = np.random.default_rng(3)
    seconds = traffic.loop_time(24 * elements, overhead, bandwidth)[:, None]
    return sweep.Sweep(
        elements, 24, seconds * (1 + noise * rng.exponential(size=(elements.size, runs)))
    )


@settings(max_examples=10, deadline=None)
@given(overhead=st.floats(1e-7, 1e-4), bandwidth=st.floats(1e9, 1e11))
def test_fit_returns_what_made_the_times(overhead, bandwidth):
    found = sweep.fit(made_sweep(overhead, bandwidth, 0), resamples=2)
    assert found.overhead == pytest.approx(overhead, rel=1e-6)
    assert found.bandwidth == pytest.approx(bandwidth, rel=1e-6)
    assert found.half_size == pytest.approx(overhead * bandwidth, rel=1e-6)
    assert abs(found.residuals).max() < 1e-6


def test_intervals_hold_the_fit_and_widen_with_noise():
    few, many = (sweep.fit(made_sweep(2e-6, 2e10, noise)) for noise in (0.02, 0.2))
    for found in (few, many):
        assert found.overhead_interval[0] < found.overhead < found.overhead_interval[1]
        assert found.half_size_interval[0] < found.half_size < found.half_size_interval[1]
    assert np.ptp(many.bandwidth_interval) > 3 * np.ptp(few.bandwidth_interval)


def test_rates_of_a_sweep_are_counted_bytes_over_median_times():
    found = sweep.Sweep(np.array([10, 20]), 24, np.array([[1.0, 2, 9], [4, 4, 4]]))
    assert found.rates.tolist() == [120, 120]
    assert found.within(15, 30).elements.tolist() == [20]


def test_sweep_runs_the_loop_over_each_size():
    a, b, c = np.zeros(4096), np.full(4096, 2.0), np.full(4096, 5.0)
    job = sweep.single_thread(sweep.numpy_triad, a, b, c)
    found = sweep.sweep(job, [64, 2048], 24, seconds=1e-4, runs=3)
    assert found.seconds.shape == (2, 3)
    assert a[:2048].tolist() == [17.0] * 2048
    assert not a[2048:].any()


def test_a_sweep_states_the_time_of_one_call(monkeypatch):
    monkeypatch.setattr(sweep, "short_runs", lambda run, seconds, runs: (4, np.array([4.0, 8.0])))
    found = sweep.sweep(lambda elements: lambda: None, [3], 24)
    assert found.seconds.tolist() == [[1.0, 2.0]]


def test_a_team_computes_all_parts():
    a, b, c = np.zeros(1000), np.full(1000, 2.0), np.full(1000, 5.0)
    with PinnedThreads(1) as team:
        sweep.threaded(team, sweep.numpy_triad, a, b, c)(1000)()
    assert a.tolist() == [17.0] * 1000


def test_ratio_and_shuffling_tell_different_samples_from_equal_ones():
    rng = np.random.default_rng(0)
    one, two = rng.lognormal(0, 0.1, (2, 40))
    ratio, low, high = sweep.ratio_of_medians(one, 1.5 * two)
    assert low < ratio < high
    assert 1 < low < 1.5 < high
    assert sweep.permutation_p_value(one, 1.5 * two) < 0.01
    assert sweep.permutation_p_value(one, two) > 0.05


def test_times_that_do_not_grow_bound_no_bandwidth_from_above():
    found = sweep.fit(sweep.Sweep(np.array([1, 10, 100]), 24, np.array([[3.0], [2.0], [1.0]])))
    assert found.bandwidth == np.inf
    assert found.half_size == np.inf
    assert 1 < found.overhead < 3
    assert found.residuals == pytest.approx(np.array([3, 2, 1]) / found.overhead - 1)


def test_a_draw_without_growth_leaves_the_interval_open_above():
    """Some draws of the runs of 1 and 3 s have a median above that of the next size."""
    seconds = np.array([[1.0, 1.0, 3.0, 3.0, 1.0], [2.0] * 5, [2.1] * 5])
    found = sweep.fit(sweep.Sweep(np.array([1, 10, 100]), 24, seconds))
    assert np.isfinite(found.bandwidth)
    assert found.bandwidth_interval[1] == found.half_size_interval[1] == np.inf
    assert 0 < found.bandwidth_interval[0] <= found.bandwidth


def test_two_sizes_leave_no_residual():
    with pytest.raises(ValueError, match="three sizes or more"):
        sweep.fit(made_sweep(1, 1, 0, (1, 2)))
    with pytest.raises(ValueError, match="a row for each of the 2 sizes"):
        sweep.Sweep(np.ones(2), 24, np.ones(3))


# The model of STREAM: bytes, overheads, plateaus, the check at its end, and sockets.

SECONDS, RATE = st.floats(1e-9, 1e-2), st.floats(1e6, 1e12)


def test_traffic_is_what_the_measuring_module_counts():
    for name, kernel in stream.stream_loops().items():
        said = NUMPY_TRIAD if (kernel.counted, name) == (40, "triad") else STREAM[name]
        assert (said.counted, said.moved) == (kernel.counted, kernel.moved)
    assert (NUMPY_TRIAD.counted, NUMPY_TRIAD.moved) == (40, 48)


@given(overhead=SECONDS, bandwidth=RATE, share=st.floats(0.01, 0.99))
def test_half_size_and_size_for_are_the_inverse_of_efficiency(overhead, bandwidth, share):
    half = traffic.half_size(overhead, bandwidth)
    assert traffic.efficiency(half, overhead, bandwidth) == pytest.approx(0.5)
    size = traffic.size_for(share, overhead, bandwidth)
    assert traffic.efficiency(size, overhead, bandwidth) == pytest.approx(share)
    assert size / traffic.loop_time(size, overhead, bandwidth) == pytest.approx(share * bandwidth)


def test_without_overhead_a_loop_has_the_whole_bandwidth():
    assert traffic.efficiency([1, 1e9], 0, 1e9).tolist() == [1, 1]
    assert traffic.half_size(0, 1e9) == 0


def test_plateaus_are_those_of_the_level_that_holds_all():
    found = traffic.plateau_bandwidth([10, 32, 33, 1000, 1001], [32, 1000], [3, 2, 1])
    assert found.tolist() == [3, 3, 2, 2, 1]


def test_rounds_follow_from_running_the_loops():
    a, b, c = np.ones(4), np.full(4, 2.0), np.zeros(4)
    loops = stream.stream_loops()
    for _ in range(7):
        for name in ("copy", "scale", "add", "triad"):
            loops[name].loop(a, b, c)
    for array, should in zip((a, b, c), traffic.expected(7), strict=True):
        assert traffic.relative_error(array, should) == 0
    assert traffic.expected(7)[0] == 15**7
    assert traffic.expected(3, (2, 2, 0))[0] == 2 * 15**3


def test_a_wrong_factor_is_found_and_an_overflow_is_refused():
    wrong = np.full(9, traffic.expected(10)[0] * (1 + 1e-12))
    assert traffic.relative_error(wrong, 15.0**10) > traffic.LIMIT
    assert np.spacing(15.0**10) > 1e-5, "an absolute limit of 1e-13 is below one unit"
    lost = traffic.expected(300)[0]
    assert lost == np.inf
    assert not abs(lost - lost) > traffic.LIMIT
    with pytest.raises(ValueError, match="wanted must be finite"):
        traffic.relative_error([np.inf], lost)


@given(share=st.floats(0, 1), link=st.floats(1, 300))
def test_misplaced_pages_never_help(share, link):
    rate = traffic.placed_rate(traffic.misplaced(share), 100, link)
    assert min(100, 2 * link) <= rate * (1 + 1e-12)
    assert rate <= 200 * (1 + 1e-12)
    assert rate >= traffic.placed_rate(traffic.misplaced(1), 100, link) * (1 - 1e-12)


def test_the_memory_that_serves_both_sockets_is_the_limit():
    rates = [traffic.placed_rate(traffic.misplaced(x), 100, 80) for x in (0, 0.5, 1)]
    assert rates == pytest.approx([200, 100 / 0.75, 100])


def test_interleaved_pages_use_both_memories_and_four_times_the_link():
    spread = np.full((2, 2), 0.25)
    assert traffic.placed_rate(spread, 100, 60) == 200
    assert traffic.placed_rate(spread, 100, 30) == 120


@pytest.mark.parametrize(
    ("loop", "moved_over_counted"),
    [("copy", 1.5), ("scale", 1.5), ("add", 4 / 3), ("triad", 4 / 3)],
)
def test_moved_over_counted(loop, moved_over_counted):
    assert STREAM[loop].moved / STREAM[loop].counted == pytest.approx(moved_over_counted)


def test_ten_rounds_in_whole_numbers():
    assert traffic.expected(10) == (576_650_390_625, 115_330_078_125, 153_773_437_500)


def test_two_sockets_have_twice_the_bandwidth_of_data_all_on_one():
    local, one_sided = (traffic.placed_rate(traffic.misplaced(x), 1, 0.8) for x in (0, 1))
    assert local / one_sided == pytest.approx(2)


def test_capacities_and_shares_must_fit():
    with pytest.raises(ValueError, match="capacities must increase"):
        traffic.plateau_bandwidth(1, [2, 1], [1, 1, 1])
    with pytest.raises(ValueError, match="bandwidths be one more"):
        traffic.plateau_bandwidth(1, [1, 2], [1, 1])
    with pytest.raises(ValueError, match="wanted must not be 0"):
        traffic.relative_error([1.0], 0)
    with pytest.raises(ValueError, match="shares must be square"):
        traffic.placed_rate([[0.5, 0.4]], 1, 1)


# The drawing of what a loop moves: it agrees with the count, and can be read in every state.

SCENES = [words_moved(loop, step) for loop, step in product(LOOPS, range(7))]


@pytest.mark.parametrize(
    ("loop", "streams"),
    [("copy", STREAM["copy"]), ("triad", STREAM["triad"]), ("triad, NumPy", NUMPY_TRIAD)],
)
def test_the_moves_are_the_bytes_of_the_model(loop, streams):
    moves = moves_of(loop)
    assert WORD * len(moves) == streams.moved
    assert WORD * sum(move.kind != "fetch" for move in moves) == streams.counted
    assert words_moved(loop, 99).values["bytes moved"] == streams.moved


def test_every_state_can_be_read_on_a_sheet_of_one_size():
    assert [scene.faults() for scene in SCENES if scene.faults()] == []
    assert len({scene.height for scene in SCENES}) == 1


def test_an_array_that_the_pass_reads_is_not_fetched_for_its_store():
    assert [move.kind for move in moves_of("triad, NumPy") if move.array == "a"] == [
        "fetch",
        "write",
        "read",
        "write",
    ]
