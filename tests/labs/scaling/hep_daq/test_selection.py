"""The filter of two normal classes, against drawn events and its limits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.labs.scaling.hep_daq.selection import passed, two_stages


@given(st.floats(1, 1e4), st.floats(1, 1e6), st.floats(1.01, 1e3), st.floats(0, 6))
def test_as_many_pass_as_the_ratio_says(
    wanted: float, unwanted: float, ratio: float, skill: float
) -> None:
    found = passed(wanted, unwanted, ratio, skill)
    assert found.wanted + found.unwanted == pytest.approx((wanted + unwanted) / ratio, rel=1e-6)
    assert found.precision >= wanted / (wanted + unwanted) * (1 - 1e-6)


def test_shares_are_those_of_drawn_events() -> None:
    rng = np.random.default_rng(0)
    good, bad = rng.normal(2, 1.5, 50_000), rng.normal(0, 1, 950_000)
    threshold = np.quantile(np.r_[good, bad], 1 - 1 / 20)
    found = passed(50_000, 950_000, 20, 2, 1.5)
    assert found.threshold == pytest.approx(threshold, abs=0.01)
    assert found.wanted == pytest.approx(np.sum(good > threshold), rel=0.01)


def test_two_stages_get_better_with_either_skill_and_reach_the_limits() -> None:
    f1 = [[two_stages(4e7, 53.3, 100, a, b).f1 for a in (1, 2, 3, 4)] for b in (1, 2, 4)]
    assert np.all(np.diff(f1, axis=0) > 0)
    assert np.all(np.diff(f1, axis=1) > 0)
    assert two_stages(4e7, 53.3, 100, 15, 15).f1 == pytest.approx(1, abs=1e-3)
    assert two_stages(4e7, 53.3, 100, 0, 0).recall == pytest.approx(1 / 5330, rel=1e-6)


def test_bad_input_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="ratio must be 1 or more"):
        passed(1, 1, 0.5, 1)
    with pytest.raises(ValueError, match="wanted must be above 0"):
        passed(0, 1, 2, 1)
    with pytest.raises(ValueError, match="first_ratio must be 1 or more, got 0.5"):
        two_stages(4e7, 0.5, 100, 1, 1)
    with pytest.raises(ValueError, match="last_ratio must be 1 or more, got 0.1"):
        two_stages(4e7, 100, 0.1, 1, 1)
    with pytest.raises(ValueError, match="first_ratio x last_ratio must be above 1"):
        two_stages(4e7, 1, 1, 1, 1)
