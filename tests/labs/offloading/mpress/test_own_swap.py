"""A swap beside products: a clock that ticks, the model's share, and the words."""

from __future__ import annotations

from itertools import count

import numpy as np
import pytest

from perfmodel.labs.offloading.mpress.own_swap import SwapTimes, time_swap, verdict


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
    assert verdict(made(20e-3, 20.5e-3)).endswith("the model holds here.")
    assert "the two slow each other" in verdict(made(20e-3, 23e-3))
    assert verdict(made(20e-3, 23e-3, 0.9)).startswith("The runs scatter too much")
    assert verdict(made(20e-3, 23e-3, 0.3)).startswith("The runs scatter too much")
    few = SwapTimes((1,), np.ones(2), np.ones((1, 2)), np.ones((1, 2)))
    assert "too few" in verdict(few)


def test_bad_input():
    with pytest.raises(ValueError, match="products must be a whole number, 0 or more"):
        time_swap([-1], size=8, width=2)
    with pytest.raises(ValueError, match="size must be a whole number, 1 or more"):
        time_swap([1], size=0)
