"""A swap beside products: a clock that ticks, the model's share, and the words."""

from __future__ import annotations

from itertools import count

import numpy as np
import pytest

from perfmodel.labs.offloading.mpress.own_swap import SwapTimes, time_swap, verdict
from perfmodel.measurement import median_interval


def made(window: float, together: float, scatter: float = 0.0) -> SwapTimes:
    wobble = 1 + scatter * np.linspace(-1, 1, 9)
    return SwapTimes(
        (4,), np.full(9, 10e-3), np.full((1, 9), window), np.array([together * wobble])
    )


def test_times_by_a_clock_that_ticks():
    ticks = count()
    times = time_swap([0, 2], size=64, width=4, repeats=3, clock=lambda: float(next(ticks)))
    assert times.swapping.tolist() == [1.0] * 3
    assert times.window.shape == times.together.shape == (2, 3)
    assert times.exposed.tolist() == [[0.0] * 3] * 2
    assert times.forecast.tolist() == [0.0, 0.0]


def test_exposed_by_the_model():
    assert made(4e-3, 10e-3).forecast == pytest.approx([6e-3])
    assert made(12e-3, 12e-3).forecast == pytest.approx([0.0])
    assert made(4e-3, 11e-3).exposed[0] == pytest.approx(np.full(9, 7e-3))


def test_verdict_says_what_came_out():
    """A swap of 10 ms: the model holds within 1 ms of what it leaves exposed."""
    assert "the model holds here" in verdict(made(20e-3, 20.5e-3))
    assert "the two slow each other" in verdict(made(20e-3, 23e-3))
    assert "faster beside the other than alone" in verdict(made(20e-3, 17e-3))
    assert "faster beside the other than alone" in verdict(made(4e-3, 5e-3))
    few = SwapTimes((1,), np.ones(2), np.ones((1, 2)), np.ones((1, 2)))
    assert "too few" in verdict(few)


@pytest.mark.parametrize("together", [18.5e-3, 20e-3, 21.5e-3])
def test_an_interval_across_the_margin_tells_nothing(together):
    """Nor does a wide one around the forecast."""
    assert "can't tell" in verdict(made(20e-3, together, 0.2))


def test_verdict_shows_the_interval():
    low, high = median_interval(made(20e-3, 23e-3, 0.01).exposed[0])
    assert f"{1e3 * low:.2g} to {1e3 * high:.2g} ms (95 %)" in verdict(made(20e-3, 23e-3, 0.01))
    assert low < 3e-3 < high


def test_bad_input():
    with pytest.raises(ValueError, match="products must be a whole number, 0 or more"):
        time_swap([-1], size=8, width=2)
    with pytest.raises(ValueError, match="size must be a whole number, 1 or more"):
        time_swap([1], size=0)
