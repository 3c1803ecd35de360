"""Large chains by iteration: as the direct solution, and back to it where nothing settles."""

import numpy as np
import pytest

from perfmodel.queueing.network.blocking.finite_capacity import finite_capacity_stations
from perfmodel.queueing.network.blocking.transitions import hold_server
from perfmodel.queueing.network.markov_chain import birth_death_chain, explore_chain, iteration
from perfmodel.queueing.network.markov_chain.balance import steady_state
from tests.queueing.network.blocking.networks import closed


@pytest.mark.parametrize("spread", [0.2, 2.0, 5.0])
def test_it_is_the_direct_solution(monkeypatch, spread):
    rooms = finite_capacity_stations(closed([5] * 4, np.logspace(0, spread, 4), 9))
    chain = explore_chain(rooms.filled(9), lambda state: hold_server(rooms, state))
    direct = steady_state(chain)
    monkeypatch.setattr(iteration, "_SMALL", 100)
    monkeypatch.setattr(iteration, "steady_state", None)
    assert len(chain.states) > 100
    assert np.abs(iteration.iterated_state(chain) - direct).sum() < 1e-12


def test_what_does_not_settle_is_solved_directly(monkeypatch):
    chain = birth_death_chain([0.5] * 20, [1.0] * 20)
    monkeypatch.setattr(iteration, "_SMALL", 10)
    monkeypatch.setattr(iteration, "_CORRECTIONS", 0)
    assert iteration.iterated_state(chain) == pytest.approx(steady_state(chain), rel=1e-12)


def test_rates_far_apart_are_not_left_to_corrections(monkeypatch):
    """Two halves joined at 1e-15, which no correction sees."""
    up, down = [1.0] * 15 + [1e-15] + [1.0] * 14, [1.0] * 15 + [3e-15] + [1.0] * 14
    chain = birth_death_chain(up, down)
    monkeypatch.setattr(iteration, "_SMALL", 10)
    chance = iteration.iterated_state(chain)
    assert chance[:16].sum() == pytest.approx(16 * 3 / (16 * 3 + 15), rel=1e-12)
