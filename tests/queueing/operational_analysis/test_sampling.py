"""Averages over other things: by hand, the identities on random groups, and against quadrature."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.queueing.distributions.service import (
    BoundedPareto,
    Deterministic,
    Empirical,
    Erlang,
    Exponential,
    Lognormal,
    mean_residual,
)
from perfmodel.queueing.operational_analysis.sampling import (
    fraction_in_pause,
    size_biased_fraction,
    size_biased_mean,
    size_biased_tail,
    size_ratio,
    wait_for_next,
    weighted_mean,
)

LAWS = [Exponential(3.0), Erlang(2.0, 3), BoundedPareto(1.2, 1.0, 1e4), Lognormal(1.0, 4.0)]
GROUPS = st.lists(st.tuples(st.booleans(), st.integers(1, 500)), min_size=1, max_size=40)


def test_two_trains_by_hand():
    assert weighted_mean([0.0, 300.0], [100, 300]) == 225
    assert size_ratio(0.3, 0.05) == pytest.approx(6)
    assert size_biased_fraction(0.05, 6) == pytest.approx(0.3)
    assert size_biased_mean(Empirical((1.0, 3.0))) == 2.5
    assert size_biased_tail(Empirical((1.0, 3.0)), [0, 1, 3]).tolist() == [1, 0.75, 0]


@given(GROUPS)
def test_share_of_members_is_share_of_groups_times_their_size(groups):
    kind, sizes = np.array(groups, dtype=float).T
    share = kind.mean()
    ratio = sizes[kind > 0].mean() / sizes.mean() if share else 0.0
    seen = weighted_mean(kind, sizes)
    assert size_biased_fraction(share, ratio) == pytest.approx(seen, abs=1e-12)
    if share:
        assert size_ratio(seen, share) == pytest.approx(ratio)


@given(st.lists(st.integers(1, 50), min_size=1, max_size=30))
def test_weights_are_what_repeating_each_group_gives(sizes):
    members = np.repeat(sizes, sizes)
    assert weighted_mean(sizes, sizes) == pytest.approx(members.mean())
    law = Empirical(tuple(map(float, sizes)))
    assert size_biased_mean(law) == pytest.approx(members.mean())
    assert size_biased_tail(law, 10) == pytest.approx((members > 10).mean())


@pytest.mark.parametrize("law", LAWS, ids=repr)
def test_members_see_larger_groups_and_their_mean_is_the_area_under_the_tail(law):
    x = np.concatenate([[0.0], np.geomspace(1e-4, 1e6, 200_001)])
    seen = size_biased_tail(law, x)
    assert np.trapezoid(seen, x) == pytest.approx(size_biased_mean(law), rel=1e-3)
    assert (seen >= 1 - law.partial_moment(0, x) - 1e-9).all()
    assert size_biased_mean(law) > law.moment(1)


def test_no_variation_no_bias():
    assert size_biased_mean(Deterministic(4.0)) == 4.0


def test_random_passengers_wait_for_the_mean_residual_gap():
    rng = np.random.default_rng(2)
    law = Empirical((1.0,) * 9 + (91.0,))
    buses = np.cumsum(law.sample(rng, 20_000))
    waits = wait_for_next(buses, rng.uniform(0, buses[-1], 100_000))
    assert waits.mean() == pytest.approx(mean_residual(law), rel=0.03)


def test_wait_by_hand():
    assert wait_for_next([1, 2, 10], [[0.5, 2.5], [1, 10]]).tolist() == [[0.5, 7.5], [0, 0]]


def test_a_poll_in_step_with_the_pause_is_wrong_and_a_random_one_is_right():
    assert fraction_in_pause(60.0 * np.arange(100), 60, 3) == 1
    assert fraction_in_pause(60.0 * np.arange(100) + 30, 60, 3) == 0
    random = np.random.default_rng(3).uniform(0, 6000, 20_000)
    assert fraction_in_pause(random, 60, 3) == pytest.approx(0.05, abs=0.005)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: weighted_mean([1, 2], [1]), r"sizes must have the shape \(2,\)"),
        (lambda: weighted_mean([1, 2], [0, 0]), "sizes must not all be 0"),
        (lambda: size_biased_fraction(0.5, 3), "size_ratio must be at most 1 / share, got 3"),
        (lambda: wait_for_next([2, 1], [0]), "events must not fall"),
        (lambda: wait_for_next([1, 2], [3]), "times must be at most the last event 2, got 3"),
        (lambda: fraction_in_pause([1], 60, 61), "pause must be between 0 and 60, got 61"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
