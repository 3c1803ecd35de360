"""The cache of blocks: an independent replay, rows played by another program, and closed sets."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.labs.offloading.prefix_caching.replay import (
    POLICIES,
    capacity_for,
    first_use_bound,
    lru_curve,
    lru_distances,
    replay,
    reused_tokens,
)
from perfmodel.labs.offloading.prefix_caching.traces import TRACES, mooncake, requests_of

REFERENCE = pd.read_csv(Path(__file__).parent / "reference_hits.csv")
NAMES = {
    "lru": "LRU",
    "fifo": "FIFO",
    "lfu, counts lost at eviction": "in-cache LFU",
    "lfu, counts kept": "LFU",
    "lfu, ties keep later blocks": "later-first LFU",
    "belady": "optimal",
}
TREES = st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=5), min_size=1, max_size=40)


def of_tree(paths):
    """Return requests whose blocks stand for all that came before them, as in the traces."""
    names: dict[tuple[int, ...], int] = {}
    return requests_of(
        [
            [names.setdefault(tuple(path[: i + 1]), len(names)) for i in range(len(path))]
            for path in paths
        ]
    )


def played(requests, capacity, policy, last_first):
    """Return usable blocks of each request, with sets and a search for what leaves."""
    held: dict[int, tuple[int, ...]] = {}
    used: dict[int, int] = {}
    result = []
    turn = 0
    spans = [
        requests.blocks[a:b].tolist()
        for a, b in zip(requests.start[:-1], requests.start[1:], strict=True)
    ]
    for r, path in enumerate(spans):
        usable = 0
        while usable < len(path) and path[usable] in held:
            usable += 1
        result.append(usable)
        for depth, block in sorted(enumerate(path), reverse=last_first):
            turn += 1
            coming = [q for q in range(r + 1, len(spans)) if block in spans[q]]
            kept = policy in ("LFU",) or block in held
            used[block] = used.get(block, 0) + 1 if kept else 1
            held[block] = {
                "LRU": (turn,),
                "FIFO": held.get(block, (turn,)),
                "in-cache LFU": (used[block], turn),
                "LFU": (used[block], turn),
                "later-first LFU": (used[block], depth, turn),
                "optimal": (-coming[0] if coming else -len(spans), turn),
            }[policy]
        while len(held) > capacity:
            del held[min(held, key=held.__getitem__)]
    return result


@pytest.mark.parametrize("trace", TRACES)
@pytest.mark.parametrize("policy", NAMES)
def test_rows_played_by_another_program(trace: str, policy: str) -> None:
    requests = mooncake(trace)
    rows = REFERENCE[(REFERENCE["trace"] == trace) & (REFERENCE["policy"] == policy)]
    assert len(rows) >= 11
    for row in rows.itertuples():
        first = row.touch_order == "first block first"
        run = replay(requests, row.capacity_blocks, NAMES[policy], last_first=not first)
        assert (run.prefix.sum(), run.found.sum()) == (row.prefix_hits, row.member_hits), row


@pytest.mark.parametrize("policy", POLICIES)
@settings(max_examples=40)
@given(paths=TREES, capacity=st.integers(1, 12), last_first=st.booleans())
def test_small_trees_against_sets(policy, paths, capacity, last_first) -> None:
    requests = of_tree(paths)
    run = replay(requests, capacity, policy, last_first=last_first)
    assert run.prefix.tolist() == played(requests, capacity, policy, last_first)


@pytest.mark.parametrize("policy", ["LRU", "LFU", "in-cache LFU", "optimal"])
@given(paths=TREES, capacity=st.integers(1, 12))
def test_last_block_first_leaves_no_block_behind_a_gap(policy, paths, capacity) -> None:
    run = replay(of_tree(paths), capacity, policy)
    assert run.found.sum() == run.prefix.sum()


@given(paths=TREES)
def test_one_pass_is_lru_at_every_capacity(paths) -> None:
    requests = of_tree(paths)
    for capacity in (1, 2, 3, 5, 8, 100):
        run = replay(requests, capacity)
        assert lru_curve(requests, capacity) == pytest.approx(run.hit_ratio(requests))
    assert (lru_distances(requests) >= 1).all()


@given(paths=TREES, capacity=st.integers(1, 12))
def test_no_policy_beats_the_optimum_nor_it_an_unlimited_cache(paths, capacity) -> None:
    requests = of_tree(paths)
    best = replay(requests, capacity, "optimal").prefix.sum()
    assert all(replay(requests, capacity, policy).prefix.sum() <= best for policy in POLICIES)
    assert best <= first_use_bound(requests) * requests.blocks.size + 1e-9


def test_hand_example() -> None:
    """Four prompts of three blocks, capacity 4; FIFO first block first with 5 leaves orphans."""
    requests = requests_of([[0, 1, 2], [0, 3, 4], [0, 1, 5], [0, 1, 2]])
    found = [
        replay(requests, 4).prefix.sum(),
        replay(requests, 4, last_first=False).prefix.sum(),
        replay(requests, 4, "optimal").prefix.sum(),
    ]
    assert found == [5, 4, 6]
    fifo = replay(requests, 5, "FIFO", last_first=False)
    assert (fifo.found.sum(), fifo.prefix.sum()) == (5, 3)


def test_capacities_for_nine_tenths() -> None:
    requests = mooncake("conversation")
    assert capacity_for(requests, 0.9) == pytest.approx(31_500, rel=0.005)
    assert capacity_for(requests, 0.9, "optimal") == pytest.approx(4_370, rel=0.005)
    for policy in ("LRU", "optimal"):
        room = capacity_for(requests, 0.9, policy)
        ratios = [replay(requests, c, policy).hit_ratio(requests) for c in (room - 1, room)]
        assert ratios[0] < 0.9 * first_use_bound(requests) <= ratios[1] + 1e-12


def test_all_hits_are_reached_with_the_fewest_blocks() -> None:
    requests = requests_of([[0, 1, 2], [0, 3, 4], [0, 1, 5], [0, 1, 2]])
    for policy in POLICIES:
        most = replay(requests, 6, policy).prefix.sum()
        rooms = [c for c in range(1, 7) if replay(requests, c, policy).prefix.sum() == most]
        assert capacity_for(requests, 1.0, policy) == min(rooms), policy


def test_half_a_block_more_only_where_a_prefix_ends_inside() -> None:
    requests = requests_of([[0, 1], [0, 1], [0, 2], [3]])
    prefix = np.array([0, 2, 1, 0])
    assert reused_tokens(requests, prefix).tolist() == [0, 1024, 512, 0]
    assert reused_tokens(requests, prefix, half_block=True).tolist() == [0, 1024, 768, 0]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda r: replay(r, 0), "capacity must be a whole number, 1 or more, got 0"),
        (lambda r: replay(r, 1, "MRU"), "policy must be one of LRU"),
        (lambda r: capacity_for(r, 0), "share must be above 0"),
        (lambda r: capacity_for(r, 1.5), "share must be between 0 and 1"),
        (lambda r: requests_of([[]]), "paths must hold one block or more each"),
    ],
)
def test_bad_input(call, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call(requests_of([[0, 1]]))
