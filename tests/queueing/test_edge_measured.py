"""The stored means of the edge cluster are those of the authors' files."""

import numpy as np
import pandas as pd
import pytest

from perfmodel import data
from perfmodel.queueing.edge_measured import (
    EDGE_TPU,
    FCFS_AT_ONCE,
    MIXTURES,
    PS_AT_ONCE,
    mean_responses,
    read_trace,
)


@pytest.mark.parametrize("name", MIXTURES)
def test_means_of_the_traces(name, third_party):
    mixture = MIXTURES[name]
    found = mean_responses(third_party("edge-queue", mixture.file), mixture)
    assert found == pytest.approx(mixture.response_time, abs=0.00006)


@pytest.mark.parametrize("sent", [FCFS_AT_ONCE, PS_AT_ONCE], ids=["FCFS", "PS"])
def test_means_of_the_requests_at_once(sent, third_party):
    table = pd.read_csv(third_party("edge-queue", sent.file))
    means = table.groupby(["process_type", "model"])["response_time"].mean() / 1000
    for kind, ours in (("Sequential", sent.alone), ("Concurrent", sent.together)):
        assert means[kind][list(sent.networks)].to_numpy() == pytest.approx(ours, abs=0.00006)


@pytest.mark.parametrize("name", MIXTURES)
def test_rates_of_the_traces(name, third_party):
    mixture = MIXTURES[name]
    table = pd.read_csv(third_party("edge-queue", mixture.file))
    rates = table.pivot_table("input_rate", "vary_rho", "model")
    assert rates[list(mixture.networks)].to_numpy() == pytest.approx(mixture.arrival_rate)


def test_a_trace_is_in_the_order_of_arrival(third_party):
    path = third_party("edge-queue", MIXTURES["C"].file)
    names, came, response = read_trace(path, 0)
    assert len(names) == came.size == response.size
    assert came[0] == 0
    assert (np.diff(came) >= 0).all()
    assert (response > 0).all()
    with pytest.raises(ValueError, match="step must be from 0 to 4, got 5"):
        read_trace(path, 5)


def test_inputs_are_complete():
    assert len(EDGE_TPU) == 9
    for mixture in MIXTURES.values():
        assert mixture.file in data.DATASETS["edge-queue"].files
        assert mixture.arrival_rate.shape == mixture.response_time.shape
        assert mixture.arrival_rate.shape == (5, len(mixture.networks))
