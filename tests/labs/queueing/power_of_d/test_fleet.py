"""Fleets by simulation: against M/M/1, a small chain, the mean field, and each other."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.labs.queueing.power_of_d.fleet import fresh_fleet, rates_by_board, stale_fleet
from perfmodel.queueing import explore_chain, power_of_choices, steady_state


def two_servers(load, looks, most=30):
    """Return the mean response of two servers by their chain; looks are drawn independently."""

    def moves(state):
        x, y = state
        first = 0.5 if x == y else float(x < y)
        blind = 0.0 if looks is None else 0.5 ** (looks - 1)
        to_first = blind * 0.5 + (1 - blind) * first
        if x < most:
            yield (x + 1, y), 2 * load * to_first
        if y < most:
            yield (x, y + 1), 2 * load * (1 - to_first)
        if x:
            yield (x - 1, y), 1.0
        if y:
            yield (x, y - 1), 1.0

    chain = explore_chain((0, 0), moves)
    return float(chain.mean(steady_state(chain), sum)) / (2 * load)


@pytest.mark.parametrize("looks", [1, 2, None])
def test_two_servers_are_their_chain(looks):
    seen = fresh_fleet(2, 0.6, looks)
    assert seen.value == pytest.approx(two_servers(0.6, looks), rel=0.03)


def test_many_servers_are_the_mean_field():
    for looks in (2, 3):
        limit = float(power_of_choices(0.8, looks).response_time)
        assert fresh_fleet(200, 0.8, looks).value == pytest.approx(limit, rel=0.03)


def test_a_board_that_is_hardly_old_is_as_good_as_a_look():
    stale = stale_fleet(50, 0.7, 2, 0.05, time=150.0)
    fresh = fresh_fleet(50, 0.7, 2)
    assert stale.value == pytest.approx(float(fresh.value), rel=0.03)


def test_a_board_of_any_age_is_no_use_to_who_does_not_look():
    assert stale_fleet(100, 0.6, 1, 7.0, time=2000.0).covers(2.5)


def test_whoever_runs_to_the_shortest_of_an_old_board_would_do_better_blind():
    old = {d: float(stale_fleet(100, 0.9, d, 10.0, time=300.0).value) for d in (2, None)}
    assert old[2] < 6 < 10 < old[None]


class TestRates:
    def test_one_look_is_blind(self):
        shares = np.array([0.2, 0.5, 0.0, 0.3])
        np.testing.assert_allclose(rates_by_board(shares, 0.7, 1), [0.7, 0.7, 0, 0.7])

    @settings(max_examples=40, deadline=None)
    @given(
        st.lists(st.integers(0, 9), min_size=2, max_size=8).filter(lambda x: sum(x) > 0),
        st.floats(0.05, 0.95),
        st.one_of(st.none(), st.integers(1, 6)),
    )
    def test_all_jobs_go_somewhere_and_never_sooner_to_the_longer(self, counts, load, looks):
        shares = np.array(counts) / sum(counts)
        rates = rates_by_board(shares, load, looks)
        assert rates @ shares == pytest.approx(load)
        assert (np.diff(rates[shares > 0]) <= 1e-9).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: fresh_fleet(1, 0.5), "servers must be"),
        (lambda: fresh_fleet(5, 1.0), "utilization must be"),
        (lambda: fresh_fleet(5, 0.5, looks=0), "looks must be"),
        (lambda: stale_fleet(5, 0.5, 2, 0.0), "period must be"),
        (lambda: stale_fleet(5, 0.5, 0, 1.0), "looks must be"),
        (lambda: stale_fleet(5, 0.5, 2, 1.0, runs=1), "runs must be"),
        (lambda: stale_fleet(5, 0.5, 2, 1.0, time=-1.0), "time must be"),
    ],
)
def test_refusals(call, message):
    with pytest.raises(ValueError, match=message):
        call()
