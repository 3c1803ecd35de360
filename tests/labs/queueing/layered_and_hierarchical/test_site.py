import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.labs.queueing.layered_and_hierarchical.site import (
    CLIENTS,
    THINK_TIME,
    holding_times,
    layer_limits,
    web_site,
)
from perfmodel.queueing import exact_layers


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


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="threads of layer 'application'.*got 0"):
        web_site(threads=0)
    with pytest.raises(ValueError, match="population must be a whole number, 1 or more, got 0"):
        layer_limits(web_site(), 0, 1.0)
