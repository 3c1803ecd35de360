from itertools import count
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.labs.serving.moe_lens.own_sweep import (
    SMALL,
    WEIGHT,
    SweepTimes,
    time_sweeps,
    verdict,
)

BATCHES = np.array([1, 2, 4, 8, 16, 32, 64, 128])


def machine(read=1e10, compute=1e11, slowdown=1.0, width=4096, spread=0.01, batches=BATCHES):
    """Times of a machine that overlaps perfectly, its sweeps reading slower by a factor."""
    noise = 1 + spread * np.linspace(-1, 1, 7)
    reading = WEIGHT * width**2 / read
    sweeps = np.maximum(slowdown * reading, 2 * width**2 * batches / compute)
    return SweepTimes(
        reading * noise,
        2 * SMALL**3 / compute * noise,
        sweeps[:, None] * noise[::-1],
        tuple(batches.tolist()),
        width,
    )


@given(st.floats(1e9, 1e11), st.floats(2, 25))
def test_corner_is_where_both_take_as_long(read, corner):
    times = machine(read, read * corner / 2)
    assert times.corner == pytest.approx(corner)
    overlapped, total = times.forecast(times.corner)
    assert total == pytest.approx(2 * overlapped)
    assert times.expected[1] <= times.expected[0] <= times.expected[2]


@given(st.floats(2.5, 30))
def test_a_machine_that_overlaps_doubles_where_it_is_forecast(corner):
    times = machine(1e10, 1e10 * corner / 2)
    assert times.doubling[0] == pytest.approx(2 * corner, rel=0.1)


def test_verdict_tells_three_outcomes():
    assert "no difference can be told" in verdict(machine(1e10, 8e10, spread=0.05))
    later = verdict(machine(slowdown=2.0))
    assert "It comes later. " in later
    assert "2.0 times the forecast: the library may copy" in later
    times = machine()
    slow = SweepTimes(times.reading, times.computing / 4, times.sweeps, times.batches, times.width)
    assert "It comes sooner" in verdict(slow)


def test_verdict_does_not_guess():
    assert "can't be told" in verdict(machine(1e9, 1e12))


def test_measures_and_cleans_up(tmp_path: Path):
    ticks = count()
    times = time_sweeps(64, 6, (1, 2, 4), tmp_path, clock=lambda: float(next(ticks)))
    assert times.sweeps.shape == (3, 6)
    assert (times.sweeps == 1).all()
    assert (times.reading == 1).all()
    assert times.read_rate == 4 * 64**2
    assert not list(tmp_path.iterdir())


def test_refuses():
    with pytest.raises(ValueError, match="batches must rise from 1 and 2"):
        time_sweeps(64, 6, (1, 4))
    with pytest.raises(ValueError, match="repeats must be a whole number, 6 or more"):
        time_sweeps(64, 5)
    with pytest.raises(ValueError, match="width must be a whole number"):
        time_sweeps(0)
