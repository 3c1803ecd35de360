from itertools import count

import numpy as np
import pytest

from perfmodel.labs.offloading.cxl_alloc import adam
from perfmodel.labs.offloading.cxl_alloc.adam import (
    AdamTimes,
    in_blocks,
    in_expressions,
    knee,
    states,
    time_adam,
    verdict,
)


@pytest.mark.parametrize("size", [1, 7, adam.BLOCK, adam.BLOCK + 1, 100_001])
def test_both_ways_give_the_same_weights_and_states(size):
    one, other = states(size), states(size)
    for _ in range(3):
        in_expressions(*one)
        in_blocks(*other)
    for ours, theirs in zip(one, other, strict=True):
        assert ours == pytest.approx(theirs, rel=1e-5)


def test_a_step_by_hand():
    w, m, v, g = (np.array([x], np.float32) for x in (1.0, 0.5, 0.2, 2.0))
    in_expressions(w, m, v, g)
    assert m[0] == pytest.approx(0.9 * 0.5 + 0.1 * 2)
    assert v[0] == pytest.approx(0.95 * 0.2 + 0.05 * 4)
    assert w[0] == pytest.approx(1 - 1e-4 * 0.65 / np.sqrt(0.39))


def test_bytes_counted():
    assert adam.MUST == 28
    assert adam.MOVED == 164


def test_times_by_a_clock_that_ticks():
    ticks = count()
    found = time_adam([2**20], repeats=6, clock=lambda: float(next(ticks)))
    assert found[0].expressions == (1 / 2**20,) * 3
    assert found[0].rate[0] == 2 * 4 * 4 * 2**20
    assert found[0].bytes == 16 * 2**20


def made(size, rate, expressions, blocks, wide=0.0):
    def spread(value):
        return value, value * (1 - wide), value * (1 + wide)

    return AdamTimes(size, spread(rate), spread(expressions), spread(blocks))


SMALL, MIDDLE = made(2**16, 90e9, 2e-9, 2e-9), made(2**20, 88e9, 2e-9, 2e-9)


def test_knee_lies_between_the_sizes_where_the_rate_falls():
    slow = made(2**22, 20e9, 8e-9, 2e-9)
    assert knee([SMALL, MIDDLE, slow]) == pytest.approx(16 * 2**21)
    assert knee([SMALL, MIDDLE]) is None


def test_verdict_has_a_sentence_for_each_outcome():
    both = verdict([SMALL, made(2**22, 40e9, 8e-9, 2e-9)])
    assert "leaves the caches" in both
    assert "new memory" in both
    assert "wait in the cache" in both
    fits = verdict([SMALL, made(2**22, 20e9, 8e-9, 1.5e-9)])
    assert "Bytes explain both times" in fits
    assert "measure again" in verdict([SMALL, made(2**22, 20e9, 8e-9, 1.5e-9, wide=0.5)])
    assert "No knee showed" in verdict([SMALL, MIDDLE])


def test_bad_input():
    with pytest.raises(ValueError, match="size must be a whole number, 1 or more, got 0"):
        states(0)
    with pytest.raises(ValueError, match="repeats must be a whole number, 6 or more, got 2"):
        time_adam([8], repeats=2)
