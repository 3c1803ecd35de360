"""Elimination without subtraction: as the exact fractions say, whatever the order and the block."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import sparse

from perfmodel.queueing.distributions import elimination


def stiff(seed, size, decades=14):
    """Return rates as far apart as 10^decades, some of them 0, with a ring that joins all."""
    rng = np.random.default_rng(seed)
    rates = 10.0 ** rng.uniform(-decades, 0, (size, size)) * (rng.random((size, size)) < 0.5)
    rates += np.roll(np.diag(10.0 ** rng.uniform(-decades, 0, size)), 1, axis=1)
    np.fill_diagonal(rates, 0.0)
    return rates


def solved(matrix, right):
    """Return the exact solution of equations in fractions, by Gauss and Jordan."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for i in range(len(rows)):
        chosen = next(k for k in range(i, len(rows)) if rows[k][i])
        rows[i], rows[chosen] = rows[chosen], rows[i]
        rows[i] = [value / rows[i][i] for value in rows[i]]
        for k in range(len(rows)):
            if k != i and rows[k][i]:
                factor = rows[k][i]
                rows[k] = [a - factor * b for a, b in zip(rows[k], rows[i], strict=True)]
    return [row[-1] for row in rows]


def balanced(rates):
    size = len(rates)
    exact = [[Fraction(float(x)) for x in row] for row in rates]
    matrix = [[exact[j][i] for j in range(size)] for i in range(size)]
    for i in range(size):
        matrix[i][i] = -sum(exact[i])
    matrix[-1] = [Fraction(1)] * size
    return np.array(list(map(float, solved(matrix, [Fraction(0)] * (size - 1) + [Fraction(1)]))))


def gathered(rates, exits, costs):
    size = len(rates)
    matrix = [[-Fraction(float(x)) for x in row] for row in rates]
    for i in range(size):
        matrix[i][i] = Fraction(float(exits[i])) - sum(matrix[i])
    return np.array(list(map(float, solved(matrix, [Fraction(float(c)) for c in costs]))))


@pytest.mark.parametrize("block", [1, 3, 24])
@pytest.mark.parametrize("seed", range(4))
class TestAgainstFractions:
    def test_long_run_probabilities(self, monkeypatch, seed, block):
        monkeypatch.setattr(elimination, "_BLOCK", block)
        rates = stiff(seed, 9)
        exact = pytest.approx(balanced(rates), rel=1e-12, abs=0)
        assert elimination.stationary(rates) == exact
        assert elimination.stationary(sparse.csr_array(rates)) == exact

    def test_costs_until_absorption(self, monkeypatch, seed, block):
        monkeypatch.setattr(elimination, "_BLOCK", block)
        rates, exits = stiff(seed, 9), np.append(np.zeros(8), 1e-20)
        costs = np.random.default_rng(seed).random((9, 2))
        exact = np.column_stack([gathered(rates, exits, cost) for cost in costs.T])
        for given_rates in (rates, sparse.csr_array(rates)):
            found = elimination.cost_until_absorption(given_rates, exits, costs)
            assert found == pytest.approx(exact, rel=1e-12, abs=0)


@given(st.integers(0, 10_000), st.integers(2, 60), st.integers(1, 6))
def test_a_band_is_as_good_as_the_whole(seed, size, width):
    rng = np.random.default_rng(seed)
    apart = np.abs(np.subtract.outer(np.arange(size), np.arange(size)))
    rates = rng.exponential(size=(size, size)) * ((apart <= width) & (apart > 0))
    mixed = rng.permutation(size)
    shuffled = sparse.csr_array(rates[mixed][:, mixed])
    assert elimination.stationary(shuffled) == pytest.approx(
        elimination.stationary(rates)[mixed], rel=1e-10
    )
    exits = rng.random(size)
    whole = elimination.cost_until_absorption(rates, exits, np.ones(size))
    banded = elimination.cost_until_absorption(shuffled, exits[mixed], np.ones(size))
    assert banded == pytest.approx(whole[mixed], rel=1e-10)


@pytest.mark.parametrize("memory", ["C", "F"])
def test_the_fundamental_matrix_whatever_the_layout_in_memory(memory):
    """A chain that is absorbed once in 1e19 moves, and moves in discrete time."""
    rates, exits = np.array([[0.0, 2.0, 0.0], [3.0, 0.0, 1e-6], [7.0, 0.5, 0.0]]), np.zeros(3)
    exits[2] = 1e-12
    generator = np.array(rates - np.diag(rates.sum(axis=1) + exits), order=memory)
    found = elimination.fundamental_matrix(generator, exits)
    exact = gathered(rates, exits, np.ones(3))
    assert found.sum(axis=1) == pytest.approx(exact, rel=1e-12)
    moves = np.array([[0.2, 0.3], [0.4, 0.1]], order=memory)
    visits = elimination.fundamental_matrix(moves, 1 - moves.sum(axis=1))
    assert visits == pytest.approx(np.linalg.inv(np.eye(2) - moves), rel=1e-12)


def test_what_takes_too_long_is_known_before():
    assert elimination.is_affordable(sparse.eye_array(3000, format="csr"))
    ends = sparse.csr_array((np.ones(2), ([0, 99_999], [99_999, 0])), shape=(100_000, 100_000))
    ring = sparse.csr_array(sparse.eye_array(100_000, k=1, format="csr") + ends)
    assert elimination.is_affordable(ring)
    spokes = np.zeros(49_999), np.arange(1, 50_000)
    star = sparse.csr_array((np.ones(49_999), spokes), shape=(50_000, 50_000))
    assert not elimination.is_affordable(star)


def test_rates_as_far_apart_as_numbers_are():
    rates = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 1e-300], [2e-300, 1e-300, 0.0]])
    assert elimination.stationary(rates) == pytest.approx(balanced(rates), rel=1e-12)


def test_rates_too_far_apart_for_numbers():
    rates = np.array([[0.0, 1e300], [1e-300, 0.0]])
    for given_rates in (rates, rates.T):
        with pytest.raises(ValueError, match="rates must be closer together, got products that no"):
            elimination.stationary(given_rates)
