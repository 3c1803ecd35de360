"""Fleets against M/M/1, a small chain and the mean field, with fresh and with old boards."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.labs.queueing.power_of_d.fleet import fresh_fleet, rates_by_board, stale_fleet
from perfmodel.labs.queueing.power_of_d.stale_field import (
    BOARD,
    LOAD,
    herd,
    mean_queues,
    stale_cycle,
)
from perfmodel.queueing import explore_chain, mm1, power_of_choices, steady_state


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
    result = fresh_fleet(2, 0.6, looks)
    assert result.value == pytest.approx(two_servers(0.6, looks), rel=0.03)


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


def test_a_fresh_board_is_right():
    for looks in (2, None):
        np.testing.assert_allclose(mean_queues(0.0, looks), BOARD, atol=1e-6)


def test_servers_that_nobody_goes_to_only_empty():
    """A server with three jobs and no arrivals has lost a job with each step of its service."""
    left = mean_queues(1.0, None)[-1]
    assert left == pytest.approx(3 * np.exp(-1) + 2 * np.exp(-1) + np.exp(-1) / 2, rel=1e-4)


def test_what_comes_is_the_load_of_all():
    """In a short time nothing leaves an empty server: the herd is all that comes."""
    grown = mean_queues(0.001, None)[:2].sum() / 0.001
    assert grown == pytest.approx(12 * LOAD, rel=0.01)


@pytest.mark.parametrize("age", [0, 0.5, 1, 2, 3])
def test_every_state_can_be_read(age):
    scene = herd(age)
    assert scene.faults() == []
    assert scene.values["all run there (jobs)"] >= scene.values["two looked up (jobs)"] - 1e-9


def test_a_fresh_board_is_the_supermarket():
    for looks in (2, 3):
        limit = float(power_of_choices(0.8, looks).response_time)
        older, newer = (stale_cycle(0.8, looks, age).response_time for age in (0.1, 0.05))
        assert limit < newer < older < 1.06 * limit
        assert 2 * newer - older == pytest.approx(limit, rel=0.002)


def test_one_look_is_mm1_whatever_the_age():
    result = stale_cycle(0.6, 1, 3.0)
    assert result.response_time == pytest.approx(float(mm1(0.6, 1.0).response_time), rel=1e-4)
    np.testing.assert_allclose(result.shares[:6], 0.4 * 0.6 ** np.arange(6), rtol=1e-3)


def test_the_older_the_board_the_worse():
    ages = [stale_cycle(0.7, 2, age).response_time for age in (0.2, 1.0, 3.0, 9.0)]
    assert ages == sorted(ages)


def test_the_cycle_closes_and_loses_nobody():
    result = stale_cycle(0.8, 3, 2.0)
    assert result.shares.sum() == pytest.approx(1, abs=1e-9)
    assert result.jobs[0] == pytest.approx(result.jobs[-1], abs=1e-4)
    assert (result.shares >= -1e-12).all()


@pytest.mark.parametrize(("looks", "age"), [(2, 1.0), (2, 5.0), (3, 2.0)])
def test_simulated_servers_follow_it(looks, age):
    result = stale_fleet(300, 0.8, looks, age, time=300.0)
    assert result.value == pytest.approx(stale_cycle(0.8, looks, age).response_time, rel=0.03)


def test_queues_longer_than_the_levels_are_refused():
    with pytest.raises(ValueError, match="levels must be more than 10"):
        stale_cycle(0.95, 2, 1.0, 10)
