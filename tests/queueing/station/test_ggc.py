"""G/G/1 and G/G/c by two moments: exact where they must be, near the exact PH/PH/1 elsewhere."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.queueing.distributions.phase_type import ArrivalProcess, PhaseType
from perfmodel.queueing.distributions.service import Erlang, Hyperexponential
from perfmodel.queueing.station.erlang import erlang_c
from perfmodel.queueing.station.ggc import (
    allen_cunneen,
    approximate_wait_probability,
    kingman_bound,
    kraemer_langenbach_belz,
    marchal,
)
from perfmodel.queueing.station.matrix_geometric import solve_phase_queue
from perfmodel.queueing.station.mg1 import mg1
from perfmodel.queueing.station.mmc import mmc

LOAD = st.floats(0.01, 0.99)
SCV = st.floats(0, 20)


@given(LOAD, st.floats(0.01, 10), SCV)
def test_poisson_arrivals_at_one_server_are_exact(load, mean, spread):
    exact = mg1(arrival_rate=load / mean, mean_service=mean, scv=spread).waiting_time
    for method in (allen_cunneen, kraemer_langenbach_belz, marchal):
        result = method(load / mean, mean, 1.0, spread)
        assert result.waiting_time == pytest.approx(exact)
        assert result.exact


@given(LOAD, st.integers(1, 30))
def test_mmc_is_exact(load, servers):
    exact = mmc(load * servers, 1.0, servers).waiting_time
    for method in (allen_cunneen, kraemer_langenbach_belz, marchal):
        assert method(load * servers, 1.0, 1.0, 1.0, servers).waiting_time == pytest.approx(exact)


@pytest.mark.parametrize("ca2", [0.25, 0.5, 1.5, 4.0])
@pytest.mark.parametrize("cs2", [0.5, 1.0, 3.0])
@pytest.mark.parametrize("load", [0.6, 0.9])
def test_near_the_exact_queue(ca2, cs2, load):
    arrivals = ArrivalProcess.renewal(PhaseType.of_two_moments(1 / load, ca2))
    exact = solve_phase_queue(arrivals, PhaseType.of_two_moments(1.0, cs2)).waiting_time
    result = kraemer_langenbach_belz(load, 1.0, ca2, cs2)
    assert result.waiting_time == pytest.approx(exact, rel=0.2)
    assert not result.exact
    assert "two moments" in result.warning
    assert kingman_bound(load, 1.0, ca2, cs2).waiting_time >= exact * (1 - 1e-9)


def test_the_correction_helps_at_light_load():
    arrivals = ArrivalProcess.renewal(PhaseType.of_two_moments(1 / 0.3, 0.25))
    exact = solve_phase_queue(arrivals, PhaseType.of_two_moments(1.0, 1.0)).waiting_time
    plain = allen_cunneen(0.3, 1.0, 0.25, 1.0).waiting_time
    corrected = kraemer_langenbach_belz(0.3, 1.0, 0.25, 1.0).waiting_time
    assert abs(corrected - exact) < 0.5 * abs(plain - exact)


@given(LOAD, SCV, SCV)
def test_the_bound_is_above_the_approximation(load, ca2, cs2):
    bound = kingman_bound(load, 1.0, ca2, cs2)
    assert bound.waiting_time >= allen_cunneen(load, 1.0, ca2, cs2).waiting_time * (1 - 1e-12)
    assert not bound.exact


@pytest.mark.parametrize("ca2", [0.3, 3.0])
def test_all_agree_in_heavy_traffic(ca2):
    waits = [
        method(0.9999, 1.0, ca2, 2.0).waiting_time
        for method in (kingman_bound, allen_cunneen, kraemer_langenbach_belz, marchal)
    ]
    assert waits == pytest.approx([waits[0]] * 4, rel=1e-3)


@given(LOAD, SCV, SCV)
def test_marchal_scales_the_bound(load, ca2, cs2):
    """The paper's form: Kingman's bound times (1 + Cs2) / (1 / rho^2 + Cs2)."""
    bound = kingman_bound(load, 1.0, ca2, cs2).waiting_time
    scaled = bound * (1 + cs2) / (1 / load**2 + cs2)
    assert marchal(load, 1.0, ca2, cs2).waiting_time == pytest.approx(scaled, rel=1e-12)


def test_marchal_before_several_servers_near_the_exact_queue():
    exact = solve_phase_queue(Erlang(1 / 2.7, 2), Hyperexponential.balanced(1.0, 2.0), 3)
    result = marchal(2.7, 1.0, 0.5, 2.0, 3)
    assert result.waiting_time == pytest.approx(exact.waiting_time, rel=0.1)
    assert not result.exact


def test_nothing_varies_nothing_waits():
    for method in (allen_cunneen, kraemer_langenbach_belz, marchal):
        assert method(0.9, 1.0, 0.0, 0.0).waiting_time == 0
    assert kraemer_langenbach_belz(0.5, 1.0, [0.5, 1, 2], 0.0).waiting_time.shape == (3,)


def test_the_textbook_wait_probability():
    assert approximate_wait_probability(1, [0.3, 0.9]) == pytest.approx([0.3, 0.9])
    assert approximate_wait_probability(8, [0.5, 0.9]) == pytest.approx(
        erlang_c(8, [4.0, 7.2]), rel=0.3
    )
    result = allen_cunneen(3.2, 1.0, 1.0, 1.0, 4, approximate_wait_probability(4, 0.8))
    assert result.waiting_time == pytest.approx((0.8**4 + 0.8) / 2 / 0.8)
    assert not result.exact


def test_bad_input():
    with pytest.raises(ValueError, match="wait_probability must be between 0 and 1"):
        allen_cunneen(1, 1, 1, 1, 2, 1.5)


def test_several_servers_are_corrected_by_their_probability_of_waiting():
    """By hand: exp(-2/3 (1 - rho) / P(wait) (1 - Ca2)^2 / (Ca2 + Cs2)), two servers at 0.5."""
    wait = 2 * 0.5**2 / (1 + 0.5)
    factor = np.exp(-2 / 3 * 0.5 / wait * 0.5**2 / 2.5)
    plain = allen_cunneen(1.0, 1.0, 0.5, 2.0, servers=2).waiting_time
    corrected = kraemer_langenbach_belz(1.0, 1.0, 0.5, 2.0, servers=2).waiting_time
    assert corrected / plain == pytest.approx(factor)
