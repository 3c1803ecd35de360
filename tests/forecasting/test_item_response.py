"""Rasch's model: planted places found again, by hand for a square; rules for several demands."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.special import expit

from perfmodel.forecasting import fit_rasch, success_of_items

ITEMS = np.full((2, 2), 1e6)


def test_two_by_two_by_hand():
    odds = np.array([[9.0, 1.0], [1.0, 1 / 9]])
    found = fit_rasch(ITEMS, ITEMS * odds / (1 + odds))
    assert found.difficulties == pytest.approx([-np.log(9) / 2, np.log(9) / 2], abs=1e-5)
    assert found.abilities == pytest.approx([np.log(9) / 2, -np.log(9) / 2], abs=1e-5)


@given(
    st.lists(st.floats(-2, 2), min_size=3, max_size=6),
    st.lists(st.floats(-2, 2), min_size=2, max_size=5),
)
def test_planted_places_are_found_again(abilities, difficulties):
    able, hard = np.array(abilities), np.array(difficulties)
    items = np.full((able.size, hard.size), 1e6)
    found = fit_rasch(items, items * expit(able[:, None] - hard))
    assert found.difficulties == pytest.approx(hard - hard.mean(), abs=1e-3)
    assert found.abilities == pytest.approx(able - hard.mean(), abs=1e-3)


def test_who_solves_all_stays_finite():
    found = fit_rasch([[50, 50], [50, 50]], [[50, 50], [30, 20]])
    assert np.isfinite(found.abilities).all()
    assert found.abilities[0] > 5


@pytest.mark.parametrize("penalty", [0.2, 3.0])
def test_the_slope_of_the_penalized_likelihood_is_0(penalty):
    """What was solved beyond what is expected is the penalty times the place, for all that pay."""
    items, solved = np.array([[30, 20, 10], [15, 25, 40]]), np.array([[28, 11, 2], [9, 10, 22]])
    found = fit_rasch(items, solved, penalty)
    expected = items * expit(found.abilities[:, None] - found.difficulties)
    beyond = solved - expected
    assert found.difficulties.sum() == pytest.approx(0, abs=1e-9)
    assert beyond.sum(axis=1) == pytest.approx(penalty * found.abilities, abs=1e-4)
    easier = beyond[:, -1].sum() - beyond[:, :-1].sum(axis=0)
    assert easier == pytest.approx(penalty * found.difficulties[:-1], abs=1e-4)


def test_rules_by_hand():
    asked = [[3, 4], [1, 4], [5, 0]]
    one = 1 / (1 + np.exp(4))
    assert success_of_items([3, 4], [2, 2], asked) == pytest.approx([0.5, 0.5, one])
    assert success_of_items([3, 4], [2, 2], asked, "product") == pytest.approx(
        [0.25, 0.5 * (1 - one), one / (1 + np.exp(-8))]
    )


@given(st.integers(0, 1000))
def test_the_weakest_is_never_less_than_all_together(seed):
    rng = np.random.default_rng(seed)
    able, steep, asked = rng.normal(3, 1, 4), rng.uniform(0.5, 2, 4), rng.integers(0, 6, (7, 4))
    weakest = success_of_items(able, steep, asked)
    assert (success_of_items(able, steep, asked, "product") <= weakest).all()
    one = success_of_items(able[:1], steep[:1], asked[:, :1])
    assert one == pytest.approx(expit(steep[0] * (able[0] - asked[:, 0])))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: fit_rasch([[1, 1]], [[1, 0]]), "must both have one shape"),
        (lambda: fit_rasch(np.ones((2, 2)), 2 * np.ones((2, 2))), "solved must be at most items"),
        (lambda: success_of_items([1], [1, 2], [[1]]), "abilities, slopes and demands must have"),
    ],
)
def test_counts_and_items_that_do_not_fit_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
