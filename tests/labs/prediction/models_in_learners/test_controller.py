"""The learned controllers' link agrees with the studying lab; training goes downhill."""

import numpy as np
import pytest

from perfmodel.communication import follow_law
from perfmodel.labs.communication.rl_congestion.experiments import PUBLISHED
from perfmodel.labs.prediction.models_in_learners import training
from perfmodel.labs.prediction.models_in_learners.controller import Link, Senses, Weights, deploy


def test_the_link_is_that_of_the_hand_written_law():
    start = np.array([0.9, 0.3, 0.5])
    law = follow_law(PUBLISHED, start, 41)
    link = Link(start[None], law.inflation[1:2])
    for step in range(40):
        seen = np.maximum(link.inflation - PUBLISHED.base, 0)[:, None] * link.rates**0.5
        link.step(np.tanh(PUBLISHED.steepness * (PUBLISHED.target - seen)))
        assert link.rates[0] == pytest.approx(law.rates[step + 1], rel=1e-9)
        assert link.inflation[0] == pytest.approx(law.inflation[step + 2], rel=1e-9)


def test_the_signal_is_zero_at_an_even_share():
    flows = 16
    link = Link(np.full((3, flows), 1 / flows), np.array([1.0, 1.0, 1.0]))
    exponents = np.array([0.0, 0.5, 1.0])
    link.inflation = PUBLISHED.base + PUBLISHED.target * flows**exponents
    assert link.signal(exponents) == pytest.approx(0, abs=1e-12)


def test_without_the_rate_all_shares_have_one_signal():
    link = Link(np.array([[0.9, 0.1]]), np.array([2.0]))
    even, uneven = link.signal(np.array([0.0]))[0], link.signal(np.array([0.5]))[0]
    assert even[0] == even[1]
    assert uneven[0] > uneven[1]


def test_the_slopes_are_those_of_the_loss():
    rng = np.random.default_rng(3)
    weights = Weights.drawn([5])
    weights.last *= 10
    inputs, slope = rng.normal(size=(1, 4, 3, 4)), 1e-3 * rng.normal(size=(1, 4, 3))
    found = training._backward(weights, inputs, slope)
    for part, got in zip(weights.parts, found, strict=True):
        place = np.unravel_index(int(np.argmax(np.abs(got))), got.shape)
        ends = []
        for shift in (1e-5, -2e-5):
            part[place] += shift
            ends.append((slope[0] * weights.actions(inputs[0])).sum())
        part[place] += 1e-5
        assert (ends[0] - ends[1]) / 2e-5 == pytest.approx(got[place], rel=1e-3)


def test_the_slope_of_an_action_is_what_comes_after_and_smoothness():
    actions, signals = np.array([[[0.0], [1.0]]]), np.array([[[2.0], [4.0]]])
    assert training._slope(actions, signals)[0, :, 0] == pytest.approx([(3 - 1) / 2, (4 + 1) / 2])


def test_rows_and_weights_are_the_same_numbers():
    weights = Weights.drawn([1, 2])
    again = Weights.from_rows(weights.rows)
    assert all(np.array_equal(a, b) for a, b in zip(weights.parts, again.parts, strict=True))
    assert weights.rows.shape == (2, 204)


def test_groups_of_one_seed_begin_alike():
    one, two = Weights.drawn([4, 4]).rows
    assert np.array_equal(one, two)


def test_a_short_training_makes_flows_fairer():
    exponents = np.array([0.5])
    trained = training.by_signal(exponents, [0], updates=150)
    before = deploy(Weights.drawn([0]), "signal", exponents, 4, steps=1000)
    after = deploy(trained, "signal", exponents, 4, steps=1000)
    assert after.fairness[0] > before.fairness[0]
    assert after.utilization[0] > 0.8


def test_the_aim_of_rates_that_never_move_by_hand():
    """In its last 30 of 60 steps a queue that grows steadily is as long as after 45.5."""
    still = Weights.from_rows(np.zeros((1, 204)))
    link = Link.drawn([3], 4)
    rates, total = link.rates[0], float(link.rates.sum())
    assert total > 1
    queueing = 45.5 * PUBLISHED.drain * (total - 1)
    wanted = np.log(rates / (total / 4)).mean() - training.DELAY_PRICE * queueing
    assert training.aim(still, [3], 4) == pytest.approx([wanted])


def test_trying_out_improves_the_aim():
    trained = training.by_aim([0], 30)
    starts = list(range(40, 60))

    def mean(weights: Weights) -> float:
        rows = np.repeat(weights.rows, len(starts), axis=0)
        return float(training.aim(Weights.from_rows(rows), starts, 4).mean())

    assert mean(trained) > mean(Weights.drawn([0]))


def test_equal_steps():
    generations = training.generations_for(640)
    assert generations * 2 * training.PAIRS * training.TRIAL == 640 * training.ROLLOUT


def test_senses_remember_two_signals():
    senses, link = Senses("signal", np.array([0.5])), Link(np.array([[0.5]]), np.array([2.0]))
    first = senses.inputs(link)
    senses.note(np.array([[0.3]]))
    second = senses.inputs(link)
    assert first[0, 0, :2].tolist() == [0, 0]
    assert second[0, 0, :2].tolist() == first[0, 0, 2:].tolist()
    assert second[0, 0, 2] == 0.3


def test_bad_arguments_are_named():
    with pytest.raises(ValueError, match="seeds"):
        training.by_signal(np.array([0.5, 0.0]), [1])
    with pytest.raises(ValueError, match="flows"):
        deploy(Weights.drawn([0]), "signal", np.array([0.5]), 0)
