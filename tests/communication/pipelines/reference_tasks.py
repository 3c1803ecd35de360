"""The rules of `simulate_tasks` once more, a moment at a time and without heaps: slow and plain."""

from __future__ import annotations

import math

import numpy as np

from perfmodel.communication import TaskGraph


def played(graph: TaskGraph) -> tuple[np.ndarray, np.ndarray]:
    """Return starts and ends; infinite where a task never starts."""
    n, holds = graph.tasks, graph.holds
    start, end = np.full(n, math.inf), np.full(n, math.inf)
    level = np.zeros(graph.capacity.size)
    given = np.zeros(holds.buffer.size, bool)
    now = 0.0
    while True:
        for h in range(given.size):
            if end[holds.last[h]] <= now and not given[h]:
                given[h] = True
                level[holds.buffer[h]] -= holds.units[h]
        ready_at = graph.release.copy()
        for (one, other), lag in zip(graph.edges, graph.lag, strict=True):
            ready_at[other] = max(ready_at[other], end[one] + lag)
        started = False
        for stage in range(graph.stages):
            started |= start_some(graph, stage, now, (start, end, level), ready_at)
        later = [t for t in (*ready_at, *end) if now < t < math.inf]
        if started and (end <= now).any() and (end[start == now] == now).any():
            continue
        if not later:
            return start, end
        now = min(later)


def start_some(graph, stage, now, state, ready_at) -> bool:
    """Start what a stage may start; return whether anything did."""
    start, end, level = state
    mine = [t for t in range(graph.tasks) if graph.stage[t] == stage]
    mine.sort(key=lambda t: graph.priority[t])
    started = False
    while True:
        busy = sum(start[t] <= now < end[t] for t in mine)
        left = [t for t in mine if start[t] == math.inf]
        able = left[:1] if graph.in_order[stage] else [t for t in left if ready_at[t] <= now]
        if busy >= graph.servers[stage] or not able or ready_at[able[0]] > now:
            return started
        task = able[0]
        wanted = level.copy()
        first = graph.holds.first == task
        np.add.at(wanted, graph.holds.buffer[first], graph.holds.units[first])
        if (wanted > graph.capacity).any():
            return started
        level[:] = wanted
        start[task], end[task] = now, now + graph.duration[task]
        started = True
