"""The n-gram model against counts made one by one, and its limits."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.labs.forecasting.chinchilla.ngrams import (
    LETTERS,
    SIZES,
    cross_entropy,
    library_text,
    training_losses,
)

texts = st.lists(st.integers(97, 100), min_size=6, max_size=60)


def by_hand(training, test, order):
    """Witten and Bell's mixture, a character and a context at a time."""

    def chance(letter, context):
        shorter = chance(letter, context[1:]) if context else 1 / LETTERS
        size = len(context)
        places = range(len(training) - size)
        follow = Counter(training[i + size] for i in places if training[i : i + size] == context)
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


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: cross_entropy([1] * 9, [1] * 9, 9), "order must be 8 or less, got 9"),
        (lambda: cross_entropy([1, 2], [1] * 9), "training must be more than 5 whole numbers"),
        (lambda: cross_entropy([1] * 9, [200] * 9), "test must hold characters from 0 to 127"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
