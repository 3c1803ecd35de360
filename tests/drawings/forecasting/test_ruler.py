"""The ruler is right where the law is straight, and too low where there is a floor."""

import numpy as np
import pytest

from perfmodel.drawings import log_ruler


@pytest.mark.parametrize("floor", [0.0, 0.01, 0.1, 0.5, 1.0])
@pytest.mark.parametrize("runs", range(3, 8))
def test_every_state_can_be_read(floor, runs):
    assert not log_ruler(floor, runs).faults()


def test_without_a_floor_the_line_is_the_law():
    for runs in range(3, 8):
        assert log_ruler(0.0, runs).values["forecast / truth"] == pytest.approx(1)


def test_a_floor_makes_the_line_promise_too_much():
    for floor in (0.01, 0.1, 1.0):
        assert log_ruler(floor, 4).values["forecast / truth"] < 0.9
    losses = 0.5 + 3 / np.array([1.0, 10, 100]) ** 0.35
    slope = np.log10(losses[2] / losses[0]) / 2
    line = 10 ** (np.log10(losses).mean() + 5 * slope)
    ratio = line / (0.5 + 3 / 1e6**0.35)
    assert log_ruler(0.5, 3).values["forecast / truth"] == pytest.approx(ratio)


def test_bad_input():
    with pytest.raises(ValueError, match="runs must be from 3 to 7, got 9"):
        log_ruler(0.1, 9)
    with pytest.raises(ValueError, match="floor must be 0 or more"):
        log_ruler(-1, 3)
