"""Lists sorted by random comparisons: chances by hand, limits, and the forecast of a trial."""

import numpy as np
import pytest

from perfmodel.labs.forecasting.cod.sorting import (
    LENGTHS,
    OF_EACH,
    forecast_trial,
    pass_rates,
    shuffled_lists,
)


def chance_by_chain(start, budget):
    """Return the chance to be sorted, by the Markov chain over the orders of a list."""
    chances = {tuple(start): 1.0}
    pairs = len(start) - 1
    for _ in range(budget):
        after = {}
        for order, chance in chances.items():
            for left in range(pairs):
                new = list(order)
                new[left : left + 2] = sorted(new[left : left + 2])
                after[tuple(new)] = after.get(tuple(new), 0.0) + chance / pairs
        chances = after
    return chances.get(tuple(sorted(start)), 0.0)


@pytest.mark.parametrize("start", [(1, 0, 2), (2, 1, 0), (3, 0, 2, 1)])
def test_pass_rates_are_those_of_the_markov_chain(start):
    many = np.tile(np.array(start, dtype=float), (100, 1))
    budgets = [3, 6, 12]
    found = pass_rates([many], budgets, 0).mean(axis=0)
    exact = np.array([chance_by_chain(start, budget) for budget in budgets])
    error = np.sqrt(exact * (1 - exact) / 5_000)
    assert (np.abs(found - exact) <= 4 * error + 1e-12).all()


def test_sorted_lists_pass_and_long_ones_need_more():
    assert (pass_rates([np.arange(5.0)[None]], [1, 9], 0) == 1).all()
    rates = pass_rates(shuffled_lists(0), [12, 48], 1)
    by_length = rates.reshape(len(LENGTHS), OF_EACH, 2).mean(axis=1)
    assert (np.diff(by_length, axis=0) <= 0.01).all()
    assert (by_length[:, 1] >= by_length[:, 0]).all()


def test_lists_are_orders_and_repeat_with_their_seed():
    lists = shuffled_lists(4)
    assert [one.shape for one in lists] == [(OF_EACH, n) for n in LENGTHS]
    assert all((np.sort(one, axis=1) == np.arange(one.shape[1])).all() for one in lists)
    assert all((a == b).all() for a, b in zip(lists, shuffled_lists(4), strict=True))


def test_a_trial_forecasts_what_it_then_runs():
    trial = forecast_trial(0)
    assert trial == forecast_trial(0)
    assert 0.9 < trial.found <= 1
    assert trial.one_law < trial.found - 0.1
    assert 0 < trial.kept_share <= 1
    assert 0 <= trial.kept <= 1
