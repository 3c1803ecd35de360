"""Tasks on stages: against a plain replay of the rules, recursions of queues, and the two codes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.communication import Holds, TaskGraph, simulate_tasks
from perfmodel.communication.pipelines import task_run
from tests.communication.pipelines.reference_tasks import played


def random_graph(seed: int, tasks: int = 14) -> TaskGraph:
    """Return a graph with whole durations of 1 or more, so that moments coincide."""
    rng = np.random.default_rng(seed)
    stages, buffers = int(rng.integers(1, 4)), int(rng.integers(1, 3))
    pairs = [(i, j) for j in range(tasks) for i in range(j) if rng.random() < 0.12]
    edges = np.array(pairs, int).reshape(-1, 2)
    count = int(rng.integers(0, 8))
    ends = np.sort(rng.integers(0, tasks, (count, 2)), axis=1)
    if rng.random() < 0.7:
        edges = np.concatenate([edges, ends[ends[:, 0] < ends[:, 1]]])
    return TaskGraph(
        stage=rng.integers(0, stages, tasks),
        duration=rng.integers(1, 5, tasks),
        edges=edges,
        lag=rng.integers(0, 3, len(edges)),
        priority=rng.integers(0, 4, tasks),
        release=rng.integers(0, 6, tasks) * rng.integers(0, 2),
        servers=rng.integers(1, 3, stages),
        in_order=np.zeros(stages, bool) if rng.random() < 0.7 else np.ones(stages, bool),
        holds=Holds(rng.integers(0, buffers, count), ends[:, 0], ends[:, 1], 1),
        capacity=rng.integers(1, 4, buffers),
    )


@given(st.integers(0, 10**6))
@settings(max_examples=150, deadline=None)
def test_equals_a_plain_replay_of_the_rules(seed):
    graph = random_graph(seed)
    start, end = played(graph)
    if np.isinf(end).any():
        with pytest.raises(ValueError, match="graph must let every task start"):
            simulate_tasks(graph)
        return
    if (end[graph.holds.last] <= start[graph.holds.first]).any():
        with pytest.raises(ValueError, match="holds must begin before they end"):
            simulate_tasks(graph)
        return
    run = simulate_tasks(graph)
    assert run.start.tolist() == start.tolist()
    assert run.end.tolist() == end.tolist()
    for buffer, capacity in enumerate(graph.capacity):
        assert run.peak(buffer) <= capacity


def test_machine_code_and_python_agree_to_the_last_bit(monkeypatch):
    rng = np.random.default_rng(3)
    for seed in range(20):
        graph = random_graph(seed, tasks=40)
        graph.duration[:] = rng.exponential(1.0, graph.tasks)
        outcomes = []
        for worth in (10**9, 0):
            monkeypatch.setattr(task_run, "WORTH_COMPILING", worth)
            try:
                outcomes.append(simulate_tasks(graph).end.tolist())
            except ValueError as error:
                outcomes.append(str(error))
        assert outcomes[0] == outcomes[1]


def tandem(service: np.ndarray, arrival: np.ndarray, places: int) -> TaskGraph:
    """Return a line of single servers; `layers` at each but the first, the one in service too."""
    jobs, stations = service.shape
    task = np.arange(service.size).reshape(jobs, stations)
    release = np.zeros(service.shape)
    release[:, 0] = arrival
    return TaskGraph(
        stage=np.tile(np.arange(stations), jobs),
        duration=service.ravel(),
        edges=np.stack([task[:, :-1].ravel(), task[:, 1:].ravel()], axis=1),
        release=release.ravel(),
        holds=Holds(
            np.tile(np.arange(stations - 1), jobs), task[:, :-1].ravel(), task[:, 1:].ravel(), 1
        ),
        capacity=np.full(stations - 1, places),
    )


@pytest.mark.parametrize("places", [1, 2, 5, 10**6])
def test_tandem_queue_follows_its_recursion(places):
    """A job starts at a station when it and the server are there and the next has a place."""
    rng = np.random.default_rng(places)
    service = rng.exponential(1.0, (200, 3))
    arrival = np.cumsum(rng.exponential(1.2, 200))
    end = np.zeros((200, 3))
    for job in range(200):
        for station in range(3):
            since = [arrival[job] if station == 0 else end[job, station - 1]]
            since += [end[job - 1, station]] if job else []
            since += [end[job - places, station + 1]] if station < 2 and job >= places else []
            end[job, station] = max(since) + service[job, station]
    run = simulate_tasks(tandem(service, arrival, places))
    assert run.end.reshape(200, 3) == pytest.approx(end, abs=1e-9)
    assert run.peak(0) <= places


@given(st.integers(0, 10**6), st.integers(1, 4))
@settings(max_examples=60, deadline=None)
def test_no_run_is_shorter_than_its_longest_chain_or_its_fullest_stage(seed, servers):
    rng = np.random.default_rng(seed)
    edges = np.array([(i, j) for j in range(20) for i in range(j) if rng.random() < 0.1])
    graph = TaskGraph(
        rng.integers(0, 3, 20), rng.exponential(1.0, 20), edges.reshape(-1, 2), servers=servers
    )
    run = simulate_tasks(graph)
    chain = np.zeros(20)
    for task in range(20):
        before = [chain[i] for i, j in graph.edges if j == task]
        chain[task] = max(before, default=0.0) + graph.duration[task]
    assert run.makespan >= chain.max() - 1e-12
    assert (run.busy_time / servers).max() <= run.makespan + 1e-12
    assert ((run.idle_fraction > -1e-12) & (run.idle_fraction <= 1)).all()


def test_an_offloaded_layer_waits_for_room():
    """Stage 0 loads layers, stage 1 computes them; room for two."""
    graph = TaskGraph(
        stage=[0, 0, 0, 1, 1, 1],
        duration=[1.0, 1.0, 1.0, 4.0, 4.0, 4.0],
        edges=[(0, 3), (1, 4), (2, 5)],
        holds=Holds([0, 0, 0], [0, 1, 2], [3, 4, 5], 1),
        capacity=[2],
    )
    run = simulate_tasks(graph)
    assert run.start.tolist() == [0, 1, 5, 1, 5, 9]
    times, level = run.level(0)
    assert times.tolist() == [0, 1, 5, 9, 13]
    assert level.tolist() == [1, 2, 2, 1, 0]


def test_no_time_is_no_idle_time():
    assert simulate_tasks(TaskGraph([0, 1], 0.0)).idle_fraction.tolist() == [0, 0]


def test_priority_and_strict_order():
    jobs = {"stage": [0, 0], "duration": [1.0, 1.0], "release": [1.0, 0.0], "priority": [0, 1]}
    assert simulate_tasks(TaskGraph(**jobs)).start.tolist() == [1, 0]
    assert simulate_tasks(TaskGraph(**jobs, in_order=True)).start.tolist() == [1, 2]


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"edges": [(0, 1), (1, 0)]}, "2 of 2 waiting for ever; task 0 for one that waits"),
        ({"edges": [(1, 0)], "in_order": True}, "task 1 on stage 0 for its turn after task 0"),
        ({"holds": Holds([0], [0], [0], 2.0), "capacity": [1]}, "stage 0 for room in buffer 0"),
    ],
)
def test_what_waits_for_ever_is_named(more, words):
    with pytest.raises(ValueError, match=words):
        simulate_tasks(TaskGraph([0, 0], [1.0, 1.0], **more))


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"stage": []}, "stage must name one task or more"),
        ({"duration": [1.0]}, r"duration must have one number or 2, got shape \(1,\)"),
        ({"edges": [(0, 2)]}, "edges must be below 2, the number of tasks, got 2"),
        ({"edges": [0, 1]}, "edges must be pairs of tasks"),
        ({"priority": np.nan}, "priority must be numbers, got NaN"),
        ({"servers": 0}, "servers must be a whole number, 1 or more"),
        ({"holds": Holds([0], [0], [1], 1)}, "buffer must be below 0, the number of buffers"),
        ({"holds": Holds([0], [0], [2], 1), "capacity": [1]}, "last must be below 2"),
        ({"capacity": [-1]}, "capacity must be 0 or more"),
    ],
)
def test_bad_input(wrong, words):
    with pytest.raises(ValueError, match=words):
        TaskGraph(**{"stage": [0, 0], "duration": [1.0, 1.0], **wrong})


@pytest.mark.parametrize("lag", [0.0, 2.0])
def test_a_hold_that_ends_before_it_begins_is_refused(lag):
    holds = Holds([0], [1], [0], [5.0])
    graph = TaskGraph([0, 1], [1.0, 1.0], [(0, 1)], lag=lag, holds=holds, capacity=[5])
    words = f"got hold 0 from the start of task 1 at {1 + lag:g} s to the end of task 0 at 1 s"
    with pytest.raises(ValueError, match=words):
        simulate_tasks(graph)


def test_a_hold_over_tasks_that_overlap_or_take_no_time_is_kept():
    over = TaskGraph(
        [0, 1], [2.0, 2.0], release=[0.0, 1.0], holds=Holds([0], [1], [0], [5.0]), capacity=[5]
    )
    assert [values.tolist() for values in simulate_tasks(over).level(0)] == [[0, 1, 2], [0, 5, 0]]
    none = TaskGraph([0, 1], 0.0, [(0, 1)], holds=Holds([0], [0], [1], [5.0]), capacity=[5])
    assert simulate_tasks(none).makespan == 0


def test_bad_holds_and_buffers():
    with pytest.raises(ValueError, match="buffer, first and last must be equally many"):
        Holds([0], [0, 1], [1], 1)
    with pytest.raises(ValueError, match="buffer must be below 0"):
        simulate_tasks(TaskGraph([0], [1.0])).level(0)


@pytest.mark.parametrize("unit", [0.1, 0.7, 1 / 3, 1e-9])
@given(st.integers(0, 10_000))
@settings(max_examples=25)
def test_moments_that_coincide_do_so_in_any_unit_of_time(unit, seed):
    graph = random_graph(seed)
    times = {name: getattr(graph, name) * unit for name in ("duration", "lag", "release")}
    try:
        whole = simulate_tasks(graph)
    except ValueError:
        return
    scaled = simulate_tasks(replace(graph, **times))
    assert scaled.start == pytest.approx(whole.start * unit, rel=1e-12, abs=0)
    assert scaled.end == pytest.approx(whole.end * unit, rel=1e-12, abs=0)
