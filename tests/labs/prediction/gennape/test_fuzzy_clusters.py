"""Fuzzy C-means and heads mixed by it: hand values, limits, descent, bad input."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from sklearn.linear_model import Ridge

from perfmodel.labs.prediction.gennape.fuzzy_clusters import FuzzyHeads, fuzzy_c_means, memberships


def test_memberships_by_hand():
    assert memberships([1, 2]) == pytest.approx([0.8, 0.2])
    assert memberships([1, 2, 4]) == pytest.approx([16 / 21, 4 / 21, 1 / 21])
    assert memberships([1, 2], 3) == pytest.approx([2 / 3, 1 / 3])
    assert memberships([0, 2, 0]) == pytest.approx([0.5, 0, 0.5])


@settings(max_examples=40)
@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=6), st.floats(1.01, 20))
def test_memberships_are_shares_and_the_nearest_has_the_most(distances, fuzzifier):
    shares = memberships(distances, fuzzifier)
    assert shares.sum() == pytest.approx(1)
    assert (shares >= 0).all()
    assert shares[np.argmin(distances)] == shares.max()


def test_memberships_in_the_limits_of_the_fuzzifier():
    assert memberships([1, 2, 4], 1.001) == pytest.approx([1, 0, 0])
    assert memberships([1, 2, 4], 1000) == pytest.approx([1 / 3] * 3, abs=2e-3)


def test_centres_are_found_and_the_objective_falls():
    rng = np.random.default_rng(1)
    centres = np.array([[0.0, 0.0], [10.0, 0.0], [0.0, 10.0]])
    points = np.concatenate([centre + rng.normal(0, 0.3, (50, 2)) for centre in centres])
    found = fuzzy_c_means(points, 3)
    order = np.argsort(found.centres @ [1.0, 2.0])
    assert found.centres[order] == pytest.approx(centres, abs=0.2)
    assert (np.diff(found.objective) <= 1e-9).all()
    assert len(found.objective) > 1
    shares = found.memberships(points)
    assert found.objective[-1] == pytest.approx(
        sum(
            (shares[:, k] ** 2 * ((points - found.centres[k]) ** 2).sum(1)).sum() for k in range(3)
        ),
        rel=1e-3,
    )


def test_one_centre_is_the_mean():
    points = np.random.default_rng(2).random((30, 4))
    assert fuzzy_c_means(points, 1).centres[0] == pytest.approx(points.mean(axis=0))


def test_heads_learn_a_kink_that_one_line_cannot():
    x = np.linspace(-1, 1, 80)[:, None]
    y = np.abs(x[:, 0])
    one = FuzzyHeads(Ridge(1e-6), 1).fit(x, y).predict(x)
    assert one == pytest.approx(Ridge(1e-6).fit(x, y).predict(x), abs=1e-6)
    two = FuzzyHeads(Ridge(1e-6), 2, 1.3).fit(x, y).predict(x)
    assert np.abs(two - y).mean() < 0.25 * np.abs(one - y).mean()


def test_with_a_large_fuzzifier_all_heads_are_one():
    rng = np.random.default_rng(3)
    x, y = rng.random((60, 3)), rng.random(60)
    many = FuzzyHeads(Ridge(1e-9), 4, 1e4).fit(x, y).predict(x)
    assert many == pytest.approx(FuzzyHeads(Ridge(1e-9), 1).fit(x, y).predict(x), abs=1e-3)


def test_bad_input():
    with pytest.raises(ValueError, match="fuzzifier must be above 1, got 1"):
        memberships([1, 2], 1)
    with pytest.raises(ValueError, match="distances must be 0 or more"):
        memberships([-1, 2])
    with pytest.raises(ValueError, match="distances must have shape"):
        memberships(1.0)
    with pytest.raises(ValueError, match=r"points must have shape \(3 or more, p\), got \(2, 2\)"):
        fuzzy_c_means([[0, 0], [1, 1]], 3)
    with pytest.raises(ValueError, match="clusters must be at most the 1 different points, got 2"):
        fuzzy_c_means([[1, 1], [1, 1]], 2)
