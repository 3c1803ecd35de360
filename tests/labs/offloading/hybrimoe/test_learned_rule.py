"""The learned rule: what it looks at, and that it is judged on layers that it hasn't seen."""

from __future__ import annotations

import numpy as np
import pytest

from perfmodel.labs.offloading.hybrimoe.layers import expert_jobs
from perfmodel.labs.offloading.hybrimoe.learned_rule import LearnedRule, features, race


def test_features_by_hand():
    table = features(expert_jobs([1, 4, 2], [True, False, True], 1e-3))
    assert table[:, 1].tolist() == [1, 0, 1]
    assert table[:, 2].tolist() == [2, -1, 1]
    assert table[:, 3].tolist() == [-1, 0, -1]
    assert table[0, 4:] == pytest.approx([3, 2, 7e-3])


def test_race():
    result = race(60)
    assert len(result.learned) == len(result.two_ends) == len(result.regression) == 60
    assert (result.learned >= 1 - 1e-12).all()
    assert result.two_ends.mean() < result.learned.mean() < 1.5


def test_the_regression_knows_more_than_a_mean():
    result = race(60)
    line, mean = (np.abs(errors).mean() for errors in (result.regression, result.mean))
    assert mean > 0.2
    assert line < mean / 3


def test_what_is_said_of_it():
    ones = np.ones(4)
    good = LearnedRule(1.2 * ones, 1.1 * ones, 0.05 * ones, -0.25 * ones).says()
    assert "one is 25 % off" in good
    assert "5.0 % off: it has learned what makes a layer long, 5.0 times as near" in good
    assert "20.0 % longer than the best on average, worse than the list's 10.0 %" in good
    bad = LearnedRule(1.1 * ones, 1.2 * ones, 0.012 * ones, 0.013 * ones).says()
    assert "learned nothing" in bad
    assert "no worse than the list's 20.0 %" in bad


def test_bad_input():
    with pytest.raises(ValueError, match="layers must be a whole number, 2 or more, got 1"):
        race(1)
