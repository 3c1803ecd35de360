"""The replication's fit, what five runs do to it, and forecasts of runs that it has not seen."""

import numpy as np
import pytest

from perfmodel.forecasting import TWO_VARIABLE_LAW, compute_optimal
from perfmodel.labs.forecasting.chinchilla.claims import tokens_interval, width_ratio
from perfmodel.labs.forecasting.chinchilla.inputs import (
    BUDGET,
    CHINCHILLA,
    GOPHER,
    REPLICATED,
    ROUNDED,
    UNROUNDED,
)
from perfmodel.labs.forecasting.chinchilla.runs import (
    TRAIN_SETS,
    figure_runs,
    gadre_runs,
    largest_forecast,
    refit,
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
