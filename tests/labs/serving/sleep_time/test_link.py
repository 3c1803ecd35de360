import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.labs.serving.sleep_time.inputs import EXAMPLE
from perfmodel.labs.serving.sleep_time.link import Link, half_size, transfer_time


def test_hand_value():
    assert transfer_time(EXAMPLE, 20_000) == pytest.approx(3e-6)


def test_limits():
    assert transfer_time(EXAMPLE, 0) == EXAMPLE.latency
    assert 1e15 / transfer_time(EXAMPLE, 1e15) == pytest.approx(EXAMPLE.bandwidth, rel=1e-6)


@given(latency=st.floats(1e-9, 1), bandwidth=st.floats(1e3, 1e12))
def test_half_the_bandwidth_at_the_half_size(latency, bandwidth):
    link = Link(latency, bandwidth)
    size = half_size(link)
    assert size / transfer_time(link, size) == pytest.approx(bandwidth / 2)


def test_rises_with_size():
    assert (np.diff(transfer_time(EXAMPLE, np.logspace(0, 9, 50))) > 0).all()


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="size must be 0 or more, got -1"):
        transfer_time(EXAMPLE, -1)
