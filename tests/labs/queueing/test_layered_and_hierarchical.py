"""The layered service: limits by hand, its simulation against the chain, its drawing."""

import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.labs.queueing.layered_and_hierarchical.site import (
    CLIENTS,
    THINK_TIME,
    holding_times,
    layer_limits,
    thread_bars,
    web_site,
)
from perfmodel.labs.queueing.layered_and_hierarchical.threads import simulated_throughput
from perfmodel.queueing import ServerLayer, exact_layers


def test_holding_times_by_hand():
    assert holding_times(web_site()) == pytest.approx([0.004 + 0.05, 0.02 + 3 * 0.01, 0.01])


def test_limits_by_hand():
    limits = layer_limits(web_site(threads=2, processors=4), 40, 0.4)
    assert limits == pytest.approx(
        {
            "clients": 40 / 0.454,
            "threads of web": 40 / 0.054,
            "processors of web": 500,
            "threads of application": 40,
            "processors of application": 200,
            "threads of database": 4 / 0.03,
            "processors of database": 2 / 0.03,
        }
    )


@given(st.integers(1, 8), st.integers(1, 4), st.integers(1, 20))
@settings(max_examples=20, deadline=None)
def test_the_chain_stays_below_every_limit(threads, processors, clients):
    layers = web_site(threads, processors)
    rate = float(exact_layers(layers, clients, THINK_TIME).throughput)
    assert rate <= min(layer_limits(layers, clients, THINK_TIME).values()) * (1 + 1e-9)


def test_processors_dont_help_where_threads_are_few_and_threads_do():
    def rate(threads, processors):
        layers = web_site(threads, processors)
        return float(exact_layers(layers, CLIENTS, THINK_TIME).throughput)

    assert rate(2, 8) == pytest.approx(rate(2, 4), rel=1e-3)
    assert rate(4, 4) > 1.4 * rate(2, 4)


@pytest.mark.parametrize("threads", [1, 3, 8])
def test_it_agrees_with_the_chain(threads):
    layers = web_site(threads)
    exact = float(exact_layers(layers, CLIENTS, THINK_TIME).throughput)
    assert simulated_throughput(layers, CLIENTS, THINK_TIME, 20_000) == pytest.approx(
        exact, rel=0.02
    )


def test_one_client_never_waits_whatever_the_spread():
    layers = [ServerLayer("web", 0.5, 1, calls=2), ServerLayer("base", 0.25, 1)]
    for scv in (1.0, 4.0):
        assert simulated_throughput(layers, 1, 1.0, 20_000, scv=scv) == pytest.approx(0.5, rel=0.04)


def test_one_host_is_a_limit_of_its_own():
    layers = web_site(8)
    rate = simulated_throughput(layers, CLIENTS, THINK_TIME, 5_000, one_host=2)
    assert rate <= 1.05 * 2 / (0.004 + 0.02 + 0.03)
    assert rate < 0.7 * simulated_throughput(layers, CLIENTS, THINK_TIME, 5_000)


def test_a_seed_repeats_and_another_differs():
    runs = [simulated_throughput(web_site(), 5, 0.4, 500, seed) for seed in (1, 1, 2)]
    assert runs[0] == runs[1] != runs[2]


@pytest.mark.parametrize("threads", [1, 2, 4, 8])
def test_the_drawing_can_be_read(threads):
    assert thread_bars(threads).faults() == []
