"""The stored means of the edge cluster are those of the authors' files."""

import numpy as np
import pandas as pd
import pytest

from perfmodel import data
from perfmodel.labs.queueing.edge_cluster.claims import ALONE
from perfmodel.labs.queueing.edge_cluster.inputs import (
    EDGE_TPU,
    FCFS_AT_ONCE,
    MIXTURES,
    PS_AT_ONCE,
    mean_responses,
    read_services,
    read_trace,
)


@pytest.mark.parametrize("name", MIXTURES)
def test_means_of_the_traces(name, third_party):
    mixture = MIXTURES[name]
    means, errors = mean_responses(third_party("edge-queue", mixture.file), mixture)
    assert means == pytest.approx(mixture.response_time, abs=0.00006)
    assert errors == pytest.approx(mixture.standard_error, abs=0.00006)


@pytest.mark.parametrize("sent", [FCFS_AT_ONCE, PS_AT_ONCE], ids=["FCFS", "PS"])
def test_means_of_the_requests_at_once(sent, third_party):
    table = pd.read_csv(third_party("edge-queue", sent.file))
    groups = table.groupby(["process_type", "model"])["response_time"]
    means, errors = groups.mean() / 1000, groups.sem() / 1000
    networks = list(sent.networks)
    assert errors["Concurrent"][networks].to_numpy() == pytest.approx(sent.standard_error, abs=6e-7)
    for kind, ours in (("Sequential", sent.alone), ("Concurrent", sent.together)):
        assert means[kind][networks].to_numpy() == pytest.approx(ours, abs=0.00006)


@pytest.mark.parametrize("name", MIXTURES)
def test_rates_of_the_traces(name, third_party):
    mixture = MIXTURES[name]
    table = pd.read_csv(third_party("edge-queue", mixture.file))
    rates = table.pivot_table("input_rate", "vary_rho", "model")
    assert rates[list(mixture.networks)].to_numpy() == pytest.approx(mixture.arrival_rate)


@pytest.mark.parametrize("claim", ALONE, ids=lambda claim: claim.quantity)
def test_times_of_networks_alone_are_those_of_the_traces(claim, third_party):
    kind = {"constant": "expected_time_md1", "exponential": "expected_time_mm1"}
    column = next(kind[law] for law in kind if law in claim.quantity)
    network = next(name for name in EDGE_TPU if f" {name} " in claim.quantity)
    mixture = next(m for m in MIXTURES.values() if network in m.networks)
    table = pd.read_csv(third_party("edge-queue", mixture.file))
    last = table[(table["model"] == network) & (table["vary_rho"] == 0.5)]
    assert last[column].unique() == pytest.approx([1e3 * claim.published.value], rel=1e-6)


def test_a_trace_is_in_the_order_of_arrival(third_party):
    path = third_party("edge-queue", MIXTURES["C"].file)
    names, came, response = read_trace(path, 0)
    assert len(names) == came.size == response.size
    assert came[0] == 0
    assert (np.diff(came) >= 0).all()
    assert (response > 0).all()
    with pytest.raises(ValueError, match="step must be from 0 to 4, got 5"):
        read_trace(path, 5)


def test_what_the_traces_say_of_the_inputs(third_party):
    # The lab names these two where the better formula predicts worse.
    mixture = MIXTURES["C"]
    names, came, _ = read_trace(third_party("edge-queue", mixture.file), 4)
    assert len(names) / came[-1] == pytest.approx(0.94 * mixture.arrival_rate[4].sum(), rel=0.01)
    names, changed, seconds = read_services(third_party("edge-queue", MIXTURES["B"].file), 4)
    inception = np.array(names) == "inception_v3"
    network = EDGE_TPU["inception_v3"]
    assert seconds[inception & ~changed].mean() == pytest.approx(network.service_time, rel=0.01)
    short = network.service_time + network.switch_overhead - seconds[inception & changed].mean()
    assert short == pytest.approx(0.004, abs=0.0003)


def test_services_of_mixture_a_show_a_longer_reload(third_party):
    names, changed, seconds = read_services(third_party("edge-queue", MIXTURES["A"].file), 4)
    mobile = np.array(names) == "mobilenet_v2"
    network = EDGE_TPU["mobilenet_v2"]
    assert seconds[mobile & ~changed].mean() == pytest.approx(network.service_time, rel=0.02)
    reload = seconds[mobile & changed].mean() - network.service_time
    assert reload == pytest.approx(0.0128, rel=0.02)
    assert changed[0]


def test_inputs_are_complete():
    assert len(EDGE_TPU) == 9
    for mixture in MIXTURES.values():
        assert mixture.file in data.DATASETS["edge-queue"].files
        assert mixture.arrival_rate.shape == mixture.response_time.shape
        assert mixture.arrival_rate.shape == (5, len(mixture.networks))
