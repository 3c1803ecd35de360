"""The cost of one message by hand, in its limits, and against a replayed burst."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.communication import LogGP, half_bandwidth_size, message_time

SECONDS = st.floats(0, 1e-3)


@given(st.floats(1e-9, 1), st.floats(1, 1e12))
def test_half_the_bandwidth_is_reached_at_the_half_bandwidth_size(latency, bandwidth):
    size = half_bandwidth_size(latency, bandwidth)
    assert size / message_time(size, latency, bandwidth) == pytest.approx(bandwidth / 2)


def test_message_time_by_hand():
    assert message_time(0, 3e-6, 1e9) == 3e-6
    np.testing.assert_allclose(message_time([[1e3], [2e3]], 1e-6, [1e9, 1e6]).shape, (2, 2))
    assert message_time(5000, 1e-6, 1e9) == pytest.approx(6e-6)


def test_loggp_by_hand():
    """Alexandrov et al. 1995, section 2: two messages of k bytes in a row."""
    link = LogGP(latency=10.0, overhead=2.0, gap=5.0, gap_per_byte=0.5)
    assert link.message_time(9) == 2 + 8 * 0.5 + 10 + 2
    assert link.burst_time(9, 2) == 2 + 8 * 0.5 + 5 + 8 * 0.5 + 10 + 2
    assert link.busy_time(2) == 4


@given(SECONDS, SECONDS, SECONDS, st.floats(0, 1e-6), st.integers(1, 2000), st.integers(1, 9))
def test_a_burst_replayed_message_by_message(latency, overhead, gap, per_byte, size, count):
    """The processor hands over a message when it is free and the link's gap has passed."""
    link = LogGP(latency, overhead, gap, per_byte)
    free = network = end = 0.0
    for _ in range(count):
        enters = max(free + overhead, network)
        last = enters + (size - 1) * per_byte
        free, network = last, last + gap
        end = last + latency + overhead
    assert link.burst_time(size, count) == pytest.approx(end, rel=1e-9, abs=1e-15)


@given(SECONDS, SECONDS, st.integers(1, 10**6))
def test_loggp_without_overhead_is_alpha_beta(latency, gap, size):
    link = LogGP(latency, 0.0, gap, 1e-9)
    assert link.message_time(size) == pytest.approx(float(message_time(size - 1, latency, 1e9)))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: LogGP(1, 1, 1, 1).burst_time(1, 0), "count must be 1 or more"),
        (lambda: LogGP(1, 1, 1, 1).busy_time(-1), "count must be 0 or more"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
