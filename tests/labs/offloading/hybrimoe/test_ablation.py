"""Speedups of decoding by hand, for each reading of what was cached before."""

from __future__ import annotations

import pytest

from perfmodel.labs.offloading.hybrimoe.ablation import READINGS, CacheReading, decode_speedups
from perfmodel.labs.offloading.hybrimoe.inputs import PRINTED_SPEEDUPS


def test_a_fixed_quarter_by_hand():
    before, schedule, *_ = decode_speedups(CacheReading(0.25))
    assert before == pytest.approx(5.59309e-3, rel=1e-5)
    assert schedule == pytest.approx(0.21 / (0.21 - 28 * (5.59309e-3 - 3.01902e-3)), rel=1e-5)


def test_whole_layers_by_hand():
    """Eight on the GPU take 4 ms, none 7.19 ms; by the list 3 and 3.19 ms."""
    before, schedule, *_ = decode_speedups(READINGS["a quarter of the layers, whole"])
    assert before == pytest.approx(0.25 * 4e-3 + 0.75 * 7.19e-3)
    assert schedule == pytest.approx(0.21 / (0.21 - 28 * (before - 0.25 * 3e-3 - 0.75 * 3.19e-3)))


def test_readings_differ_and_none_makes_the_cache_worth_much():
    """As the text says: what comes out hangs on the reading, the order of gains doesn't."""
    found = [decode_speedups(reading) for reading in READINGS.values()]
    assert [round(s.schedule, 2) for s in found] == [1.52, 1.23, 1.76]
    assert [round(s.cache, 2) for s in found] == [1.27, 1.06, 1.47]
    assert all(s.both >= s.schedule > s.cache > 1 for s in found)
    on_top = PRINTED_SPEEDUPS["all"] / PRINTED_SPEEDUPS["schedule"]
    assert all(s.both / s.schedule < 1 + (on_top - 1) / 4 for s in found)


def test_nothing_changed_is_no_speedup_of_the_cache():
    same = decode_speedups(CacheReading(0.528))
    assert same.cache == pytest.approx(1)
    assert same.both == pytest.approx(same.schedule)


def test_bad_input():
    with pytest.raises(ValueError, match="hits must be between 0 and 1"):
        decode_speedups(CacheReading(1.5))
