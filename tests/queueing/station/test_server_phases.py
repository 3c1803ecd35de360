"""Phases of several busy servers: the count of states, rows that balance, each server by itself."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.queueing.distributions.phase_type import PhaseType
from perfmodel.queueing.station.server_phases import ending, moving, refuse_many, starting

LAW = PhaseType(np.array([0.6, 0.3, 0.1]), np.array([[-3.0, 2, 0], [1, -2.0, 0.5], [0, 0, -1.0]]))


@given(st.integers(1, 6))
def test_rates_balance(busy):
    out = moving(LAW, busy).sum(1) + ending(LAW, busy).sum(1)
    assert out == pytest.approx(np.zeros(out.size), abs=1e-12)
    assert starting(LAW, busy).sum(1) == pytest.approx(np.ones(out.size))
    assert out.size == (busy + 1) * (busy + 2) / 2


def test_two_servers_are_two_chains_side_by_side():
    """Pairs of phases, the order of the servers forgotten, move as a sum of Kronecker products."""
    pairs = [(i, j) for i in range(3) for j in range(3)]
    kept = sorted({tuple(sorted(pair)) for pair in pairs})
    forget = np.array([[float(tuple(sorted(pair)) == state) for state in kept] for pair in pairs])
    both = np.kron(LAW.generator, np.eye(3)) + np.kron(np.eye(3), LAW.generator)
    lumped = forget @ moving(LAW, 2)
    assert both @ forget == pytest.approx(lumped)


def test_bad_input():
    with pytest.raises(ValueError, match="servers must be at most 1000, got 1001"):
        refuse_many(1001, PhaseType.exponential(1.0), 1)
    with pytest.raises(ValueError, match="at most 200 ways to be busy, got 1326 with 50"):
        refuse_many(50, LAW, 1)
