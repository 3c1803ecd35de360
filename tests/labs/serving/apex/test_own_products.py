from types import SimpleNamespace

import numpy as np
import pytest

from perfmodel.labs.serving.apex.own_products import (
    ASKED,
    own_contest,
    rates,
    time_products,
    verdict,
)
from perfmodel.labs.serving.apex.products import Score
from perfmodel.serving import StepErrors


def simulated(shape, precision, threads, runs, seconds):
    """A processor of 10 GFLOP/s with 2 us a call, without noise."""
    m, n, k = shape
    one = 2e-6 + 2 * m * n * k / 1e10
    return SimpleNamespace(seconds=np.full(runs, 4 * one), work=4.0 * 2 * m * n * k)


def test_times_are_those_of_one_product():
    own = time_products(measure=simulated)
    assert own.spread == pytest.approx(0, abs=1e-9)
    assert len(own.products.seconds) == 64
    work = 2 * own.products.sizes.prod(axis=1)
    assert own.products.seconds == pytest.approx(2e-6 + work / 1e10)
    assert rates(own).max() < 1e10


def test_contest_on_a_machine_that_is_a_roofline():
    scores = own_contest(time_products(measure=simulated))
    assert [score[:2] for score in scores] == [
        (name, family) for name in ("at random", "larger") for family in ASKED
    ]
    assert scores[4].errors.mean < 0.01
    assert "The forest's error goes from" in verdict(scores)
    assert scores[6].errors.mean > 0.3


def test_verdict_says_when_it_cannot_tell():
    def one(mean, half):
        return StepErrors(mean, mean - half, mean + half, mean, mean - half, mean + half)

    def board(half):
        means = dict(zip(ASKED, (0.2, 0.25, 0.6, 0.3), strict=True))
        return [
            Score(name, family, one(mean, half))
            for name in ("at random", "larger")
            for family, mean in means.items()
        ]

    assert "whether it or the table is nearer, these products can't tell" in verdict(board(0.05))
    assert "the next, the table, by 25 %" in verdict(board(0.01))


def test_real_products_are_measured():
    own = time_products(3, 1e-5)
    assert (own.products.seconds > 0).all()
    assert own.spread >= 0


def test_refuses():
    with pytest.raises(ValueError, match="runs must be a whole number, 3 or more, got 2"):
        time_products(2)
