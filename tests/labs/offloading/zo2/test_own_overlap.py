"""Two threads and a few buffers: right products, times by a clock that ticks, honest words."""

from __future__ import annotations

from itertools import count

import numpy as np
import pytest

from perfmodel.labs.offloading.zo2.own_overlap import (
    BLOCKS,
    OverlapTimes,
    overlapped,
    time_overlap,
    verdict,
)


@pytest.mark.parametrize("slots", [1, 2, 3])
def test_products_are_right_with_few_buffers(slots):
    rng = np.random.default_rng(slots)
    host = rng.random((4, 9, 9), np.float32)
    left, out = rng.random((2, 9), np.float32), np.zeros((BLOCKS, 2, 9), np.float32)
    overlapped(host, np.zeros((slots, 9, 9), np.float32), left, out)
    for i in range(BLOCKS):
        assert np.allclose(out[i], left @ host[i % 4])


def test_times_by_a_clock_that_ticks():
    ticks = count()
    times = time_overlap([2, 3], [1, 2], 4, 8, clock=lambda: float(next(ticks)))
    assert [t.rows for t in times] == [2, 3]
    one = times[0]
    assert one.copying.tolist() == one.multiplying.tolist() == [1.0] * 4
    assert one.together.shape == (2, 4)
    assert one.forecast[:, 0].tolist() == pytest.approx([2, (BLOCKS + 1) / BLOCKS])
    assert (one.gain == 2).all()
    assert one.stretch[0].tolist() == pytest.approx([0.5] * 4)


def made(stretch, repeats=9):
    ones = np.ones(repeats)
    two = (BLOCKS + 1) / BLOCKS * np.broadcast_to(stretch, repeats)
    return OverlapTimes(16, ones, ones, (1, 2), np.stack([2 * ones, two]))


def test_verdict_says_what_came_out():
    assert "the model holds" in verdict([made(1.0)])
    assert "too hopeful" in verdict([made(1.4)])
    assert "faster than forecast" in verdict([made(0.8)])
    assert "scatter" in verdict([made(np.linspace(0.7, 1.4, 9))])
    assert "scatter" in verdict([made(np.linspace(0.98, 1.3, 9))])
    assert verdict([made(1.0, 5)]).startswith("Too few")
    assert "1.85 times as fast as one after the other" in verdict([made(1.0)])


def test_bad_input():
    with pytest.raises(ValueError, match="rows must be a whole number, 1 or more"):
        time_overlap([0], [1], 1, 4)
    with pytest.raises(ValueError, match="slots must be a whole number, 1 or more"):
        time_overlap([1], [0], 1, 4)
    with pytest.raises(ValueError, match="repeats must be a whole number"):
        time_overlap([1], [1], 0, 4)
