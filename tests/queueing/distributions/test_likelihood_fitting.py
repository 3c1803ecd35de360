"""Hyper-Erlang laws by EM: the likelihood rises at every step, known laws are found again."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.stats import gamma

from perfmodel.queueing.distributions.likelihood_fitting import (
    best_hyper_erlang,
    fit_hyper_erlang,
)
from perfmodel.queueing.distributions.service import Hyperexponential


@settings(max_examples=30)
@given(
    st.lists(st.floats(1e-6, 1e6), min_size=2, max_size=40),
    st.lists(st.integers(1, 30), min_size=1, max_size=5),
)
def test_no_step_makes_the_times_less_likely(times, stages):
    fit = fit_hyper_erlang(times, stages)
    steps = np.diff(fit.log_likelihood)
    assert (steps >= -1e-9 * np.abs(fit.log_likelihood[1:])).all()
    assert fit.weights.sum() == pytest.approx(1)
    assert fit.distribution.moment(1) == pytest.approx(np.mean(times), rel=1e-6)


def test_the_likelihood_is_that_of_the_law():
    times = np.random.default_rng(3).gamma(2.0, 1.5, 400)
    fit = fit_hyper_erlang(times, [1, 4])
    density = sum(
        weight * gamma.pdf(times, count, scale=mean / count)
        for weight, count, mean in zip(fit.weights, fit.stages, fit.means, strict=True)
    )
    assert fit.log_likelihood[-1] == pytest.approx(np.log(density).sum(), rel=1e-9)


def test_one_exponential_branch_has_the_mean_at_once():
    fit = fit_hyper_erlang([1.0, 2.0, 6.0], [1])
    assert fit.means == pytest.approx([3.0])
    assert fit.log_likelihood[-1] == pytest.approx(-3 * (1 + np.log(3)))


def test_a_hyperexponential_law_is_found_again():
    law = Hyperexponential((0.9, 0.1), (1.0, 20.0))
    fit = fit_hyper_erlang(law.sample(np.random.default_rng(5), 50_000), [1, 1])
    assert fit.weights == pytest.approx([0.9, 0.1], abs=0.01)
    assert fit.means == pytest.approx([1.0, 20.0], rel=0.05)
    assert fit.distribution.tail([3.0, 30.0]) == pytest.approx(
        1 - law.partial_moment(0, [3.0, 30.0]), rel=0.05
    )


def test_all_ways_to_share_the_phases():
    rng = np.random.default_rng(6)
    times = np.where(rng.random(1000) < 0.5, rng.gamma(1, 1.0, 1000), rng.gamma(4, 5.0, 1000))
    best = best_hyper_erlang(times, 5)
    assert best.stages == (1, 4)
    for stages in ([5], [1, 1, 3], [2, 3]):
        assert fit_hyper_erlang(times, stages).log_likelihood[-1] <= best.log_likelihood[-1]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: fit_hyper_erlang([1.0], [1]), "times must be .* sample of 2 or more"),
        (lambda: fit_hyper_erlang([1.0, 2.0], []), "stages must be a one-dimensional sample of 1"),
        (lambda: fit_hyper_erlang([1.0, 2.0], 3), "stages must be a one-dimensional sample of 1"),
        (lambda: fit_hyper_erlang([1.0, 2.0], [150, 51]), "stages must be 1 to 200 in all"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
