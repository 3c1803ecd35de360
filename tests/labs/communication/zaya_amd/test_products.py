"""Products timed by a made-up clock, and the line through them."""

import numpy as np
import pytest

from perfmodel.labs.communication.zaya_amd.products import least_time, sweep_products


class Planted:
    """A clock on which a product of n x n takes 2 us and then 1 s for 1e11 operations."""

    def __init__(self, sides, spread: float = 0.0) -> None:
        self._sides, self._now, self._calls = sides, 0.0, 0
        self._rng, self._spread = np.random.default_rng(0), spread

    def __call__(self) -> float:
        if self._calls % 2:
            side = self._sides[self._calls // 4 % len(self._sides)]
            exact = 2e-6 + 2 * side**3 / 1e11
            self._now += exact * (1 + self._spread * self._rng.random())
        self._calls += 1
        return self._now


SIDES = (8, 16, 32, 64, 96)


def test_a_planted_line_is_found():
    sweep = sweep_products(SIDES, 2, Planted(SIDES))
    half, low, high = sweep.half
    assert sweep.peak == pytest.approx(1e11, rel=1e-6)
    assert half == pytest.approx(2e5, rel=1e-6)
    assert low <= half * (1 + 1e-9)
    assert high >= half * (1 - 1e-9)
    assert sweep.efficiency(np.array([2e5, 3.8e6])) == pytest.approx([0.5, 0.95])
    assert 2 * sweep.side(0.95) ** 3 == pytest.approx(3.8e6)


def test_noise_widens_what_is_said():
    sweep = sweep_products(SIDES, 3, Planted(SIDES, 0.2))
    _, low, high = sweep.half
    assert low < high
    early, late = sweep.forecast(256)
    assert early < 2e-6 + 2 * 256**3 / 1e11 * 1.2 < late * 1.3


def test_the_least_counts_and_the_first_product_does_not():
    """A clock on which four products take 1, 2, 5 and 7 seconds."""
    readings = iter([0.0, 1.0, 1.0, 3.0, 3.0, 8.0, 8.0, 15.0])
    assert least_time(4, 3, lambda: next(readings)) == 2


def test_a_real_product_takes_time():
    assert least_time(16, 2) > 0


def test_bad_input():
    with pytest.raises(ValueError, match="rounds must be a whole number, 1 or more, got 0"):
        sweep_products(SIDES, 0)
    with pytest.raises(ValueError, match="side must be a whole number, 1 or more, got 0"):
        least_time(0)
