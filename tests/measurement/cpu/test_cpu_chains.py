"""Several walks at once: the cycle that they share, what a run counts, and what they may ask."""

import numpy as np
import pytest

from perfmodel.measurement.cpu.chain_kernel import follow
from perfmodel.measurement.cpu.chains import cycle, measure_chains
from perfmodel.measurement.cpu.team import Team


def test_the_cycle_visits_every_line_once_in_its_order():
    following, order = cycle(1 << 12)
    assert sorted(order) == list(range(0, 512, 8))
    index, seen = order[0], []
    for _ in order:
        seen.append(index)
        index = following[index]
    np.testing.assert_array_equal(seen, order)
    assert index == order[0]


def test_each_walk_takes_its_own_steps():
    following, order = cycle(1 << 12)
    indices = order[[0, 10, 30]].copy()
    follow(following, indices, 5)
    np.testing.assert_array_equal(indices, order[[5, 15, 35]])


def test_a_run_counts_the_loads_of_all_walks():
    with Team(1) as team:
        one, four = measure_chains(1 << 14, [1, 4], team, runs=3, seconds=1e-4)
    assert (one.unit, one.name, four.name) == ("loads", "1 at once", "4 at once")
    assert four.work % 4 == 0


def test_walks_that_do_not_wait_for_one_another_share_their_time(monkeypatch):
    monkeypatch.setattr(Team, "short_runs", lambda *given: (100, np.array([1e-5])))
    with Team(1) as team:
        one, eight = measure_chains(1 << 14, [1, 8], team, runs=1)
    assert one.shortest == pytest.approx(100e-9)
    assert eight.shortest == pytest.approx(12.5e-9)


@pytest.mark.parametrize(("counts", "message"), [([0], "chains must be"), ([65], "at most the 64")])
def test_bad_numbers_of_walks_are_refused(counts, message):
    with Team(1) as team, pytest.raises(ValueError, match=message):
        measure_chains(1 << 12, counts, team, runs=1)


def test_walks_are_for_one_thread():
    with pytest.raises(ValueError, match="team must be one thread"):
        measure_chains(1 << 12, [1], [0, 1])
