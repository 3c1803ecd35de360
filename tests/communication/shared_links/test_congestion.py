"""Fairness, the square-root rule and AIMD: hand values, limits, and the rule against sawteeth."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.communication import aimd_windows, follow_aimd, jain_index, square_root_buffer

RATES = st.lists(st.floats(0.001, 1.0), min_size=1, max_size=30)


@given(RATES)
def test_jain_is_between_one_share_and_one(rates) -> None:
    assert 1 / len(rates) - 1e-12 <= jain_index(rates) <= 1 + 1e-12
    assert jain_index(np.multiply(rates, 7)) == pytest.approx(float(jain_index(rates)))


def test_jain_of_a_share_that_has_all() -> None:
    assert jain_index([0, 3, 3, 0, 0]) == pytest.approx(2 / 5)
    assert jain_index([0.2, 0.8]) == pytest.approx(0.7353, abs=5e-5)
    assert jain_index([[1, 1], [1, 0]]).tolist() == [1, 0.5]


@given(RATES)
def test_jain_is_one_over_one_plus_the_squared_variation(rates) -> None:
    assert jain_index(rates) == pytest.approx(1 / (1 + np.var(rates) / np.mean(rates) ** 2))


def test_square_root_rule_by_hand() -> None:
    """250 ms at 10 Gb/s: 2.5 Gb for one flow, a hundredth of it for 10,000."""
    assert square_root_buffer(0.25, 10e9 / 8, [1, 10_000]) * 8 == pytest.approx([2.5e9, 2.5e7])


def spread(flows: int, together: bool = False) -> float:
    """Return how far the sum swings, 1 % of the moments left out at either end."""
    sums = aimd_windows(flows, 20_000, 3, together=together)
    return float(np.subtract(*np.quantile(sums, [0.99, 0.01])))


def test_swings_of_a_sum_shrink_with_the_square_root() -> None:
    flows = np.array([4, 16, 64, 256])
    slope = np.polyfit(np.log(flows), np.log([spread(int(n)) for n in flows]), 1)[0]
    assert slope == pytest.approx(-0.5, abs=0.02)


def test_in_step_nothing_cancels() -> None:
    assert spread(256, together=True) == pytest.approx(spread(1), rel=0.03)
    assert spread(1) == pytest.approx(0.98 * 2 / 3, rel=0.03)


@pytest.mark.parametrize("decrease", [0.0, 0.5, 0.8])
def test_deviation_of_a_sawtooth(decrease: float) -> None:
    """Even between decrease and 1: deviation (1 - decrease) / sqrt(12), mean (1 + decrease) / 2."""
    sums = aimd_windows(9, 40_000, 1, decrease)
    assert sums.mean() == pytest.approx(1, abs=0.005)
    expected = (1 - decrease) / (1 + decrease) / np.sqrt(3) / 3
    assert sums.std() == pytest.approx(expected, rel=0.02)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=8))
def test_every_decrease_shrinks_differences_and_no_increase_changes_them(rates) -> None:
    history = follow_aimd(rates, 300)
    widths = np.ptp(history, axis=1)
    assert (np.diff(widths) <= 1e-12).all()
    drops = history.sum(axis=1)[:-1] > 1
    assert widths[-1] == pytest.approx(widths[0] * 0.5 ** drops.sum(), abs=1e-9)


@pytest.mark.parametrize("unit", [1e-300, 1e-160, 1.0, 1e200])
def test_fairness_has_no_unit(unit) -> None:
    assert jain_index(np.array([[1.0, 1.0], [3.0, 1.0]]) * unit) == pytest.approx([1.0, 0.8])


@pytest.mark.parametrize(("given", "increase"), [({}, 0.01), ({"increase": 0.002}, 0.002)])
def test_between_two_decreases_a_link_of_n_flows_fills_by_n_increases_a_step(given, increase):
    total = follow_aimd([0.3, 0.2, 0.1], 2000, **given).sum(axis=1)
    falls = np.flatnonzero(np.diff(total) < 0)
    assert (np.diff(falls) >= 0.5 / (3 * increase)).all()
    assert (np.diff(falls) <= 0.5 / (3 * increase) + 2).all()


def test_multiplicative_increase_would_stay_unfair() -> None:
    """The contrast that makes AIMD: with factors both ways the ratio of two rates never changes."""
    history = follow_aimd([0.8, 0.1], 500)
    assert jain_index(history[-1]) > 0.999
    assert jain_index(history[0]) < 0.63


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: jain_index([0.0, 0.0]), "rates must hold a flow with a rate above 0"),
        (lambda: jain_index([]), "rates must hold a flow"),
    ],
)
def test_bad_input(call, message) -> None:
    with pytest.raises(ValueError, match=message):
        call()
