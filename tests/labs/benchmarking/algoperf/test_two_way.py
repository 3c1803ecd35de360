"""Guesses of times not reached: exact where their model holds, against statsmodels elsewhere."""

import numpy as np
import pytest
import statsmodels.api as sm

from perfmodel.labs.benchmarking.algoperf.problems import small_problems
from perfmodel.labs.benchmarking.algoperf.step_seconds import measure_steps
from perfmodel.labs.benchmarking.algoperf.two_way import (
    left_out_factors,
    neighbour_seconds,
    two_way_seconds,
)

RNG = np.random.default_rng(7)
TIMES = np.exp(RNG.normal(size=(6, 5)))
HOLES = np.where(RNG.random((6, 5)) < 0.25, np.inf, TIMES)


def test_a_table_of_products_is_completed_exactly():
    table = np.outer([1.0, 2.0, 5.0], [3.0, 10.0, 40.0, 7.0])
    holes = table.copy()
    holes[0, 1] = holes[2, 3] = holes[1, 0] = np.inf
    assert two_way_seconds(holes) == pytest.approx(table)
    assert left_out_factors(table)[0] == pytest.approx(np.ones(12))


def test_the_regression_is_that_of_statsmodels():
    rows, columns = np.nonzero(np.isfinite(HOLES))
    design = np.column_stack([rows[:, None] == np.arange(6), columns[:, None] == np.arange(5)])
    fit = sm.OLS(np.log(HOLES[rows, columns]), design[:, 1:].astype(float)).fit()
    assert two_way_seconds(HOLES)[rows, columns] == pytest.approx(np.exp(fit.fittedvalues))


def test_the_neighbour_is_who_differs_least_where_both_have_times():
    table = np.array([[1.0, 2.0, 3.0], [1.0, 2.1, 8.0], [5.0, 9.0, 3.3], [np.inf, 2.0, np.inf]])
    asked = [(0, 0), (0, 1), (0, 2), (2, 2), (3, 0)]
    assert [neighbour_seconds(table, *place) for place in asked] == [1.0, 2.1, 8.0, 8.0, 1.0]


def test_who_shares_no_workload_gets_the_middle_time():
    table = [[np.inf, 2.0], [5.0, np.inf], [7.0, np.inf], [9.0, np.inf]]
    assert neighbour_seconds(table, 0, 0) == 7.0


def test_a_time_that_was_left_out_does_not_guess_itself():
    table = TIMES.copy()
    table[2, 3] *= 1000
    by_regression, by_neighbour = left_out_factors(table)
    assert by_regression.size == TIMES.size
    assert min(by_regression.max(), by_neighbour.max()) > 20


def test_steps_are_measured_one_by_one():
    seconds = measure_steps(small_problems()[:3], rounds=2, steps=3)
    assert seconds.shape == (2, 4, 3)
    assert (seconds > 0).all()


def test_a_column_nobody_reached_is_refused():
    for guess in (two_way_seconds, left_out_factors):
        with pytest.raises(ValueError, match="a finite time in each row and column"):
            guess([[1.0, np.inf], [2.0, np.inf]])
