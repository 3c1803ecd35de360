"""Rates of this machine, with a clock that says what each call took."""

import numpy as np
import pytest

from perfmodel.labs.benchmarking.codex_hpc import measured


def test_rates_are_work_over_the_shortest_time(monkeypatch):
    monkeypatch.setattr(measured, "seconds", lambda call, runs: np.array([0.75, 0.5, 2.0]))
    flops, size = 2 * 1000**3, 8_000_000 * 3 * 8
    assert measured.machine_rates() == pytest.approx((flops / 0.5, size / 0.5))
