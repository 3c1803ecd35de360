"""Predictors from a few timed networks: exact where they must be, and what they borrow."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.labs.prediction.help import few_shot
from perfmodel.labs.prediction.help.few_shot import (
    Task,
    by_counts,
    by_forest,
    by_mixture,
    by_neighbour,
    by_ridge,
    by_used_counts,
    drawn,
    prices,
)
from perfmodel.prediction.architectures.search_space import counts, one_hot, used_counts

METHODS = [by_counts, by_used_counts, by_ridge, by_neighbour, by_mixture]
PRICE = {"base": 2e-3, "skip": 0.0, "conv1x1": 5e-4, "conv3x3": 3e-3, "pool": 7e-4}


def a_task(counted=counts, price=PRICE, size=1900, seed=1):
    rng = np.random.default_rng(seed)
    hot = one_hot(rng.integers(0, 5, (size, 6)))
    seconds = sum(price[name] * n for name, n in counted(hot).items() if name in price)
    known = np.column_stack([rng.uniform(1, 2, size), 3 * seconds + 1, rng.uniform(1, 2, size)])
    return Task("nb201", "made up", seconds, hot, known, np.arange(900, size))


@given(st.lists(st.floats(0.1, 10), min_size=3, max_size=3), st.integers(0, 99))
def test_prices_come_back(wanted, seed):
    counted = np.random.default_rng(seed).integers(0, 7, (12, 2))
    named = {"base": np.ones(12), "a": counted[:, 0], "b": counted[:, 1]}
    seconds = sum(price * n for price, n in zip(wanted, named.values(), strict=True))
    each = prices(named, seconds)
    again = sum(each[name] * n for name, n in named.items())
    assert again == pytest.approx(seconds)


def test_no_price_is_below_0():
    each = prices({"base": np.ones(3), "a": np.arange(3)}, [3.0, 2.0, 1.0])
    assert each["a"] == 0
    assert each["base"] == pytest.approx(2)


@settings(max_examples=10)
@given(st.integers(0, 50))
def test_counts_are_exact_where_latency_is_a_sum(seed):
    chosen = a_task(seed=seed)
    rows = np.random.default_rng(seed).permutation(900)[:30]
    assert by_counts(chosen, rows) == pytest.approx(chosen.seconds)


def test_used_counts_are_exact_where_dead_code_is_gone():
    price = {"always": 1e-5, "alive": 4e-3, **{k: v for k, v in PRICE.items() if k != "base"}}
    chosen = a_task(used_counts, price)
    assert by_used_counts(chosen, np.arange(200)) == pytest.approx(chosen.seconds)
    assert by_counts(chosen, np.arange(200)) != pytest.approx(chosen.seconds, rel=0.01)


def test_what_is_borrowed():
    chosen = a_task()
    assert (by_neighbour(chosen, np.arange(10)) == chosen.known[:, 1]).all()
    # The known device has a base of 1 s more, which no share of 0 or more can take off.
    assert chosen.rank(by_mixture(chosen, np.arange(100))) > 0.9
    assert chosen.rank(by_neighbour(chosen, np.arange(10))) == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.__name__)
def test_only_timed_rows_are_seen(method):
    chosen, rows = a_task(), np.arange(40)
    hidden = np.where(np.arange(1900) < 40, chosen.seconds, 1.0)
    blind = Task("nb201", "made up", hidden, chosen.hot, chosen.known, chosen.query)
    assert method(chosen, rows) == pytest.approx(method(blind, rows))


def test_more_measurements_help_the_learners():
    chosen = a_task()
    for method in (by_ridge, by_forest):
        few = chosen.rank(method(chosen, np.arange(10)))
        assert few < chosen.rank(method(chosen, np.arange(300)))


def test_drawn_is_repeatable():
    chosen = a_task()
    first = drawn(chosen, by_ridge, 10, 4)
    assert first.shape == (4,)
    assert first.tolist() == drawn(chosen, by_ridge, 10, 4).tolist()
    assert drawn(chosen, by_ridge, 10, 2).tolist() == first[:2].tolist()
    assert len(set(first.tolist())) == 4
    with pytest.raises(ValueError, match="budget must be at most 900, got 901"):
        drawn(chosen, by_ridge, 901)


def test_task_of_the_data():
    chosen = few_shot.task("fpga", "nb201")
    assert chosen.known.shape == (4_006, 9)
    assert chosen.query.size == 800
    assert chosen.rank(chosen.seconds) == pytest.approx(1)
    assert chosen.rank(-chosen.seconds) == pytest.approx(-1)
    other = few_shot.task("fpga", "fbnet")
    assert other.hot.shape == (5000, 176)
    assert other.query.min() >= 4000
    with pytest.raises(ValueError, match="device must be one of .*, got 'abacus'"):
        few_shot.task("abacus", "nb201")
