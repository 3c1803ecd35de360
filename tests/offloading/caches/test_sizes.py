"""Hits at many sizes: against each policy as its authors describe it, and known orders."""

from __future__ import annotations

from collections import OrderedDict

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.offloading import (
    ONLINE_POLICIES,
    hits_by_size,
    loop_trace,
    simulate_cache,
    zipf_trace,
)

TRACES = st.lists(st.integers(0, 12), min_size=1, max_size=120)


def lru(trace, size):
    held: OrderedDict[int, None] = OrderedDict()
    for new in trace:
        if new in held:
            held.move_to_end(new)
            yield True
        else:
            if len(held) == size:
                held.popitem(last=False)
            held[new] = None
            yield False


def fifo(trace, size):
    queue: list[int] = []
    for new in trace:
        yield new in queue
        if new not in queue:
            queue = [*queue, new][-size:]


def clock(trace, size):
    """A queue: what was used since it came in goes to its end again."""
    queue: list[list[int]] = []
    for new in trace:
        found = [entry for entry in queue if entry[0] == new]
        yield bool(found)
        if found:
            found[0][1] = 1
            continue
        if len(queue) == size:
            while queue[0][1]:
                name, _ = queue.pop(0)
                queue.append([name, 0])
            queue.pop(0)
        queue.append([new, 0])


def sieve(trace, size):
    """A queue, the newest first; the hand walks from the oldest to the newest."""
    queue: list[int] = []
    used: set[int] = set()
    hand: int | None = None
    for new in trace:
        yield new in queue
        if new in queue:
            used.add(new)
            continue
        if len(queue) == size:
            at = len(queue) - 1 if hand is None else queue.index(hand)
            while queue[at] in used:
                used.remove(queue[at])
                at = at - 1 if at else len(queue) - 1
            hand = queue[at - 1] if at else None
            queue.pop(at)
        queue.insert(0, new)


def in_cache_lfu(trace, size):
    count: dict[int, int] = {}
    since: dict[int, int] = {}
    for now, new in enumerate(trace):
        yield new in count
        if new not in count and len(count) == size:
            out = min(count, key=lambda name: (count[name], since[name]))
            del count[out]
        count[new] = count.get(new, 0) + 1
        since[new] = now


PLAYED = dict(zip(ONLINE_POLICIES, (lru, fifo, clock, sieve, in_cache_lfu), strict=True))


@pytest.mark.parametrize("policy", ONLINE_POLICIES)
class TestAgainstTheDescription:
    @given(trace=TRACES)
    def test_short_traces_at_all_sizes(self, policy: str, trace: list[int]) -> None:
        sizes = [1, 2, 3, 5, 8, 13]
        expected = [sum(PLAYED[policy](trace, size)) for size in sizes]
        assert hits_by_size(trace, sizes, policy).tolist() == expected

    def test_a_long_trace_is_compiled_and_agrees(self, policy: str) -> None:
        trace = zipf_trace(120_000, 60, 0.9, seed=2)
        sizes = [1, 4, 20, 59]
        expected = [sum(PLAYED[policy](trace.tolist(), size)) for size in sizes]
        assert hits_by_size(trace, sizes, policy).tolist() == expected

    @given(trace=TRACES)
    def test_with_room_for_all_only_first_uses_miss(self, policy: str, trace: list[int]) -> None:
        most = hits_by_size(trace, [len(set(trace)), 10**9, 0], policy)
        assert most.tolist() == [len(trace) - len(set(trace))] * 2 + [0]

    def test_shape_order_and_large_names(self, policy: str) -> None:
        trace = [10**15, 7, 10**15, 7, 3, 10**15]
        found = hits_by_size(trace, [[3, 1], [2, 3]], policy)
        assert found.shape == (2, 2)
        assert found[0, 0] == found[1, 1] == 3
        assert found.ravel().tolist() == [
            int(hits_by_size(trace, size, policy)) for size in (3, 1, 2, 3)
        ]

    @given(trace=TRACES)
    def test_no_policy_beats_the_optimum(self, policy: str, trace: list[int]) -> None:
        for size in (1, 3, 6):
            best = simulate_cache(trace, size, "optimal").hits.sum()
            assert hits_by_size(trace, size, policy) <= best


@pytest.mark.parametrize("policy", ["LRU", "FIFO"])
@given(trace=TRACES)
def test_of_one_size_it_is_the_cache_played(policy: str, trace: list[int]) -> None:
    for size in (1, 2, 5):
        assert hits_by_size(trace, size, policy) == simulate_cache(trace, size, policy).hits.sum()


def test_a_loop_one_too_long_defeats_lru_and_fifo() -> None:
    loop = loop_trace(1000, 11)
    assert [int(hits_by_size(loop, 10, policy)) for policy in ("LRU", "FIFO")] == [0, 0]


def test_many_objects_are_played_in_parts() -> None:
    """More objects than FIFO's table holds at 64 sizes."""
    trace = np.concatenate([np.arange(300_000), np.arange(299_000, 300_000)])
    sizes = np.linspace(500, 2000, 64).astype(int)
    assert hits_by_size(trace, sizes, "FIFO").tolist() == [
        1000 if size >= 1000 else 0 for size in sizes
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([], [1], "LRU"), "trace must be a row of one or more whole numbers"),
        (([0, -1], [1], "LRU"), "trace must hold numbers from 0"),
        (([0, 1], [1], "MRU"), "policy must be one of LRU, FIFO, CLOCK, SIEVE, in-cache LFU"),
    ],
)
def test_bad_input(arguments, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        hits_by_size(*arguments)
