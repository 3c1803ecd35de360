"""A fleet that changes: days by hand, and Erlang's formulas where it doesn't."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.labs.queueing.autoscaling.fleet import serve_day
from perfmodel.labs.queueing.autoscaling.late_servers import late_servers
from perfmodel.labs.queueing.autoscaling.policies import seen_before, staffed
from perfmodel.queueing import batch_means, departures, erlang_a, erlang_c, mmc


def test_a_server_that_goes_finishes_first_and_one_that_comes_takes_the_line():
    day = serve_day([0, 1, 2, 3], [4, 20, 3, 3], [2, 1, 1, 2, 2], 5.0)
    # Both servers begin at 0 and 1; from 4 on the first is free, and is taken away at 5 while it
    # serves the third until 7; then the one left is busy with the second until a new one at 15.
    assert day.waits.tolist() == [0, 0, 2, 12]
    assert day.server_hours == 8 * 5 / 3600


def test_who_gives_up_is_passed_over_and_holds_no_server():
    day = serve_day([0, 1, 2], [10, 10, 10], [1], 100.0, [99, 5, 99])
    assert day.waits.tolist() == [0, 5, 8]
    assert day.served.tolist() == [True, False, True]
    assert day.late(7.5) == pytest.approx(2 / 3)
    assert day.late(8.0) == pytest.approx(1 / 3)


@settings(max_examples=30)
@given(st.lists(st.floats(0.01, 5), min_size=1, max_size=40), st.integers(0, 1000))
def test_one_server_is_the_line_of_the_chapter(gaps, seed):
    came = np.cumsum(gaps)
    work = np.random.default_rng(seed).exponential(2.0, came.size)
    day = serve_day(came, work, np.ones(10), 7.0)
    assert came + day.waits + work == pytest.approx(departures(came, work))


@pytest.mark.parametrize("patience", [None, 40.0])
def test_a_fleet_that_stays_agrees_with_erlang(patience):
    rng = np.random.default_rng(4)
    came = rng.exponential(1.0, 150_000).cumsum()
    work = rng.exponential(10.0, came.size)
    patient = np.inf if patience is None else rng.exponential(patience, came.size)
    day = serve_day(came, work, np.full(1, 12), 1e6, patient)
    still = mmc(1.0, 0.1, 12) if patience is None else erlang_a(1.0, 0.1, 12, patience)
    waits = erlang_c(12, 10.0) if patience is None else still.wait_probability
    line = still.waiting_time if patience is None else still.line_time
    lost = 0.0 if patience is None else still.loss_probability
    for seen, exact in ((day.waits > 0, waits), (day.waits, line), (~day.served, lost)):
        interval = batch_means(seen.astype(float), confidence=0.999)
        assert interval.half_width <= 0.25 * interval.value
        assert interval.covers(exact)


def test_policies_by_hand():
    assert staffed([60.0], 100.0, 0.2).tolist() == [111]
    counts = np.arange(1.0, 9.0)
    assert seen_before(counts, 0, 1).tolist() == [1, 1, 2, 3, 4, 5, 6, 7]
    assert seen_before(counts, 3, 2).tolist() == [1, 1, 1, 1, 1, 1.5, 2.5, 3.5]


@pytest.mark.parametrize(("start_up", "short"), [(0, 3), (5, 16), (15, 40), (20, 40)])
def test_the_drawing_can_be_read_and_counts_who_is_missing(start_up, short):
    scene = late_servers(start_up)
    assert scene.faults() == []
    assert scene.values["most servers short"] == short
    # The load has risen by 40 in 15 minutes and falls as fast: each minute late lacks 40 minutes.
    hours = 40 * min(start_up + 1, 20) / 60
    assert scene.values["short (server hours)"] == pytest.approx(hours, abs=0.5)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: serve_day([1, 0], [1, 1], [1], 1.0), "arrivals must be in order"),
        (lambda: serve_day([0], [1, 1], [1], 1.0), "as many as services, 2, got 1"),
        (lambda: serve_day([0], [0], [1], 1.0), "services must be above 0"),
        (lambda: serve_day([0], [1], [0], 1.0), "servers must be a whole number, 1 or more, got"),
        (lambda: serve_day([0], [1], [1], 1.0, 0.0), "patience must be above 0, got 0.0"),
        (lambda: seen_before([1.0], 0.5, 1), "start_up must be a whole number, 0 or more"),
        (lambda: late_servers(21), "start_up must be between 0 and 20, got 21"),
        (lambda: staffed([0.0], 1.0, 0.2), "counts must be above 0"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
