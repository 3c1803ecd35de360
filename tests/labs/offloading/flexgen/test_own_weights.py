"""Reading a mapped file: the rates by a clock that ticks, and what is said of them."""

from __future__ import annotations

from itertools import count

import numpy as np
import pytest

from perfmodel.labs.offloading.flexgen import own_weights
from perfmodel.labs.offloading.flexgen.own_weights import ReadRates, read_rates


def test_by_a_clock_that_ticks(tmp_path):
    ticks = count()
    rates = read_rates(8192, 6, tmp_path, clock=lambda: float(next(ticks)))
    for found in (rates.disk, rates.cached, rates.ram):
        assert found.tolist() == [8192.0] * 6
    assert list(tmp_path.iterdir()) == []
    assert rates.rows() == [(name, 8192e-9, 8192e-9, 8192e-9) for name in ("cached", "ram")]


def found(disk, cached, ram, dropped=True):
    return ReadRates(*(np.full(7, rate) for rate in (disk, cached, ram)), dropped)


def test_verdict_says_what_came_out():
    apart = found(1e9, 4e9, 8e9).verdict()
    assert apart.startswith("From disk it took 8 times as long as from RAM.")
    assert "50% of the copy" in apart
    assert found(3e9, 4e9, 8e9).verdict().startswith("The first reading was about as fast")
    assert found(1e9, 4e9, 8e9, dropped=False).verdict().startswith("Your system can't be asked")


def test_the_disk_has_a_row_only_where_one_was_read():
    """From 1.5 times as fast on, and never where the pages can't be dropped."""
    assert found(1e9, 1.5e9, 8e9).rows()[0] == ("disk", 1, 1, 1)
    for rates in (found(1e9, 1.49e9, 8e9), found(1e9, 4e9, 8e9, dropped=False)):
        assert [row[0] for row in rates.rows()] == ["cached", "ram"]
        assert "the table has no row of" in rates.verdict()


def test_a_system_that_cannot_be_asked(tmp_path, monkeypatch):
    monkeypatch.setattr(own_weights, "drop_pages", lambda path: False)
    rates = read_rates(8192, 6, tmp_path)
    assert not rates.dropped
    assert [row[0] for row in rates.rows()] == ["cached", "ram"]


def test_bad_input():
    with pytest.raises(ValueError, match="repeats must be a whole number, 1 or more, got 0"):
        read_rates(8192, 0)
    with pytest.raises(ValueError, match="size must be a whole number, 4096 or more, got 10"):
        read_rates(10)
