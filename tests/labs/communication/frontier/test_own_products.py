"""A product shared by two threads: right, and its times by a clock that ticks."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import accumulate, chain, count, cycle

import numpy as np
import pytest

from perfmodel.labs.communication.frontier.own_products import (
    ProductTimes,
    shared_product,
    time_products,
    verdict,
)


@pytest.mark.parametrize("size", [2, 3, 8, 65])
def test_halves_add_up_to_the_product(size):
    x, w = np.random.default_rng(size).random((2, size, size))
    with ThreadPoolExecutor(2) as pool:
        ours = shared_product(x, w, pool, np.empty((2, size, size)))
    assert ours == pytest.approx(x @ w)


def test_times_by_a_clock_that_ticks():
    ticks = count()
    times = time_products([4, 8], repeats=3, clock=lambda: float(next(ticks)))
    assert [t.size for t in times] == [4, 8]
    assert times[0].alone == times[0].shared == 1
    assert times[0].forecast == 3
    assert times[0].forecast_gain == pytest.approx(1 / 3)
    assert times[0].gain == 1


def test_the_fastest_counts_and_the_first_call_does_not():
    """A clock on which the four calls of each kind take 1, 2, 5 and 7 seconds."""
    readings = accumulate(
        chain.from_iterable((0.0, spent) for spent in cycle([1.0, 2.0, 5.0, 7.0]))
    )
    times = time_products([4], repeats=3, clock=lambda: next(readings))[0]
    assert (times.alone, times.half, times.adding, times.handing, times.shared) == (2,) * 5


def test_verdict_says_what_came_out():
    good = ProductTimes(512, 4e-3, 2e-3, 1e-4, 0.0, 2.2e-3)
    bad = ProductTimes(64, 1e-5, 6e-6, 1e-6, 5e-6, 2e-5)
    assert "gained from n = 512 on" in verdict([bad, good])
    assert "within a tenth" in verdict([bad, good])
    late = ProductTimes(1024, 3e-2, 1.6e-2, 1e-3, 5e-6, 3.2e-2)
    assert "gained at n = 512, but not at the largest; the" in verdict([bad, good, late])
    assert "the forecast said from n = 512 on." in verdict([bad, good, late])
    again = ProductTimes(2048, 3e-1, 1.6e-1, 1e-3, 5e-6, 1.7e-1)
    assert "gained from n = 2048 on" in verdict([good, late, again])
    assert verdict([bad]).startswith("Two cores gained nowhere; the forecast said nowhere.")
    assert "67 % longer than forecast" in verdict([bad])


def test_bad_input():
    with pytest.raises(ValueError, match="sizes must be a whole number, 2 or more, got 1"):
        time_products([1])
    with pytest.raises(ValueError, match="repeats must be a whole number, 1 or more, got 0"):
        time_products([4], repeats=0)
