"""Losses that follow the law of two variables: who finds them, and who sees what."""

import numpy as np
import pytest

from perfmodel.labs.forecasting.contest.model_contestants import Models, answers


@pytest.fixture(scope="module")
def models():
    rng = np.random.default_rng(0)
    size, tokens = np.exp(rng.uniform(np.log(1e7), np.log(1e10), (2, 120)))
    loss = 1.7 + 480 * size**-0.34 + 2000 * (10 * tokens) ** -0.36
    found = Models(size, 10 * tokens, loss * np.exp(rng.normal(0, 0.004, 120)))
    return found.take(np.argsort(found.compute))


def test_law_finds_its_own_and_covers(models):
    cheap, dear = models.take(np.arange(80)), models.take(np.arange(90, 120))
    found = answers(cheap, dear)
    errors = {name: np.abs(one.middle - dear.loss).mean() for name, one in found.items()}
    assert errors["law"] < 0.03 < errors["regression"] < errors["last value"]
    inside = (found["law"].low <= dear.loss) & (dear.loss <= found["law"].high)
    assert inside.mean() >= 0.85
    # A mean of leaves cannot be below the least loss seen.
    assert found["learner"].middle.min() >= cheap.loss.min()


def test_losses_of_dear_models_are_not_looked_at(models):
    cheap, dear = models.take(np.arange(40)), models.take(np.arange(90, 120))
    hidden = Models(dear.parameters, dear.tokens, np.full(30, 9.0))
    one, two = answers(cheap, dear), answers(cheap, hidden)
    for name in one:
        np.testing.assert_array_equal(one[name].parts, two[name].parts)


def test_law_needs_more_models_than_parameters(models):
    dear = models.take(np.arange(90, 120))
    for count, alone, calibrated in ((5, False, False), (8, True, False), (12, True, True)):
        found = answers(models.take(np.arange(count)), dear)
        assert np.isfinite(found["law"].middle).all() == alone
        assert np.isfinite(found["law, calibrated"].low).all() == calibrated


def test_last_value_is_the_median_of_the_dearest_tenth(models):
    cheap = models.take(np.arange(40))
    found = answers(cheap, models.take(np.arange(90, 92)))["last value"]
    assert found.middle[0] == pytest.approx(np.median(cheap.loss[36:]))


@pytest.mark.parametrize(("sizes", "able"), [(2, False), (3, True)])
def test_law_needs_three_sizes(models, sizes, able):
    cheap, dear = models.take(np.arange(30)), models.take(np.arange(90, 120))
    few = Models(np.array([1e7, 1e8, 1e9])[np.arange(30) % sizes], cheap.tokens, cheap.loss)
    found = answers(few, dear)
    assert np.isfinite(found["law"].middle).all() == able
    assert np.isfinite(found["regression"].middle).all()
