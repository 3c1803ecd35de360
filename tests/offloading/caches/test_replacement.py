"""Policies against caches of a few lines, the optimum against exhaustive search and all others."""

from __future__ import annotations

from collections import Counter, OrderedDict
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.offloading import CACHE_POLICIES, CacheRun, loop_trace, simulate_cache, zipf_trace

TRACES = st.lists(st.integers(0, 7), min_size=1, max_size=60)
SIZES = st.integers(0, 9)
BELADYS = [0, 1, 2, 3, 0, 1, 4, 0, 1, 2, 3, 4]
"""The trace of Belady's anomaly: 9 misses by FIFO with three places, 10 with four."""


def all_runs(trace: list[int], size: int, bypass: bool = False) -> dict[str, CacheRun]:
    scores = np.random.default_rng(len(trace)).integers(0, 4, (len(trace), 8)).astype(float)
    return {
        policy: simulate_cache(
            trace, size, policy, scores=scores if policy == "score" else None, bypass=bypass
        )
        for policy in CACHE_POLICIES
    }


def plain_hits(trace: list[int], size: int, policy: str) -> list[bool]:
    """Return hits by looking through everything at each eviction."""
    entered: dict[int, int] = {}
    last: dict[int, int] = {}
    uses: Counter[int] = Counter()
    hits = []
    for now, new in enumerate(trace):
        hits.append(new in entered)
        uses[new] += 1
        if new not in entered:
            if len(entered) == size:
                ranks: dict[str, dict[int, Any]] = {
                    "LRU": last,
                    "FIFO": entered,
                    "LFU": {x: (uses[x], last[x]) for x in entered},
                    "optimal": {x: -[*trace[now:], x].index(x) for x in entered},
                }
                del entered[min(entered, key=ranks[policy].__getitem__)]
            entered[new] = now
        last[new] = now
    return hits


def most_hits(trace: tuple[int, ...], size: int, bypass: bool) -> int:
    """Return the most hits that any sequence of evictions allows."""

    @cache
    def best(at: int, held: frozenset[int]) -> int:
        if at == len(trace):
            return 0
        if trace[at] in held:
            return 1 + best(at + 1, held)
        choices = [held | {trace[at]}]
        if len(held) == size:
            choices = [held - {out} | {trace[at]} for out in held]
        return max(best(at + 1, choice) for choice in [*choices, *[held] * bypass])

    return best(0, frozenset())


@pytest.mark.parametrize("policy", ["LRU", "FIFO", "LFU", "optimal"])
@settings(max_examples=150, deadline=None)
@given(trace=TRACES, size=st.integers(1, 9))
def test_a_plain_cache_has_the_same_hits(policy: str, trace: list[int], size: int) -> None:
    assert simulate_cache(trace, size, policy).hits.tolist() == plain_hits(trace, size, policy)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 5), min_size=1, max_size=12), st.integers(1, 4), st.booleans())
def test_the_optimum_is_that_of_exhaustive_search(
    trace: list[int], size: int, bypass: bool
) -> None:
    found = simulate_cache(trace, size, "optimal", bypass=bypass).hits.sum()
    assert found == most_hits(tuple(trace), size, bypass)


@settings(max_examples=200, deadline=None)
@given(TRACES, SIZES, st.booleans())
def test_no_policy_beats_the_optimum(trace: list[int], size: int, bypass: bool) -> None:
    runs = all_runs(trace, size, bypass)
    assert max(run.hits.sum() for run in runs.values()) == runs["optimal"].hits.sum()


@settings(max_examples=150, deadline=None)
@given(TRACES, SIZES, st.booleans())
def test_content_fits_and_explains_every_hit(trace: list[int], size: int, bypass: bool) -> None:
    for run in all_runs(trace, size, bypass).values():
        before: frozenset[int] = frozenset()
        for i, new in enumerate(trace):
            after = run.contents(i)
            assert run.hits[i] == (new in before)
            assert len(after) <= size
            assert after == (before | {new}) - {int(run.evicted[i])}
            assert bypass or size == 0 or new in after
            before = after


@settings(max_examples=100, deadline=None)
@given(TRACES, SIZES)
def test_a_score_can_be_recency_or_the_future(trace: list[int], size: int) -> None:
    """Last uses as scores make LRU; next uses, negative, make the optimum."""
    last, coming = np.full((len(trace), 8), -1.0), np.zeros((len(trace), 8))
    for i, new in enumerate(trace):
        last[i:, new] = i
    for i in range(len(trace)):
        coming[i] = [-[*trace[i + 1 :], x].index(x) for x in range(8)]
    by_last = simulate_cache(trace, size, "score", scores=last)
    assert by_last.evicted.tolist() == simulate_cache(trace, size).evicted.tolist()
    by_future = simulate_cache(trace, size, "score", scores=coming)
    assert by_future.hits.sum() == simulate_cache(trace, size, "optimal").hits.sum()


def test_scores_of_a_step_hold_for_all_its_references() -> None:
    trace, steps = [0, 1, 2, 0, 3], [0, 0, 1, 1, 1]
    scores = [[5.0, 4.0, 0.0, 0.0], [1.0, 2.0, 3.0, 4.0]]
    run = simulate_cache(trace, 2, "score", scores=scores, steps=steps)
    assert run.evicted.tolist() == [-1, -1, 0, 1, 0]
    whole = simulate_cache(trace, 2, "score", scores=np.array(scores)[steps])
    assert whole.evicted.tolist() == run.evicted.tolist()


def test_equal_scores_let_the_least_recently_used_go() -> None:
    trace = zipf_trace(500, 8, 0.5, seed=2)
    flat = simulate_cache(trace, 3, "score", scores=np.zeros((1, 8)), steps=np.zeros(500, int))
    assert flat.evicted.tolist() == simulate_cache(trace, 3).evicted.tolist()


def test_more_room_may_mean_more_misses_by_fifo_but_not_by_lru() -> None:
    assert [simulate_cache(BELADYS, size, "FIFO").misses for size in (3, 4)] == [9, 10]
    assert [simulate_cache(BELADYS, size).misses for size in (3, 4)] == [10, 8]


def test_a_loop_one_larger_than_the_cache() -> None:
    trace = loop_trace(30, 5)
    assert simulate_cache(trace, 4).hits.sum() == 0
    assert simulate_cache(trace, 4, "optimal").hits.sum() == 19
    assert simulate_cache(trace, 5).misses == 5


def test_bypass_keeps_what_is_used_often() -> None:
    """One place: 0 stays while every other reference is to something new."""
    trace = [0, 0, 1, 0, 2, 0, 3, 0]
    assert simulate_cache(trace, 1, "LFU").hits.sum() == 1
    assert simulate_cache(trace, 1, "LFU", bypass=True).hits.sum() == 4
    assert simulate_cache(trace, 1, "optimal", bypass=True).hits.sum() == 4


@pytest.mark.parametrize("policy", CACHE_POLICIES)
def test_machine_code_does_what_python_does(policy: str) -> None:
    """A long trace is compiled, and the start of it isn't."""
    trace = zipf_trace(120_000, 50, 0.7, seed=1)
    scores = np.random.default_rng(1).random((100, 50)) if policy == "score" else None
    steps = np.arange(trace.size) % 100 if policy == "score" else None
    if policy == "optimal":
        trace[1_000:1_050] = np.arange(50)
    long = simulate_cache(trace, 9, policy, scores=scores, steps=steps)
    part = None if steps is None else steps[:1_050]
    short = simulate_cache(trace[:1_050], 9, policy, scores=scores, steps=part)
    sure = 1_000
    assert long.hits[:sure].tolist() == short.hits[:sure].tolist()
    assert long.evicted[:sure].tolist() == short.evicted[:sure].tolist()


def test_lru_of_the_standard_library_over_a_long_trace() -> None:
    trace = zipf_trace(150_000, 3_000, 0.9, seed=3)
    held: OrderedDict[int, None] = OrderedDict()
    hits = 0
    for new in trace.tolist():
        hits += new in held
        held[new] = None
        held.move_to_end(new)
        if len(held) > 300:
            held.popitem(last=False)
    run = simulate_cache(trace, 300)
    assert run.hits.sum() == hits
    assert run.contents(trace.size - 1) == set(held)


def test_large_numbers_are_names_only() -> None:
    names = np.array([10**17, 7, 3 * 10**9])
    trace = zipf_trace(40, 3, 0.5, seed=4)
    for policy in ("LRU", "FIFO", "LFU", "optimal"):
        plain, named = (simulate_cache(t, 2, policy) for t in (trace, names[trace]))
        assert named.hits.tolist() == plain.hits.tolist()
        renamed = [-1 if x < 0 else int(names[x]) for x in plain.evicted]
        assert named.evicted.tolist() == renamed


def test_the_given_arrays_stay_as_they_are() -> None:
    trace = np.array([0, 1, 0, 2], np.uint8)
    scores = np.eye(4)
    trace.flags.writeable = scores.flags.writeable = False
    run = simulate_cache(trace, 2, "score", scores=scores)
    assert run.hits.tolist() == [False, False, True, False]
    assert run.hit_ratio == 0.25
    assert run.misses == 3


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        (([], 2), "trace must be a row"),
        (([[0, 1]], 2), "trace must be a row"),
        (([0.0, 1.0], 2), "trace must be a row"),
        (([True, False], 2), "trace must be a row"),
        (([0, -1], 2), "trace must hold numbers from 0"),
        (([0, 1], 2, "MRU"), "policy must be one of LRU"),
        (([0, 1], 2, "score"), "scores and steps must be given"),
    ],
)
def test_bad_input(arguments: tuple[object, ...], match: str) -> None:
    with pytest.raises(ValueError, match=match):
        simulate_cache(*arguments)


@pytest.mark.parametrize(
    ("given_too", "match"),
    [
        ({"policy": "LRU", "scores": [[1.0, 2.0]]}, "and for no other"),
        ({"policy": "LRU", "steps": [0, 0]}, "and for no other"),
        ({"scores": [[1.0, 2.0]]}, "steps must give each of 2 references"),
        ({"scores": [[1.0]], "steps": [0, 0]}, "scores must have a column"),
        ({"scores": [[1.0, 2.0]], "steps": [0, 1]}, "steps must give each"),
        ({"scores": [[1.0, 2.0]], "steps": [0]}, "steps must give each"),
        ({"scores": [1.0, 2.0]}, "scores must have a row"),
    ],
)
def test_bad_scores(given_too: dict[str, object], match: str) -> None:
    with pytest.raises(ValueError, match=match):
        simulate_cache([0, 1], 2, **{"policy": "score", **given_too})


def test_what_a_run_holds_only_within_the_trace() -> None:
    with pytest.raises(ValueError, match="reference must be below 2"):
        simulate_cache([0, 1], 2).contents(2)
