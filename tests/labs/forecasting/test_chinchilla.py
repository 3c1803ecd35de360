"""Published runs fitted again, n-grams counted otherwise, and the valley of sizes."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.forecasting import TWO_VARIABLE_LAW, compute_optimal
from perfmodel.labs.forecasting.chinchilla import valley
from perfmodel.labs.forecasting.chinchilla.claims import tokens_interval, width_ratio
from perfmodel.labs.forecasting.chinchilla.ngrams import (
    LETTERS,
    SIZES,
    cross_entropy,
    library_text,
    training_losses,
)
from perfmodel.labs.forecasting.chinchilla.runs import (
    TRAIN_SETS,
    figure_runs,
    gadre_runs,
    largest_forecast,
    refit,
)
from perfmodel.labs.forecasting.chinchilla.valley import (
    BUDGET,
    CHINCHILLA,
    CONSTANTS,
    GOPHER,
    REPLICATED,
    ROUNDED,
    UNROUNDED,
    loss_terms,
)


def test_tables_are_whole():
    runs = figure_runs(0)
    assert runs.loss.size == 245
    assert runs.compute.min() > 1e17
    assert figure_runs().loss.max() < 3.5
    assert sum(gadre_runs(name).loss.size for name in TRAIN_SETS) == 104


def test_the_fit_is_better_than_the_printed_constants():
    fit = refit()
    assert fit.objective == pytest.approx(0.00101827, abs=5e-9)
    for theta in (REPLICATED, ROUNDED, UNROUNDED):
        off = fit.problem.residuals(fit.problem.internal(fit.law.vector(theta)), fit.y)[0]
        assert fit.problem.loss(off).sum() > fit.objective


def test_the_five_worst_runs_pull_the_data_term():
    kept, dropped = refit(0).theta, refit().theta
    assert kept["beta"] == pytest.approx(0.453, abs=5e-4)
    assert kept["B"] / dropped["B"] == pytest.approx(6.0, abs=0.1)
    assert kept["alpha"] == pytest.approx(dropped["alpha"], abs=0.003)


def test_rounding_an_exponent_makes_half_of_the_difference_in_advice():
    """The first fit asks for 3.3 times as many tokens a parameter; its rounded beta for 5.2."""
    refitted, first, rounded = (
        float(compute_optimal(theta, BUDGET).tokens_per_parameter)
        for theta in (refit().theta, UNROUNDED, ROUNDED)
    )
    assert refitted == pytest.approx(17.9, abs=0.05)
    assert first == pytest.approx(58.9, abs=0.05)
    assert first / refitted == pytest.approx(3.3, abs=0.05)
    assert rounded / refitted == pytest.approx(5.2, abs=0.05)


def test_losses_of_the_two_famous_models():
    small, large = (TWO_VARIABLE_LAW.value(REPLICATED, *run) for run in (CHINCHILLA, GOPHER))
    assert (small, large) == (pytest.approx(1.9739, abs=1e-4), pytest.approx(1.9996, abs=1e-4))


def test_intervals_are_as_wide_as_the_replications():
    assert 40 < width_ratio() < 60
    low, high = tokens_interval()
    assert low < 18.4 < high


@pytest.mark.parametrize("train_set", TRAIN_SETS)
def test_on_larger_models_the_law_beats_a_straight_line(train_set):
    _, loss, law, line = largest_forecast(train_set)
    assert np.abs(law / loss - 1).mean() < 0.03 < np.abs(line / loss - 1).mean()


texts = st.lists(st.integers(97, 100), min_size=6, max_size=60)


def by_hand(training, test, order):
    """Witten and Bell's mixture, a character and a context at a time."""

    def chance(letter, context):
        shorter = chance(letter, context[1:]) if context else 1 / LETTERS
        size = len(context)
        indices = range(len(training) - size)
        follow = Counter(training[i + size] for i in indices if training[i : i + size] == context)
        total, kinds = follow.total(), len(follow)
        return (follow[letter] + kinds * shorter) / (total + kinds) if total else shorter

    pairs = [(test[i], test[i - order : i]) for i in range(order, len(test))]
    return -np.mean([np.log(chance(letter, context)) for letter, context in pairs])


@settings(max_examples=30, deadline=None)
@given(texts, texts, st.integers(0, 3))
def test_vectors_agree_with_counting_one_by_one(training, test, order):
    assert cross_entropy(training, test, order) == pytest.approx(by_hand(training, test, order))


def test_chances_add_up_to_one():
    training = np.random.default_rng(0).integers(97, 100, 50)
    context = [97, 98]
    total = sum(
        np.exp(-cross_entropy(training, [*context, letter], 2)) for letter in range(LETTERS)
    )
    assert total == pytest.approx(1)


def test_more_text_is_better_on_average():
    losses = training_losses(0, runs=2)
    assert losses.shape == (2, SIZES.size)
    assert losses[:, -1].max() < losses[:, 0].min()
    assert (losses == training_losses(0, runs=2)).all()
    assert library_text().size > 2 * SIZES[-1]


@pytest.mark.parametrize("constants", CONSTANTS)
@pytest.mark.parametrize("share", valley.SIZES)
def test_every_state_can_be_read(share, constants):
    assert not loss_terms(share, constants).faults()


def test_the_least_loss_is_where_the_line_stands():
    losses = [loss_terms(fraction).values["loss"] for fraction in valley.SIZES]
    assert valley.SIZES[int(np.argmin(losses))] == 1
    printed = [
        loss_terms(fraction, "first, before rounding").values["loss"] for fraction in valley.SIZES
    ]
    assert valley.SIZES[int(np.argmin(printed))] < 1
