"""Bandwidth, latency and what is on its way between them."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.measurement.concurrency import chained_bandwidth, lines_in_flight

ABOVE_ZERO = st.floats(1e-9, 1e12)


def test_a_walk_has_one_line_on_its_way():
    assert chained_bandwidth(1, 100e-9) == pytest.approx(0.64e9)
    assert chained_bandwidth(8, 100e-9, line=128) == pytest.approx(10.24e9)


@given(ABOVE_ZERO, ABOVE_ZERO, st.sampled_from([32, 64, 128]))
def test_each_function_undoes_the_other(chains, latency, line):
    rate = chained_bandwidth(chains, latency, line=line)
    assert lines_in_flight(rate, latency, line) == pytest.approx(chains)


def test_a_core_without_room_for_more_lines_gains_nothing():
    rates = chained_bandwidth([4, 10, 12, 100], 1e-7, most=10)
    np.testing.assert_allclose(rates, chained_bandwidth([4, 10, 10, 10], 1e-7))
