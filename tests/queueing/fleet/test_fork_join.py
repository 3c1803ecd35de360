"""Fork-join against its chain, its bounds and single queues."""

from fractions import Fraction

import pytest
from hypothesis import given, strategies as st

from perfmodel.queueing.fleet.fork_join import fork_join, split_merge
from perfmodel.queueing.network import markov_chain


def test_two_branches_by_the_longer_queue():
    """By Little's law: jobs unfinished are as many as the longer of the two queues."""
    room, rate = 45, 0.5

    def moves(state):
        one, two = state
        if max(state) < room:
            yield (one + 1, two + 1), rate
        if one:
            yield (one - 1, two), 1.0
        if two:
            yield (one, two - 1), 1.0

    chain = markov_chain.explore_chain((0, 0), moves)
    jobs = chain.mean(markov_chain.steady_state(chain), max)
    result = fork_join(rate, 1.0, 2)
    assert result.response_time == pytest.approx(float(jobs) / rate, rel=1e-6)
    assert result.exact


def test_nelson_tantawi_by_hand():
    # H4 / H2 = 25/18 and rho = 1/2: (25/18 - 7/18 x 4/11 x 1/2) (12 - 1/2) / 8 x 2
    by_hand = (Fraction(25, 18) - Fraction(7, 18) * Fraction(4, 11) / 2) * Fraction(23, 8)
    assert fork_join(0.5, 1.0, 4).response_time == pytest.approx(float(by_hand), rel=1e-12)


def test_three_branches_by_the_longest_queue():
    room, rate = 14, 0.4

    def moves(state):
        if max(state) < room:
            yield tuple(n + 1 for n in state), rate
        for k, n in enumerate(state):
            if n:
                yield tuple(m - (i == k) for i, m in enumerate(state)), 1.0

    chain = markov_chain.explore_chain((0, 0, 0), moves)
    jobs = chain.mean(markov_chain.steady_state(chain), max)
    assert fork_join(rate, 1.0, 3).response_time == pytest.approx(float(jobs) / rate, rel=0.01)


def test_one_branch_is_a_queue():
    assert fork_join(0.8, 1.0, 1).response_time == pytest.approx(5)


@given(st.floats(0.01, 0.98), st.integers(1, 32))
def test_between_its_bounds(load, branches):
    result = fork_join(load, 1.0, branches)
    assert result.lower <= result.response_time * (1 + 1e-12)
    assert result.response_time <= result.upper * (1 + 1e-12)


@given(st.floats(0.01, 0.98), st.integers(1, 31))
def test_more_branches_take_longer(load, branches):
    some, more = (fork_join(load, 1.0, k).response_time for k in (branches, branches + 1))
    assert more > some


def test_at_no_load_the_slowest_service():
    assert fork_join(1e-9, 2.0, 3).response_time == pytest.approx((1 + 1 / 2 + 1 / 3) / 2)


def test_beyond_32_it_warns():
    assert "32" in fork_join(0.5, 1, 64).warning
    assert not fork_join(0.5, 1, 32).warning


def test_merging_before_the_next_takes_longer():
    assert split_merge(0.3, 1.0, 4).response_time > fork_join(0.3, 1.0, 4).response_time
    assert split_merge(0.5, 1.0, 1).response_time == pytest.approx(2)


def test_split_merge_by_its_chain():
    """State: jobs, and tasks left of the one in service."""

    def moves(state):
        jobs, left = state
        if jobs < 120:
            yield (jobs + 1, left or 2), 0.3
        if jobs:
            yield ((jobs, 1) if left == 2 else (jobs - 1, 2 * (jobs > 1))), float(left)

    chain = markov_chain.explore_chain((0, 0), moves)
    jobs = chain.mean(markov_chain.steady_state(chain), lambda s: s[0])
    assert split_merge(0.3, 1.0, 2).response_time == pytest.approx(float(jobs) / 0.3, rel=1e-9)
