"""The optimisers against their textbook recursions, and a competition's bookkeeping."""

import numpy as np
import pytest

from perfmodel.labs.benchmarking.algoperf.optimisers import OPTIMISERS, train
from perfmodel.labs.benchmarking.algoperf.problems import quadratic, small_problems
from perfmodel.labs.benchmarking.algoperf.toy import (
    MOST_STEPS,
    set_target,
    steps_to_target,
    toy_competition,
)

RATE = 0.05


class NoNoise:
    def normal(self, mean, spread, size):
        return np.zeros(size)


def by_hand(name, place, steps):
    """One number, one trial, with the recursions as they are usually printed."""
    mean = square = total = 0.0
    for step in range(1, steps + 1):
        slope = place
        mean = 0.9 * mean + (slope if name == "momentum" else 0.1 * slope)
        square = 0.999 * square + 0.001 * slope**2
        total += slope**2
        place -= (
            RATE
            * {
                "gradient descent": slope,
                "momentum": mean,
                "Adagrad": slope / (np.sqrt(total) + 1e-8),
                "Adam": mean / (1 - 0.9**step) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8),
            }[name]
        )
    return 0.5 * place**2


@pytest.mark.parametrize("name", OPTIMISERS)
def test_an_optimiser_follows_its_recursion(name):
    bowl = quadratic(1, 1.0)
    start = np.array([[2.0], [-0.5]])
    losses = train(bowl, OPTIMISERS[name], [RATE, RATE], start, NoNoise(), 20, every=10)
    expected = [[by_hand(name, x, steps) for x in (2.0, -0.5)] for steps in (10, 20)]
    assert losses == pytest.approx(np.array(expected))
    assert start.tolist() == [[2.0], [-0.5]]


def test_a_trial_that_runs_away_has_no_time():
    bowl, rule = quadratic(2, 1.0), OPTIMISERS["gradient descent"]
    losses = train(bowl, rule, [0.5, 50.0], np.ones((2, 2)), NoNoise(), 400)
    assert np.isinf(losses[-1]).tolist() == [False, True]
    assert np.isfinite(steps_to_target(losses, 1e-3)).tolist() == [True, False]


def test_the_first_look_at_the_target_counts():
    losses = np.array([[9.0, 2.0, 9.0], [1.0, 5.0, 9.0], [0.5, 1.0, 9.0]])
    assert steps_to_target(losses, 2.0, every=10).tolist() == [20.0, 10.0, np.inf]


def test_studies_take_the_fastest_trial_and_results_the_middle_study():
    result = toy_competition(seed=4)
    assert result.trials.shape == (4, 6, 3, 5)
    by_loops = [
        [sorted(min(study) for study in cell)[1] for cell in row] for row in result.trials.tolist()
    ]
    assert result.steps().tolist() == by_loops
    finite = result.trials[np.isfinite(result.trials)]
    assert finite.max() <= MOST_STEPS
    assert (finite % 5 == 0).all()
    assert result.trials.tolist() == toy_competition(seed=4).trials.tolist()


def test_every_target_can_be_reached_by_somebody():
    result = toy_competition(studies=6, seed=1)
    assert np.isfinite(result.trials).any(axis=(0, 2, 3)).all()


def test_a_weaker_field_sets_an_easier_target():
    valley = small_problems()[1]
    weak = {"gradient descent": OPTIMISERS["gradient descent"]}
    assert set_target(valley, weak) > set_target(valley)


@pytest.mark.parametrize(
    ("rates", "steps", "message"),
    [([0.0], 5, "rates must be above 0"), ([0.1], 0, "steps must be a whole number, 1 or more")],
)
def test_bad_input_is_refused(rates, steps, message):
    bowl, rule = quadratic(1, 1.0), OPTIMISERS["Adam"]
    with pytest.raises(ValueError, match=message):
        train(bowl, rule, rates, np.ones((1, 1)), NoNoise(), steps)
