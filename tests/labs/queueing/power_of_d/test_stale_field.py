"""The mean field with an old board: limits, conservation, and a simulation beside it."""

import numpy as np
import pytest

from perfmodel.labs.queueing.power_of_d.fleet import stale_fleet
from perfmodel.labs.queueing.power_of_d.stale_field import stale_cycle
from perfmodel.queueing import mm1, power_of_choices


def test_a_fresh_board_is_the_supermarket():
    for looks in (2, 3):
        limit = float(power_of_choices(0.8, looks).response_time)
        older, newer = (stale_cycle(0.8, looks, age).response_time for age in (0.1, 0.05))
        assert limit < newer < older < 1.06 * limit
        assert 2 * newer - older == pytest.approx(limit, rel=0.002)


def test_one_look_is_mm1_whatever_the_age():
    seen = stale_cycle(0.6, 1, 3.0)
    assert seen.response_time == pytest.approx(float(mm1(0.6, 1.0).response_time), rel=1e-4)
    np.testing.assert_allclose(seen.shares[:6], 0.4 * 0.6 ** np.arange(6), rtol=1e-3)


def test_the_older_the_board_the_worse():
    ages = [stale_cycle(0.7, 2, age).response_time for age in (0.2, 1.0, 3.0, 9.0)]
    assert ages == sorted(ages)


def test_the_cycle_closes_and_loses_nobody():
    seen = stale_cycle(0.8, 3, 2.0)
    assert seen.shares.sum() == pytest.approx(1, abs=1e-9)
    assert seen.jobs[0] == pytest.approx(seen.jobs[-1], abs=1e-4)
    assert (seen.shares >= -1e-12).all()


@pytest.mark.parametrize(("looks", "age"), [(2, 1.0), (2, 5.0), (3, 2.0)])
def test_simulated_servers_follow_it(looks, age):
    seen = stale_fleet(300, 0.8, looks, age, time=300.0)
    assert seen.value == pytest.approx(stale_cycle(0.8, looks, age).response_time, rel=0.03)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: stale_cycle(1.0, 2, 1.0), "utilization must be"),
        (lambda: stale_cycle(0.5, 0, 1.0), "looks must be"),
        (lambda: stale_cycle(0.5, 2, 0.01), "period must be between 0.05"),
        (lambda: stale_cycle(0.5, 2, 1.0, 5), "levels must be"),
        (lambda: stale_cycle(0.95, 2, 1.0, 10), "levels must be more than 10"),
    ],
)
def test_refusals(call, message):
    with pytest.raises(ValueError, match=message):
        call()
