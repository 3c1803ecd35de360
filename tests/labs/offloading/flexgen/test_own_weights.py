"""Reading a mapped file: the rates by a clock that ticks, and what is said of them."""

from __future__ import annotations

from itertools import count

import numpy as np
import pytest

from perfmodel.labs.offloading.flexgen.own_weights import ReadRates, read_rates


def test_by_a_clock_that_ticks(tmp_path):
    ticks = count()
    rates = read_rates(8192, 3, tmp_path, clock=lambda: float(next(ticks)))
    for found in (rates.disk, rates.cached, rates.ram):
        assert found.tolist() == [8192.0] * 3
    assert list(tmp_path.iterdir()) == []
    assert rates.rows()[0][:2] == ("disk", 8192e-9)


def test_verdict_says_what_came_out():
    def said(disk, cached, ram, dropped=True):
        return ReadRates(*(np.full(7, rate) for rate in (disk, cached, ram)), dropped).verdict()

    assert said(1e9, 4e9, 8e9).startswith("From disk it took 8 times as long as from RAM.")
    assert "50% of the copy" in said(1e9, 4e9, 8e9)
    assert said(3e9, 4e9, 8e9).startswith("The first reading was about as fast")
    assert said(1e9, 4e9, 8e9, dropped=False).startswith("Your system can't be asked")


def test_bad_input():
    with pytest.raises(ValueError, match="repeats must be a whole number, 1 or more, got 0"):
        read_rates(8192, 0)
    with pytest.raises(ValueError, match="size must be a whole number, 4096 or more, got 10"):
        read_rates(10)
