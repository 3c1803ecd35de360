"""One server simulated: against the formulas, the limits, and the talk's closed experiment."""

import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.labs.queueing.five_questions.experiment import (
    closed_response,
    closed_response_of_mixture,
    closed_server,
    open_server,
    sizes,
    think_time_for,
)
from perfmodel.queueing.distributions.service import Deterministic, scv
from perfmodel.queueing.station.markovian import mmc
from perfmodel.queueing.station.mg1 import mg1


@pytest.mark.parametrize("spread", [0, 1, 4, 50])
def test_sizes_have_the_variability_asked_for(spread):
    assert sizes(spread, 2.0).moment(1) == pytest.approx(2)
    assert scv(sizes(spread, 2.0)) == pytest.approx(spread, abs=1e-12)


@pytest.mark.parametrize(("load", "spread"), [(0.3, 0), (0.6, 1), (0.5, 4)])
def test_open_server_agrees_with_pollaczek_and_khinchine(load, spread):
    found = open_server(load, sizes(spread)).waiting_time.value.item()
    assert found == pytest.approx(
        float(mg1(arrival_rate=load, mean_service=1.0, scv=spread).waiting_time), rel=0.05
    )


def test_open_servers_agree_with_erlang():
    found = open_server(0.8, sizes(1), servers=4).response_time.value.item()
    assert found == pytest.approx(float(mmc(3.2, 1.0, 4).response_time), rel=0.05)


def test_sharing_does_not_feel_the_sizes_and_bursts_are_felt():
    shared = open_server(0.5, sizes(10), "PS").response_time.value.item()
    assert shared == pytest.approx(2, rel=0.05)
    bursty = open_server(0.5, sizes(1), arrival_scv=8).waiting_time.value.item()
    assert bursty > 2 * open_server(0.5, sizes(1)).waiting_time.value.item()


def test_closed_server_agrees_with_mean_value_analysis():
    think = think_time_for(0.8, 10)
    found = closed_server(10, think, sizes(1))
    assert found.response_time.value.item() == pytest.approx(closed_response(10, think), rel=0.03)
    assert found.throughput.value.item() == pytest.approx(0.8, rel=0.02)


def test_the_chain_of_a_mixture_ends_in_mean_value_analysis():
    exact = closed_response(10, 9.685)
    assert closed_response_of_mixture(10, 9.685, 1 + 1e-9) == pytest.approx(exact, rel=1e-6)


@pytest.mark.parametrize(("users", "spread"), [(10, 20), (30, 5)])
def test_the_chain_of_a_mixture_agrees_with_simulation(users, spread):
    think = think_time_for(0.8, users)
    found = closed_server(users, think, sizes(spread), customers=400_000).response_time
    exact = closed_response_of_mixture(users, think, spread)
    half = (found.high - found.low).item() / 2
    assert abs(found.value.item() - exact) < 2 * half < 0.2 * exact


def test_with_many_users_a_mixture_comes_near_the_open_world():
    think = think_time_for(0.5, 3000)
    exact = closed_response_of_mixture(3000, think, 4)
    assert exact == pytest.approx(
        float(mg1(arrival_rate=0.5, mean_service=1.0, scv=4.0).response_time), rel=0.01
    )


@pytest.mark.parametrize("spread", [1.0, 0.5, 0.0])
def test_a_mixture_is_more_variable_than_an_exponential(spread):
    with pytest.raises(ValueError, match="scv - 1 must be"):
        closed_response_of_mixture(10, 9.0, spread)


def test_a_closed_server_hardly_feels_variability():
    # Simulated for the talk's slide 21: 4.8 s at scv 20, where an open server takes 24.4 s.
    found = closed_server(10, think_time_for(0.8, 10), sizes(20), customers=200_000)
    assert found.response_time.value.item() == pytest.approx(4.8, rel=0.1)


def test_one_job_never_waits():
    alone = closed_server(1, 3.0, Deterministic(2.0), customers=500)
    assert alone.response_time.value == pytest.approx(2)


@given(st.floats(0.05, 0.95), st.integers(1, 60), st.floats(0.1, 10))
@settings(max_examples=25)
def test_the_think_time_gives_the_load(load, population, mean):
    think = think_time_for(load, population, mean)
    rate = population / (think + closed_response(population, think, mean))
    assert rate * mean == pytest.approx(load, rel=1e-6)


def test_bad_input():
    with pytest.raises(ValueError, match="utilization must be between 0 and 1, got 1.2"):
        think_time_for(1.2, 10)
    with pytest.raises(ValueError, match="utilization below 1 to be stable, got 1.2"):
        open_server(1.2, sizes(1))
    with pytest.raises(ValueError, match="utilization must be above 0, got 0"):
        open_server(0, sizes(1))
