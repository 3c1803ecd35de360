"""The cycle of pointers, the walk along it and what a run counts."""

import numpy as np
import pytest

from perfmodel.measurement.cpu import kernels, latency
from perfmodel.measurement.cpu.caches import CacheLevel, Hierarchy
from perfmodel.measurement.cpu.latency import Cycle
from perfmodel.measurement.cpu.team import Team


@pytest.mark.parametrize(("size", "line"), [(128, 64), (4096, 64), (100_000, 128), (1024, 8)])
def test_a_cycle_visits_every_line_once_and_closes(size, line):
    cycle = Cycle(size, line)
    visited = cycle.lines()
    assert sorted(visited) == list(range(size // line))
    last = cycle.words[visited[-1] * line // 8]
    assert last == cycle.start


def test_the_order_is_random_but_the_same_for_a_seed():
    one, same, other = (Cycle(1 << 14, seed=seed).lines() for seed in (1, 1, 2))
    np.testing.assert_array_equal(one, same)
    assert (one != other).any()
    steps = np.diff(one)
    assert np.abs(np.mean(np.abs(steps)) - 256 / 3) < 20, "steps should be far and near alike"


def test_all_cycles_are_equally_likely():
    def turned(order):
        first = list(order).index(0)
        return tuple(np.roll(order, -first))

    seen = [turned(Cycle(256, seed=seed).lines()) for seed in range(300)]
    counts = [seen.count(order) for order in set(seen)]
    assert len(counts) == 6, "four lines have 3! cycles"
    assert min(counts) > 25


def test_pointers_are_one_line_apart_and_aligned():
    cycle = Cycle(1 << 12, line=128)
    pointers = cycle.words[cycle.words > 0]
    assert cycle.base % 4096 == 0
    assert pointers.size == cycle.count == 32
    assert not ((pointers - np.uint64(cycle.base)) % np.uint64(128)).any()


@pytest.mark.parametrize(
    ("size", "line", "message"),
    [(64, 64, "size must be a whole number, 128 or more, got 64"),
     (1024, 12, "line must be a multiple of 8, got 12")],
)  # fmt: skip
def test_sizes_that_make_no_cycle_are_refused(size, line, message):
    with pytest.raises(ValueError, match=message):
        Cycle(size, line)


def test_a_run_counts_its_loads_and_goes_on_where_it_stopped():
    with Team(1) as team:
        result = latency.measure_latency(Cycle(1 << 14), team, runs=3, seconds=1e-4)
    assert result.unit == "loads"
    assert result.work % kernels.CHASE_UNROLL == 0
    assert result.seconds.size == 3
    assert result.seconds.min() >= 0.25e-4
    assert result.name == "16 KiB"


def test_a_walk_is_for_one_thread():
    with pytest.raises(ValueError, match="team must be one thread, got 2"):
        latency.measure_latency(Cycle(1 << 14), [0, 1])


def test_a_ladder_climbs_from_the_smallest_set_and_states_the_time_of_a_load(monkeypatch):
    seconds = iter([[2e-8, 1.6e-8], [1.6e-6, 3.2e-6]])
    caches = Hierarchy((CacheLevel(1, 32 << 10, 1),), 64, "sysfs")
    with Team(1) as team:
        monkeypatch.setattr(
            team, "short_runs", lambda run, length, runs: (1, np.array(next(seconds)))
        )
        small, large = latency.latency_ladder(caches, team, [1 << 16, 1 << 13])
    assert (small.size, large.size) == (1 << 13, 1 << 16)
    assert small.latency == pytest.approx(1.6e-8 / kernels.CHASE_UNROLL)
    assert large.latency == pytest.approx(1.6e-6 / kernels.CHASE_UNROLL)


def test_reading_counts_the_bytes_of_all_threads():
    with Team(1) as team:
        result = latency.measure_reading(10_000, team, runs=3, seconds=1e-4)
    assert result.unit == "bytes"
    assert result.work % (64 * 8) == 0
    assert result.work >= 10_000


@pytest.mark.parametrize("lines", [2, 100, 1000])
def test_a_walk_through_some_lines_takes_one_of_each_stretch(lines):
    cycle = Cycle(1 << 17, lines=lines)
    visited = np.sort(cycle.lines())
    assert visited.size == cycle.count == lines
    every = (1 << 17) // 64
    bounds = np.arange(lines + 1) * every // lines
    assert ((bounds[:-1] <= visited) & (visited < bounds[1:])).all()
    assert cycle.size == 1 << 17


def test_a_cycle_may_lie_in_memory_that_is_there():
    room = np.zeros(4096, np.uint64)
    cycle = Cycle(1 << 14, memory=room)
    assert np.shares_memory(cycle.words, room)
    assert sorted(cycle.lines()) == list(range(256))


def test_what_takes_the_cache_is_called_instead_of_a_walk(monkeypatch):
    asked = []
    with Team(1) as team:
        monkeypatch.setattr(team, "run", lambda task: asked.append("walk"))
        monkeypatch.setattr(team, "short_runs", lambda *given: (1, np.array([1e-3])))
        latency.measure_latency(Cycle(1 << 14), team)
        latency.measure_latency(Cycle(1 << 14), team, flush=lambda: asked.append("flush"))
    assert asked == ["walk", "flush"]
