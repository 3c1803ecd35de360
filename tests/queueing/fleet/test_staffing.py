"""Staffing: minima checked on both sides, the rule's limit, bad input."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import norm

from perfmodel.queueing.fleet.staffing import (
    halfin_whitt_wait,
    safety_factor,
    servers_for_blocking,
    servers_for_percentile,
    servers_for_waiting,
    square_root_staffing,
)
from perfmodel.queueing.station.erlang import erlang_b, erlang_c
from perfmodel.queueing.station.mmc import mmc_waiting_tail

LOAD = st.floats(0.01, 5000)
SHARE = st.floats(1e-6, 0.999)


def test_values_worked_out_apart():
    assert servers_for_waiting(1e4, 0.2) == 10107
    assert safety_factor(0.2) == pytest.approx(1.0615, abs=5e-5)


@given(LOAD, SHARE)
def test_fewest_for_waiting(load, target):
    c = servers_for_waiting(load, target)
    assert c > load
    assert erlang_c(c, load) <= target * (1 + 1e-9)
    if c - 1 > load:
        assert erlang_c(c - 1, load) > target * (1 - 1e-9)


@given(LOAD, SHARE)
def test_fewest_for_blocking(load, target):
    c = servers_for_blocking(load, target)
    assert erlang_b(c, load) <= target * (1 + 1e-9)
    if c > 1:
        assert erlang_b(c - 1, load) > target * (1 - 1e-9)


@given(st.floats(0.1, 500), st.floats(0, 3), st.floats(0.01, 0.9999))
def test_fewest_for_a_percentile(rate, time, share):
    c = servers_for_percentile(arrival_rate=rate, service_rate=1.0, time=time, probability=share)
    assert mmc_waiting_tail(time, rate, 1.0, c) <= (1 - share) * (1 + 1e-9)
    if c - 1 > rate:
        assert mmc_waiting_tail(time, rate, 1.0, c - 1) > (1 - share) * (1 - 1e-9)


def test_a_million_servers():
    fewest = servers_for_waiting(999_000.0, 0.2)
    assert abs(fewest - square_root_staffing(999_000.0, 0.2)) <= 1
    assert erlang_c(fewest, 999_000.0) <= 0.2 < erlang_c(fewest - 1, 999_000.0)


def test_the_rule_against_the_normal_law():
    c = np.array([0.1, 1.0, 3.0])
    assert halfin_whitt_wait(c) == pytest.approx(1 / (1 + c * norm.cdf(c) / norm.pdf(c)))
    assert halfin_whitt_wait([0.0, 60.0]) == pytest.approx([1, 0])


@given(SHARE)
def test_the_safety_factor_inverts(share):
    assert halfin_whitt_wait(safety_factor(share)) == pytest.approx(share, rel=1e-9)


def test_erlang_c_tends_to_the_rule():
    load = np.array([1e2, 1e4, 1e6])
    servers = np.ceil(load + np.sqrt(load))
    factor = (servers - load) / np.sqrt(load)
    gaps = np.abs(erlang_c(servers, load) - halfin_whitt_wait(factor))
    assert (np.diff(gaps) < 0).all()
    assert gaps[-1] < 1e-3


def test_pooling_ten_sites():
    # One site of 400 erlangs against ten of 40: rule 422 and 470, exact 422 and 480.
    assert square_root_staffing([400, 40], 0.2).tolist() == [422, 47]
    assert servers_for_waiting([400, 40], 0.2).tolist() == [422, 48]
