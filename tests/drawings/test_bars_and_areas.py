"""What is drawn long is long, what is drawn large is large: bars, areas and fills by the model."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

from perfmodel import drawings
from perfmodel.live.drawing import Area, Box, Circle, Line
from perfmodel.queueing import PATH_POLICIES, departures, mva_of_demands
from perfmodel.roofline import Roofline, gemm_accesses, lru_traffic
from perfmodel.scaling import amdahl_speedup, gustafson_speedup, usl_throughput

shares = st.floats(min_value=0.01, max_value=0.99)
FULL = 328.0
"""Length of the time 1 in the bars of a fixed job."""


def boxes(scene, colour=None, fill=None):
    """Return the boxes of a colour and fill, without the legend's."""
    return [
        shape
        for shape in scene.shapes
        if isinstance(shape, Box)
        and shape.width != 18
        and colour in (None, shape.colour)
        and fill in (None, shape.fill)
    ]


@given(shares, st.integers(1, 32))
def test_lanes_of_amdahl_hold_all_the_work_and_end_with_the_speedup(serial, processors):
    scene = drawings.amdahl_bars(serial, processors)
    parallel, once = boxes(scene, 1)[1:], boxes(scene, 1)[0]
    assert len(parallel) == processors
    assert sum(box.width for box in parallel) == pytest.approx(once.width, abs=1e-6)
    end = max(box.x + box.width for box in parallel) - 16
    assert FULL / end == pytest.approx(amdahl_speedup(serial, processors))


@given(shares, st.integers(1, 16))
def test_bar_of_one_processor_is_gustafsons_speedup_times_a_lane(serial, processors):
    scene = drawings.gustafson_bars(serial, processors)
    once = [box for box in boxes(scene) if box.y == 30]
    lane = max(box.x + box.width for box in boxes(scene, 1)[1:]) - 16
    ratio = sum(box.width for box in once) / lane
    assert ratio == pytest.approx(gustafson_speedup(serial, processors))


@given(st.floats(min_value=0, max_value=0.1), st.floats(min_value=0.8, max_value=1.2))
def test_mirrored_order_errs_less_than_one_after_the_other(drift, ratio):
    errors = {
        order: abs(drawings.drifting_runs(order, drift, ratio).values["measured B / A"] - ratio)
        for order in ("AABB", "ABBA")
    }
    assume(drift > 1e-3)
    assert errors["ABBA"] < 0.2 * errors["AABB"]


def test_drift_is_no_trouble_where_there_is_none():
    for order in ("AABB", "ABBA", "ABAB"):
        assert drawings.drifting_runs(order, 0.0, 0.9).values["error (%)"] == 0


@given(st.floats(min_value=0.5, max_value=10), st.sampled_from(PATH_POLICIES))
def test_columns_and_rows_of_the_queue_fill_the_same_area(until, policy):
    scene = drawings.area_under_queue(until, policy)
    columns = sum(box.width * box.height for box in boxes(scene, 1))
    rows = sum(box.width for box in boxes(scene, 2))
    second, job = 30.4, 24.0
    assert columns / second / job == pytest.approx(rows / second, abs=1e-6)
    assert rows / second == pytest.approx(scene.values["area by rows (job s)"], abs=1e-6)


@given(st.floats(min_value=0, max_value=2))
def test_triangles_have_the_area_that_the_formula_says(spread):
    scene = drawings.residual_triangles(spread)
    second, work = 26.0, 196 / 4.2
    drawn = sum(shape.size for shape in scene.shapes if isinstance(shape, Area)) / second / work
    assert drawn == pytest.approx(4 * (4 + spread**2) / 2)
    assert scene.values["mean work left (s)"] == pytest.approx(drawn / 12)
    level, _swatch = [s for s in scene.shapes if isinstance(s, Line) and s.style == "dashed"]
    assert (232 - level.points[0][1]) / work == pytest.approx(drawn / 12)


def test_wait_is_mean_work_left_over_the_idle_share():
    for spread in (0.0, 0.7, 2.0):
        values = drawings.residual_triangles(spread).values
        assert values["mean wait (s)"] == pytest.approx(values["mean work left (s)"] / (1 - 2 / 3))


@given(st.integers(1, 200))
def test_users_of_the_network_are_all_somewhere(users):
    scene = drawings.closed_network(users)
    rate, residence = mva_of_demands([[0.03, 0.05, 0.02]], [users], [1.0])
    assert scene.values["throughput (1/s)"] == pytest.approx(rate[0])
    assert float(rate[0] * (residence[0].sum() + 1.0)) == pytest.approx(users)


@given(st.floats(min_value=1e-2, max_value=1e3))
def test_one_of_the_two_pipes_is_always_full(intensity):
    scene = drawings.roofline_pipes(Roofline("toy", peak=2e11, bandwidth=4e10), intensity)
    heights = [box.height for box in boxes(scene)]
    assert max(heights) == pytest.approx(160)
    assert max(scene.values.values()) == pytest.approx(100)
    assert heights[0] / heights[1] == pytest.approx(5 / intensity)


@given(st.integers(1, 16), st.floats(min_value=0, max_value=0.1))
def test_workers_have_a_link_a_pair_and_time_for_work_by_the_law(workers, coherency):
    scene = drawings.worker_messages(workers, 0.05, coherency)
    links = [s for s in scene.shapes if isinstance(s, Line) and s.style == "plain"]
    assert 2 * len(links) == scene.values["messages N (N - 1)"]
    bar = [box for box in boxes(scene) if box.y == 292]
    share = bar[0].width / sum(box.width for box in bar)
    assert workers * share == pytest.approx(float(usl_throughput(workers, 1, 0.05, coherency)))


@pytest.mark.parametrize("policy", PATH_POLICIES)
def test_every_job_is_served_its_size_and_leaves_when_the_path_says(policy):
    came, sizes = [0.0, 1.0, 2.0, 3.0], [6.0, 2.0, 4.0, 1.0]
    served, last = np.zeros(4), np.zeros(4)
    for job, start, end, share in drawings.service_intervals(policy, came, sizes):
        served[job] += share * (end - start)
        last[job] = max(last[job], end)
    assert served == pytest.approx(sizes)
    assert last == pytest.approx(departures(came, sizes, policy))


def test_shortest_first_has_the_least_mean_and_fcfs_the_worst_off():
    scenes = {policy: drawings.service_order(policy).values for policy in PATH_POLICIES}
    means = {policy: values["mean response (s)"] for policy, values in scenes.items()}
    assert means["SRPT"] == min(means.values()) < means["FCFS"]
    assert scenes["FCFS"]["worst slowdown"] > scenes["PS"]["worst slowdown"]


@given(
    st.lists(st.floats(min_value=0, max_value=50), min_size=1, max_size=16).map(sorted),
    st.integers(1, 6),
    st.floats(min_value=0, max_value=5),
)
def test_batches_take_every_request_once_and_in_time(arrivals, largest, timeout):
    batches = drawings.form_batches(arrivals, largest, timeout)
    assert [i for batch in batches for i in batch.requests] == list(range(len(arrivals)))
    for batch in batches:
        first = arrivals[batch.requests[0]]
        assert len(batch.requests) <= largest
        assert first <= batch.closed <= first + timeout
        assert batch.full == (len(batch.requests) == largest)
        assert batch.full or batch.closed == first + timeout


@pytest.mark.parametrize("block", [1, 2, 4, 8])
def test_cache_of_the_tiles_holds_what_fits_and_counts_what_moved(block):
    scene = drawings.tile_residency(block, 16)
    filled = sum(isinstance(p, Box) for s in scene.shapes for p in getattr(s, "parts", []))
    assert filled == 32
    expected = lru_traffic(gemm_accesses(8, (block, block, 8)), 32).words
    assert scene.values["words moved"] == scene.values["words in all"] == expected


@given(st.floats(min_value=0.05, max_value=3), st.integers(1, 4))
def test_clock_errs_by_less_than_a_tick_over_all_calls(duration, calls):
    values = drawings.clock_ticks(duration, calls).values
    for reading in values.values():
        assert abs(reading - duration) * calls < 1


@pytest.mark.parametrize(("operation", "moved"), [("load", 64), ("store", 128)])
def test_line_moves_once_for_a_load_and_twice_for_a_store(operation, moved):
    totals = [
        drawings.cache_line_journey(operation, step).values["bytes moved from and to memory"]
        for step in range(5)
    ]
    assert totals[0] == 0
    assert totals[-1] == moved == 64 * lru_traffic([("line", operation == "store")], 1).words
    assert totals == sorted(totals)


def test_tree_is_level_beyond_its_last_run():
    for depth, last in ((1, 6.5), (2, 7.5), (3, 8.0), (4, 8.0)):
        assert drawings.tree_steps(depth).values["predicted at 16 GB (s)"] == last


def test_splits_differ_in_what_was_seen_of_a_tested_machine():
    seen = {kind: drawings.table_split(kind).values for kind in drawings.SPLITS}
    own = "runs of its own machine"
    assert seen["unseen machine"][own] == 0 < seen["few-shot"][own] < seen["random"][own]
    assert seen["larger"]["tests within the sizes (%)"] == 0


def test_path_goes_by_one_job_an_event_and_ends_empty():
    inside = [drawings.queue_path(event).values["jobs inside"] for event in range(1, 21)]
    assert set(np.abs(np.diff(inside))) == {1}
    assert (inside[0], inside[-1]) == (1, 0)
    assert any(isinstance(shape, Circle) for shape in drawings.queue_path(1).shapes)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: drawings.amdahl_bars(1.5, 2), "serial_fraction"),
        (lambda: drawings.drifting_runs("AAAA"), "order must be A and B"),
        (lambda: drawings.area_under_queue(99.0), "until"),
        (lambda: drawings.residual_triangles(3.0), "deviation"),
        (lambda: drawings.cache_line_journey("move", 0), "operation must be load or store"),
        (lambda: drawings.table_split("lucky"), "kind must be one of random"),
        (lambda: drawings.gustafson_bars(0.1, 32), "longest"),
    ],
)
def test_bad_arguments_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
