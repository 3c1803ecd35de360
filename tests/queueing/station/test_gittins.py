"""SERPT and Gittins ranks: hand values, memorylessness, hazard rates, every stop tried."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.queueing.distributions.service import (
    BoundedPareto,
    Deterministic,
    Empirical,
    Erlang,
    Exponential,
    Hyperexponential,
    Lognormal,
    Uniform,
)
from perfmodel.queueing.station.gittins import gittins_rank, serpt_rank

AGES = np.array([0.0, 0.3, 1.0, 2.5])


def test_memoryless_sizes_have_one_rank():
    assert serpt_rank(AGES, Exponential(2.0)) == pytest.approx([2] * 4)
    assert gittins_rank(AGES, Exponential(2.0)) == pytest.approx([2] * 4, rel=1e-6)


def test_a_fresh_job_overtakes_under_gittins_and_not_under_serpt():
    law = Empirical((1.0, 13.0))
    assert serpt_rank(0.0, law) > serpt_rank(9.0, law)
    assert gittins_rank(0.0, law) < gittins_rank(9.0, law)


def test_falling_hazard_favours_the_young():
    for law in (Hyperexponential.balanced(1.0, 10.0), BoundedPareto(1.0, 0.1, 100.0)):
        ages = np.array([0.2, 0.5, 2.0])
        assert (np.diff(gittins_rank(ages, law)) > 0).all()


def test_falling_hazard_is_the_inverse_of_the_hazard_rate():
    law = Hyperexponential((0.5, 0.5), (1.0, 4.0))
    age = 1.5
    tails = 0.5 * np.exp([-age / 1.0, -age / 4.0])
    hazard = (tails / [1.0, 4.0]).sum() / tails.sum()
    assert gittins_rank(age, law) == pytest.approx(1 / hazard, rel=1e-5)


def test_rising_hazard_means_run_to_the_end():
    law = Erlang(2.0, 4)
    assert gittins_rank(AGES, law) == pytest.approx(serpt_rank(AGES, law), rel=1e-6)
    assert (np.diff(gittins_rank(AGES, law)) < 0).all()
    assert gittins_rank(0.5, Deterministic(2.0)) == pytest.approx(1.5)


@given(st.lists(st.floats(0.5, 20), min_size=1, max_size=7), st.floats(0, 0.4))
def test_gittins_tries_every_stop(sizes, age):
    left = np.array(sizes) - age
    tried = [np.minimum(left, stop).mean() / (left <= stop).mean() for stop in left]
    law = Empirical(tuple(sizes))
    assert gittins_rank(age, law) == pytest.approx(min(tried), rel=1e-6)
    assert serpt_rank(age, law) == pytest.approx(left.mean(), rel=1e-6)


@pytest.mark.parametrize(
    "law",
    [
        Empirical((1.0, 13.0)),
        Hyperexponential((0.5, 0.5), (1.0, 4.0)),
        BoundedPareto(1.0, 0.1, 100.0),
        Lognormal(1.0, 4.0),
        Erlang(2.0, 4),
        Uniform(0.0, 2.0),
    ],
    ids=lambda law: type(law).__name__,
)
@pytest.mark.parametrize("age", [0.0, 0.3, 1.5])
def test_gittins_is_the_least_over_all_stops(law, age):
    end = min(law.breaks()[-1], 100.0)
    stops = np.append(np.geomspace(1e-5, end - age, 200_001), law.quadrature()[0][-2:] - age)
    stops = stops[stops > 0]
    old, ends = 1 - law.partial_moment(0, age), age + stops
    done = law.partial_moment(0, ends) - law.partial_moment(0, age)
    work = law.partial_moment(1, ends) - law.partial_moment(1, age) - age * done
    invested = work + stops * (1 - law.partial_moment(0, ends))
    tried = done > 1e-7 * old
    assert gittins_rank(age, law) == pytest.approx((invested[tried] / done[tried]).min(), rel=2e-5)


@pytest.mark.parametrize("rank", [serpt_rank, gittins_rank])
def test_bad_input(rank):
    with pytest.raises(ValueError, match="age must be below the largest size, got 13"):
        rank(13, Empirical((1.0, 13.0)))
