"""Fused or through a broker: hand values, the crossover, and the limits."""

import numpy as np
import pytest

from perfmodel.labs.queueing.dnn_server.message_broker import frame_rate_brokered, frame_rate_fused
from perfmodel.queueing.station.batch_service import batch_capacity

TIMES = 0.004, 0.002, 0.0005
OBJECTS = np.arange(1, 26)


def test_by_hand():
    assert frame_rate_fused(*TIMES, 4) == pytest.approx(1 / 0.008)
    full = 0.002 / 32 + 0.0005
    assert frame_rate_brokered(*TIMES, 4, 0.0) == pytest.approx(1 / (0.004 + 4 * full))
    assert frame_rate_brokered(*TIMES, 10, 0.001) == pytest.approx(1 / 0.010)


def test_a_free_broker_never_loses_and_a_slow_one_does_beyond_a_crossover():
    fused = frame_rate_fused(*TIMES, OBJECTS)
    assert (frame_rate_brokered(*TIMES, OBJECTS, 0.0) > fused).all()
    slow = frame_rate_brokered(*TIMES, OBJECTS, 0.002) > fused
    assert slow[0]
    assert not slow[4:].any()


def test_many_objects_are_bound_by_the_slowest_part():
    many = 1e6
    assert frame_rate_brokered(*TIMES, many, 0.0) * many == pytest.approx(
        float(batch_capacity(0.002, 0.0005, 32)), rel=1e-3
    )
    assert frame_rate_brokered(*TIMES, many, 0.01) * many == pytest.approx(100)


def test_bad_input():
    with pytest.raises(ValueError, match="objects must be 1 or more, got 0"):
        frame_rate_fused(*TIMES, 0)
    with pytest.raises(ValueError, match="message_time must be 0 or more, got -1"):
        frame_rate_brokered(*TIMES, 1, -1)
    with pytest.raises(ValueError, match="first_time must be above 0, got 0"):
        frame_rate_fused(0, 0.1, 0.1, 1)
