"""The inverse of products against exact fractions, and leverage against the hat matrix."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.measurement.statistics.least_squares import centred_roots, products_inverse


@pytest.mark.parametrize("level", [0, 100, 10**5, 10**7])
def test_inverse_of_products_is_that_of_fractions(level):
    """An intercept and integers far from 0: at 1e7 the products themselves are singular."""
    x = [level + k for k in (0, 1, 3, 7, 8)]
    n, total, squares = 5, sum(x), sum(k * k for k in x)
    scale = Fraction(1, n * squares - total**2)
    exact = np.array([[squares * scale, -total * scale], [-total * scale, n * scale]], float)
    result = products_inverse(np.column_stack([np.ones(5), x]))
    assert result == pytest.approx(exact, rel=1e-8 * max(level, 1) / 1e2)


@given(st.integers(0, 100), st.floats(-12, 12))
def test_units_come_out_squared(seed, power):
    columns = np.random.default_rng(seed).normal(size=(9, 3))
    units = np.array([1.0, 10.0**power, 1e6])
    result = products_inverse(columns * units) * np.outer(units, units)
    assert result == pytest.approx(np.linalg.inv(columns.T @ columns))


def test_columns_that_say_the_same_are_known_badly_and_not_well():
    x = np.arange(1.0, 6)
    assert np.diag(products_inverse(np.column_stack([x, 2 * x]))).min() > 1e20


def test_leverage_is_that_of_the_hat_matrix():
    table = np.random.default_rng(1).normal(size=(10, 3))
    means, roots = centred_roots(table)
    columns = np.column_stack([np.ones(10), table])
    hat = np.diag(columns @ np.linalg.pinv(columns))
    assert 0.1 + (((table - means) @ roots) ** 2).sum(axis=1) == pytest.approx(hat)


def test_constant_columns_have_none():
    means, roots = centred_roots(np.full((7, 2), 0.1))
    assert means == pytest.approx([0.1, 0.1])
    assert roots.shape == (2, 0)
