"""The drawing of a herd: what comes and goes, and states that can be read."""

import numpy as np
import pytest

from perfmodel.labs.queueing.power_of_d.herd_drawing import BOARD, LOAD, herd, mean_queues


def test_a_fresh_board_is_right():
    for looks in (2, None):
        np.testing.assert_allclose(mean_queues(0.0, looks), BOARD, atol=1e-6)


def test_servers_that_nobody_goes_to_only_empty():
    """A server with three jobs and no arrivals has lost a job with each step of its service."""
    left = mean_queues(1.0, None)[-1]
    assert left == pytest.approx(3 * np.exp(-1) + 2 * np.exp(-1) + np.exp(-1) / 2, rel=1e-4)


def test_what_comes_is_the_load_of_all():
    """In a short time nothing leaves an empty server: the herd is all that comes."""
    grown = mean_queues(0.001, None)[:2].sum() / 0.001
    assert grown == pytest.approx(12 * LOAD, rel=0.01)


@pytest.mark.parametrize("age", [0, 0.5, 1, 2, 3])
def test_every_state_can_be_read(age):
    scene = herd(age)
    assert scene.faults() == []
    assert scene.values["all run there (jobs)"] >= scene.values["two looked up (jobs)"] - 1e-9


def test_age_is_checked():
    with pytest.raises(ValueError, match="age must be between 0 and 3"):
        herd(3.5)
