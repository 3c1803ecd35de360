from itertools import count

import pytest

from perfmodel.labs.offloading.cxl_alloc.own_adam import AdamTimes, knee, time_adam, verdict


def test_times_by_a_clock_that_ticks():
    ticks = count()
    found = time_adam([2**20], repeats=6, clock=lambda: float(next(ticks)))
    assert found[0].expressions == (1 / 2**20,) * 3
    assert found[0].rate[0] == 2 * 4 * 4 * 2**20
    assert found[0].bytes == 16 * 2**20


def test_a_sample_of_small_arrays_goes_over_a_mebielement():
    """A second by the clock is that of all rounds together."""
    ticks = count()
    found = time_adam([2**15], repeats=6, clock=lambda: float(next(ticks)))
    assert found[0].expressions == found[0].blocks == pytest.approx((1 / 2**20,) * 3)
    assert found[0].rate[0] == pytest.approx(2 * 4 * 4 * 2**20)


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
    assert "It may be that each large temporary array is new memory" in both
    assert "Their data may wait in the cache" in both
    fits = verdict([SMALL, made(2**22, 20e9, 8e-9, 1.5e-9)])
    assert "bytes counted are enough to explain both times" in fits
    assert "measure again" in verdict([SMALL, made(2**22, 20e9, 8e-9, 1.5e-9, wide=0.5)])
    assert "No knee showed" in verdict([SMALL, MIDDLE])


def test_bad_input():
    with pytest.raises(ValueError, match="repeats must be a whole number, 6 or more, got 2"):
        time_adam([8], repeats=2)
