import pytest

from perfmodel.labs.queueing.layered_and_hierarchical.site import CLIENTS, THINK_TIME, web_site
from perfmodel.labs.queueing.layered_and_hierarchical.thread_bars import thread_bars
from perfmodel.labs.queueing.layered_and_hierarchical.threads import simulated_throughput
from perfmodel.queueing import ServerLayer, exact_layers


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


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="scv must be 1 or more, got 0.5"):
        simulated_throughput(web_site(), 5, 0.4, scv=0.5)
    with pytest.raises(ValueError, match="think_time must be above 0, got 0"):
        simulated_throughput(web_site(), 5, 0)
    with pytest.raises(ValueError, match="requests must be a whole number, 10 or more, got 3"):
        simulated_throughput(web_site(), 5, 0.4, 3)


@pytest.mark.parametrize("threads", [1, 2, 4, 8])
def test_the_drawing_can_be_read(threads):
    assert thread_bars(threads).faults() == []
