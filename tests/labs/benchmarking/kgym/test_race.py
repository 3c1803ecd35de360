"""The race: its chance against drawn instants, and real threads where the end is certain."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.testing import assert_allclose

from perfmodel.labs.benchmarking.kgym.race import race_chance, run_race


@given(st.floats(0, 2))
def test_chance_is_that_of_two_drawn_instants(window: float) -> None:
    first, second = np.random.default_rng(1).uniform(0, 1, (2, 20_000))
    assert_allclose(race_chance(window, 1.0), np.mean(abs(first - second) < window), atol=0.015)


def test_without_a_window_nothing_is_lost_by_the_model() -> None:
    assert race_chance(0.0, 1.0) == 0
    assert race_chance(3.0, 1.0) == 1


def test_a_window_far_longer_than_the_spread_always_loses_and_a_lock_never() -> None:
    rng = np.random.default_rng(2)
    lost = run_race(2, window=0.2, spread=1e-4, rng=rng)
    assert lost.failed.all()
    assert (lost.windows >= 0.2).all()
    assert not run_race(2, window=0.02, spread=1e-4, rng=rng, locked=True).failed.any()


def test_bad_input_is_named() -> None:
    with pytest.raises(ValueError, match="spread must be above 0"):
        race_chance(0.1, 0.0)
    with pytest.raises(ValueError, match="runs must be a whole number, 1 or more"):
        run_race(0, 0.1, 0.1, np.random.default_rng(0))
