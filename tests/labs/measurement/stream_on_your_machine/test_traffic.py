"""The model of STREAM: bytes, overheads, plateaus, the check at its end, and sockets."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.labs.measurement.stream_on_your_machine import traffic
from perfmodel.labs.measurement.stream_on_your_machine.traffic import NUMPY_TRIAD, STREAM
from perfmodel.measurement.cpu import stream

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


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: traffic.loop_time(0, 1, 1), "traffic must be above 0"),
        (lambda: traffic.loop_time(1, -1, 1), "overhead must be 0 or more"),
        (lambda: traffic.efficiency(1, 1, np.nan), "bandwidth must be finite"),
        (lambda: traffic.size_for(1, 1, 1), "wanted must be below 1"),
        (lambda: traffic.plateau_bandwidth(1, [2, 1], [1, 1, 1]), "capacities must increase"),
        (lambda: traffic.plateau_bandwidth(1, [1, 2], [1, 1]), "bandwidths be one more"),
        (lambda: traffic.expected(-1), "repetitions must be a whole number"),
        (lambda: traffic.relative_error([1.0], 0), "wanted must not be 0"),
        (lambda: traffic.placed_rate([[0.5, 0.4]], 1, 1), "shares must be square"),
        (lambda: traffic.misplaced(1.5), "share must be between 0 and 1"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
