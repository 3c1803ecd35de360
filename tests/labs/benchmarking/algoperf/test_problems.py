"""The small problems: each gradient against finite differences of its loss."""

import numpy as np
import pytest

from perfmodel.labs.benchmarking.algoperf.problems import small_problems

PROBLEMS = small_problems(3)


class NoNoise:
    """Stands in for a generator: adds no noise, and draws the examples of validation."""

    def normal(self, mean, spread, size):
        return np.zeros(size)

    def integers(self, high, size):
        return np.arange(high, 2 * high)


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda p: p.name)
def test_gradient_is_the_slope_of_the_loss(problem):
    place = problem.start(3, np.random.default_rng(1))
    steps = 1e-6 * np.eye(problem.dimensions)
    slope = [(problem.loss(place + e) - problem.loss(place - e)) / 2e-6 for e in steps]
    # Where a step takes 20 examples, the stand-in hands over all 120 of them.
    scale = 20 / 120 if problem.name in ("logistic", "rare words", "network") else 1.0
    found = scale * problem.gradient(place, NoNoise())
    assert found == pytest.approx(np.transpose(slope), rel=1e-4, abs=1e-7)


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda p: p.name)
def test_trials_side_by_side_do_not_disturb_each_other(problem):
    place = problem.start(4, np.random.default_rng(2))
    together = problem.gradient(place, np.random.default_rng(5))
    alone = problem.gradient(place[2:3], np.random.default_rng(5))
    assert together[2] == pytest.approx(alone[0])
    assert problem.loss(place)[2] == pytest.approx(problem.loss(place[2:3])[0])


def test_data_come_from_the_seed():
    first, again, other = (small_problems(seed)[2] for seed in (0, 0, 1))
    place = np.ones((1, 20))
    assert first.loss(place) == again.loss(place)
    assert first.loss(place) != other.loss(place)
