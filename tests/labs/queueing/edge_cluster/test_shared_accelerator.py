"""A shared accelerator: hand values, limits, conservation, simulation, and the authors' traces."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.labs.queueing.edge_cluster.inputs import (
    FCFS_AT_ONCE,
    GPU_RATES,
    MIXTURES,
    PS_AT_ONCE,
    read_trace,
)
from perfmodel.labs.queueing.edge_cluster.node import UTILIZATION_LIMIT
from perfmodel.labs.queueing.edge_cluster.shared_accelerator import (
    at_once,
    fcfs_with_switching,
    replay,
    sharing_by_size,
    sharing_with_mean_wait,
    simulated_switching,
    wait_of_correlation,
)
from perfmodel.queueing.operational_analysis.sample_path import departures
from perfmodel.queueing.station.mg1 import mg1


def solved(name):
    mixture = MIXTURES[name]
    return fcfs_with_switching(mixture.arrival_rate, mixture.service_time, mixture.switch_overhead)


BUSY = [(m.arrival_rate[4], m.service_time, m.switch_overhead) for m in MIXTURES.values()]
rates = st.lists(st.floats(0.1, 5), min_size=2, max_size=4)


def test_hand_worked_mixture():
    # Inception v4 at 3.455/s beside MobileNet v2 at 16.62/s: S = 141.22 and 6.705 ms, W = 86.91 ms.
    found = fcfs_with_switching([3.455, 16.62], [0.12513, 0.00491], [0.01943, 0.01043])
    assert found.utilization == pytest.approx(0.5993, abs=1e-4)
    assert found.service_time == pytest.approx([0.14122, 0.006705], abs=5e-6)
    assert found.response_time == pytest.approx([0.2281, 0.0936], abs=5e-5)


# Milliseconds by mixture and rate, worked out apart from this package.
PREDICTED = {
    "A": ((152.9, 14.4), (163.4, 26.1), (177.7, 41.4), (197.8, 62.4), (228.1, 93.6)),
    "B": ((87.2, 30.5), (92.7, 40.7), (100.8, 52.5), (113.0, 67.7), (132.1, 89.2)),
    "C": (
        (96.4, 115.8, 181.7),
        (107.4, 131.7, 196.7),
        (123.9, 151.1, 215.6),
        (149.3, 178.6, 242.7),
        (192.6, 223.4, 287.3),
    ),
}


@pytest.mark.parametrize("name", MIXTURES)
def test_every_mixture_at_every_rate(name):
    assert 1e3 * solved(name).response_time == pytest.approx(np.array(PREDICTED[name]), abs=0.05)


@pytest.mark.parametrize(("name", "error"), [("A", 0.063), ("B", 0.039), ("C", 0.020)])
def test_mean_absolute_error_of_the_formula(name, error):
    off = solved(name).response_time / MIXTURES[name].response_time - 1
    assert np.abs(off).mean() == pytest.approx(error, abs=0.0005)


def test_four_networks_on_the_gpu_at_two_rates():
    # Equations 6 and 7 by hand: 1 / mu = 18.417 ms, so W = 51.5 ms at 10 requests a second each.
    times = [1 / rate for rate in GPU_RATES.values()]
    below, above = (sharing_with_mean_wait(rate, times) for rate in (10, 11))
    assert below.response_time.mean() == pytest.approx(0.0699, abs=5e-5)
    assert below.response_time[-1] == pytest.approx(0.0809, abs=5e-5)
    assert below.utilization <= UTILIZATION_LIMIT < above.utilization


def test_without_switching_it_is_pollaczek_and_khinchine():
    alone = fcfs_with_switching(20.0, 0.03, 0.5)
    assert alone.service_time == pytest.approx([0.03])
    assert alone.response_time == pytest.approx(
        mg1(arrival_rate=20.0, mean_service=0.03, scv=0.0).response_time
    )
    alike = fcfs_with_switching([5.0, 15.0], 0.03, 0.0)
    assert alike.response_time == pytest.approx([alone.response_time.item()] * 2)


def test_rates_broadcast():
    mixture = MIXTURES["C"]
    found = solved("C")
    assert found.utilization.shape == (5,)
    row = fcfs_with_switching(
        mixture.arrival_rate[2], mixture.service_time, mixture.switch_overhead
    )
    assert found.response_time[2] == pytest.approx(row.response_time)


@pytest.mark.parametrize("mixture", BUSY, ids=MIXTURES)
def test_true_switching_waits_longer_by_the_correlation(mixture):
    simple = fcfs_with_switching(*mixture).response_time
    better = simple + wait_of_correlation(*mixture)
    found = np.array([e.value for e in simulated_switching(*mixture, requests=200_000)])
    assert found == pytest.approx(better, rel=0.035)
    assert (found > simple).all()


def test_correlation_of_two_networks_by_hand():
    # Shares 1/2, S = 1.5 s for both: no covariance; variance of reloads 1/4 s^2 * (1/2 + 1/2) / 1.
    found = wait_of_correlation([0.1, 0.1], [1.0, 1.0], [1.0, 1.0])
    assert found == pytest.approx(0.2 * (0.25 / 2) / (1 - 0.3))
    assert wait_of_correlation([0.1, 0.1], [1.0, 2.0], [0.0, 0.0]) == 0


def test_covariance_agrees_with_a_long_row_of_services():
    rate, time, reload = np.array([[1.0, 9.0], [0.2, 0.01], [0.05, 0.05]])
    rng, share = np.random.default_rng(3), rate / rate.sum()
    network = rng.choice(2, 400_000, p=share)
    sizes = time[network] + reload[network] * np.append(True, network[1:] != network[:-1])
    covariance = np.cov(sizes[1:], sizes[:-1])[0, 1]
    within = share @ [sizes[network == i].var() for i in range(2)]
    expected = rate.sum() * (covariance + within / 2) / (1 - rate.sum() * sizes.mean())
    assert wait_of_correlation(rate, time, reload) == pytest.approx(expected, rel=0.02)


@given(rates, st.floats(0.05, 0.95))
def test_sharing_conserves_the_mean(rate, load):
    rate = np.array(rate)
    time = np.linspace(1, 2, rate.size)
    time *= load / (rate @ time)
    exact, paper = sharing_by_size(rate, time), sharing_with_mean_wait(rate, time)
    assert exact.utilization == pytest.approx(load)
    assert rate @ exact.response_time == pytest.approx(rate @ paper.response_time)
    assert exact.response_time / time == pytest.approx(1 / (1 - load))
    assert exact.response_time[-1] > paper.response_time[-1]


def test_sharing_by_size_agrees_with_a_shared_sample_path():
    rate, time, rng = np.array([6.0, 2.0]), np.array([0.05, 0.15]), np.random.default_rng(5)
    kind = rng.choice(2, 60_000, p=rate / rate.sum())
    came = rng.exponential(1 / rate.sum(), kind.size).cumsum()
    response = departures(came, time[kind], "PS") - came
    found = [response[kind == i].mean() for i in range(2)]
    assert found == pytest.approx(sharing_by_size(rate, time).response_time, rel=0.04)


def test_requests_at_once():
    assert at_once([3, 1, 2], "FCFS").tolist() == [3, 4, 6]
    assert at_once([3, 1, 2], "PS").tolist() == [6, 3, 5]
    for sent, order in ((FCFS_AT_ONCE, "FCFS"), (PS_AT_ONCE, "PS")):
        done = at_once(sent.alone, order)
        assert done.max() == pytest.approx(sent.alone.sum())
        assert done == pytest.approx(sent.together, rel=0.02)


def test_replay_reloads_only_on_a_change():
    response = replay([0, 0, 1, 0], [0, 10, 20, 30], [1.0, 2.0], [0.1, 0.2])
    assert response == pytest.approx([1.1, 1.0, 2.2, 1.1])


@pytest.mark.parametrize("name", MIXTURES)
def test_replay_of_the_authors_requests_is_near_their_measurement(name, third_party):
    mixture = MIXTURES[name]
    names, came, measured = read_trace(third_party("edge-queue", mixture.file), 4)
    network = np.array([mixture.networks.index(n) for n in names])
    ours = replay(network, came, mixture.service_time, mixture.switch_overhead)
    assert np.corrcoef(ours, measured)[0, 1] > 0.93
    for i in range(len(mixture.networks)):
        here = network == i
        assert ours[here].mean() == pytest.approx(measured[here].mean(), rel=0.07)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: fcfs_with_switching([0, 1], 0.1, 0), "arrival_rate must be above 0, got"),
        (lambda: fcfs_with_switching(1, 0, 0), "service_time must be above 0, got 0"),
        (lambda: fcfs_with_switching(1, 0.1, -1), "switch_overhead must be 0 or more, got -1"),
        (lambda: sharing_by_size([5, 5], 0.1), "utilization must be below 1 .* got 1"),
        (lambda: sharing_with_mean_wait(11, 0.1), "utilization must be below 1 .* got 1.1"),
        (lambda: at_once([1, 2], "LIFO"), "policy must be one of"),
        (lambda: replay([0], [0.0, 1.0], [1.0], [0.0]), "shape"),
        (lambda: replay([0, 2], [0.0, 1.0], [1.0, 1.0], [0.0, 0.0]), "network must"),
        (lambda: simulated_switching([1], [0.1], [0], requests=10), "requests must"),
    ],
)
def test_bad_input(call, said):
    with pytest.raises(ValueError, match=said):
        call()
