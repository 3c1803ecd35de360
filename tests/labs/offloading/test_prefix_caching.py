"""Prefix caching: traces replayed, eviction, routing, and the work that a hit saves."""

from __future__ import annotations

import json
from collections import OrderedDict
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel import live
from perfmodel.labs.offloading.prefix_caching.block_chart import PATHS, WAYS, block_chart
from perfmodel.labs.offloading.prefix_caching.prefill import (
    LINEAR,
    SQUARE,
    least_bandwidth,
    prefill_flop,
    work_saved,
)
from perfmodel.labs.offloading.prefix_caching.replay import (
    POLICIES,
    capacity_for,
    first_use_bound,
    lru_curve,
    lru_distances,
    replay,
    reused_tokens,
)
from perfmodel.labs.offloading.prefix_caching.routers import RATE, RULES, route
from perfmodel.labs.offloading.prefix_caching.traces import (
    BLOCK_TOKENS,
    KV_BYTES,
    PEAKS,
    TRACES,
    Requests,
    block_times,
    mooncake,
    read_requests,
    requests_of,
    shuffled,
)
from perfmodel.live.drawing import Box
from perfmodel.offloading import independent_hit_ratio, reuse_gaps, working_set_hit_ratio


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("capacity", [1, 4, 5, 6])
def test_boxes_are_counted(way: str, capacity: int) -> None:
    scene = block_chart(way, capacity)
    boxes = [shape for shape in scene.shapes if isinstance(shape, Box) and shape.height == 28]
    assert len(boxes) == sum(map(len, PATHS))
    assert sum(box.fill == "solid" for box in boxes) == scene.values["reused"]  # noqa: PD011
    assert sum(box.fill != "light" for box in boxes) == scene.values["held"]  # noqa: PD011


def test_it_is_shown() -> None:
    shown = live.drawing(
        block_chart,
        "Prompts and their blocks.",
        "Rows of boxes, one a block",
        way=live.Options("Policy", {way: way for way in WAYS}),
        capacity=live.Slider("Blocks", [4, 5, 6]),
    )
    assert "can be reused" in shown.text


PEAK = PEAKS["8 x A800"]


def test_attention_is_half_of_the_work_at_45056_tokens() -> None:
    assert pytest.approx(45_056) == LINEAR / SQUARE
    assert prefill_flop(45_056) == pytest.approx(2 * LINEAR * 45_056)


@pytest.mark.parametrize(
    ("reused", "peak", "rate"),
    [(8192, "8 x A800", 5.86), (8192, "8 x H800", 18.57), (32_768, "8 x A800", 4.01)],
)
def test_bandwidth(reused: int, peak: str, rate: float) -> None:
    assert least_bandwidth(reused, PEAKS[peak]) / 1e9 == pytest.approx(rate, abs=0.005)


def test_at_that_bandwidth_fetching_takes_as_long() -> None:
    for tokens in (1, 512, 100_000):
        seconds = tokens * KV_BYTES / least_bandwidth(tokens, PEAK)
        assert seconds == pytest.approx(float(prefill_flop(tokens)) / PEAK)


def test_longer_prefixes_need_less() -> None:
    assert (np.diff(least_bandwidth(np.geomspace(1, 1e6, 50), PEAK)) < 0).all()


@given(st.integers(1, 10**6), st.floats(0, 1))
def test_a_request_saves_less_work_than_tokens(prompt: int, share: float) -> None:
    assert work_saved(prompt, share * prompt) <= share + 1e-9


def test_hand_values() -> None:
    assert work_saved(131_072, 0.95 * 131_072) == pytest.approx(0.915, abs=5e-4)
    assert work_saved([100, 100], [100, 0]) == pytest.approx(0.5)


def test_no_more_is_reused_than_the_prompt_has() -> None:
    with pytest.raises(ValueError, match="reused must be at most prompt"):
        work_saved(5, 6)


REFERENCE = pd.read_csv(Path(__file__).parent / "prefix_caching_reference_hits.csv")
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
        assert (run.prefix.sum(), run.hits.sum()) == (row.prefix_hits, row.member_hits), row


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
    assert run.hits.sum() == run.prefix.sum()


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
    result = [
        replay(requests, 4).prefix.sum(),
        replay(requests, 4, last_first=False).prefix.sum(),
        replay(requests, 4, "optimal").prefix.sum(),
    ]
    assert result == [5, 4, 6]
    fifo = replay(requests, 5, "FIFO", last_first=False)
    assert (fifo.hits.sum(), fifo.prefix.sum()) == (5, 3)


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


WHOLE = mooncake("conversation")
PART = Requests(
    WHOLE.arrival[:900] / 3,
    WHOLE.prompt[:900],
    WHOLE.output[:900],
    WHOLE.blocks[: WHOLE.start[900]],
    WHOLE.start[:901],
)


def routed_by_hand(requests, rule, weight, nodes, capacity, shared):
    """Return node and time to the first token of each request."""
    caches = [OrderedDict() for _ in range(1 if shared else nodes)]
    room = capacity * nodes if shared else capacity
    free = [0.0] * nodes
    results = []
    for r, (now, n) in enumerate(zip(requests.arrival, requests.prompt, strict=True)):
        path = requests.blocks[requests.start[r] : requests.start[r + 1]].tolist()

        def reused(node, path=path, n=n):
            cache, count = caches[0 if shared else node], 0
            while count < len(path) and path[count] in cache:
                count += 1
            return min(512 * count, int(n))

        def seconds(node, n=n, reused=reused):
            p = reused(node)
            return (LINEAR * (n - p) + SQUARE * (float(n) ** 2 - float(p) ** 2)) / RATE

        waits = [max(f - now, 0.0) for f in free]
        if rule == "in turn":
            node = r % nodes
        elif rule == "sticky":
            node = path[min(1, len(path) - 1)] % nodes
        elif rule == "weighted":
            node = min(range(nodes), key=lambda j: waits[j] + weight * seconds(j))
        else:
            node = min(range(nodes), key=lambda j: (-reused(j), waits[j]))
            if rule == "threshold" and reused(node) <= weight * n:
                node = min(range(nodes), key=waits.__getitem__)
        took = waits[node] + seconds(node)
        free[node] = now + took
        results.append((node, took))
        cache = caches[0 if shared else node]
        for block in reversed(path):
            cache[block] = True
            cache.move_to_end(block)
        while len(cache) > room:
            cache.popitem(last=False)
    return results


@pytest.mark.parametrize(
    ("rule", "weight", "shared"),
    [
        *((rule, 1.0, False) for rule in RULES),
        ("weighted", 0.0, True),
        ("weighted", 10.0, False),
        ("threshold", 0.3, False),
    ],
)
def test_against_ordered_dictionaries(rule: str, weight: float, shared: bool) -> None:
    run = route(PART, rule, weight, nodes=4, capacity=800, shared=shared)
    expected = routed_by_hand(PART, rule, weight, 4, 800, shared)
    same = np.array([node for node, _ in expected]) == run.node
    assert same.mean() > 0.99
    assert run.first_token.mean() == pytest.approx(np.mean([t for _, t in expected]), rel=0.01)


def test_one_node_is_a_queue_of_lindley() -> None:
    run = route(PART, "weighted", 0.0, nodes=1)
    work, last = 0.0, PART.arrival[0]
    for now, service, wait in zip(PART.arrival, run.service, run.wait, strict=True):
        work = max(work - (now - last), 0.0)
        assert wait == pytest.approx(work, abs=1e-6)
        work, last = work + service, now


def test_sticky_hits_as_a_shared_cache_and_waits_four_times_as_long() -> None:
    sticky, shared = route(WHOLE, "sticky"), route(WHOLE, "weighted", 0.0, shared=True)
    assert sticky.hit_ratio == pytest.approx(shared.hit_ratio, abs=0.005)
    assert 3.5 < sticky.first_token.mean() / shared.first_token.mean() < 5.5


def test_longest_prefix_sends_all_to_one_node() -> None:
    run = route(WHOLE, "longest prefix")
    assert run.busiest > 0.999
    assert run.first_token.mean() > 5000
    other = route(mooncake("synthetic"), "longest prefix")
    assert other.busiest < 0.3


def test_the_best_weight_grows_with_the_load() -> None:
    means = {
        (weight, speed): route(WHOLE, "weighted", weight, speed=speed).first_token.mean()
        for weight in (1.0, 10.0)
        for speed in (1.0, 2.0)
    }
    assert means[1.0, 1.0] < means[10.0, 1.0]
    assert means[10.0, 2.0] < means[1.0, 2.0] / 2


SIZES = [1000, 2000, 5859, 10_000, 20_000, 30_000, 50_000, 97_656]


@pytest.mark.parametrize("name", TRACES)
def test_blocks_follow_one_other_and_are_numbered_as_they_appear(name: str) -> None:
    requests = mooncake(name)
    inside = np.setdiff1d(np.arange(requests.blocks.size), requests.start[:-1])
    pairs = np.unique(np.stack([requests.blocks[inside - 1], requests.blocks[inside]]), axis=1)
    assert np.unique(pairs[1]).size == pairs.shape[1]
    _, first = np.unique(requests.blocks, return_index=True)
    assert (np.diff(first) > 0).all()
    assert (requests.lengths == -(-requests.prompt // BLOCK_TOKENS)).all()


def test_the_conversation() -> None:
    requests = mooncake("conversation")
    counts = np.bincount(requests.blocks)
    assert (counts == 1).mean() == pytest.approx(0.758, abs=5e-4)
    assert (counts == requests.prompt.size).sum() == 1
    assert np.quantile(requests.prompt, [0.1, 0.5, 0.9, 0.99]) == pytest.approx(
        [964, 6909, 27_367, 85_400], rel=0.001
    )
    gaps = reuse_gaps(requests.blocks, block_times(requests))
    assert np.quantile(gaps[np.isfinite(gaps)], [0.25, 0.5, 0.75, 0.9]) == pytest.approx(
        [54, 114, 267, 519], abs=0.5
    )


@pytest.mark.parametrize(("name", "points"), [("conversation", 0.005), ("synthetic", 0.02)])
def test_working_sets_predict_lru(name: str, points: float) -> None:
    requests = mooncake(name)
    predicted = working_set_hit_ratio(requests.blocks, block_times(requests), SIZES)
    assert np.abs(predicted.hit_ratio - lru_curve(requests, SIZES)).max() < points


def test_popularity_alone_is_wrong_in_both_directions() -> None:
    requests = mooncake("conversation")
    predicted = independent_hit_ratio(np.bincount(requests.blocks), [5859, 20_000, 50_000])
    assert predicted == pytest.approx([0.100, 0.219, 0.417], abs=5e-4)
    assert lru_curve(requests, [5859, 20_000, 50_000]) == pytest.approx(
        [0.1361, 0.2878, 0.3546], abs=5e-5
    )


def test_shuffled_requests_lose_the_hits_that_time_makes() -> None:
    requests = mooncake("conversation")
    mixed = shuffled(requests, seed=1)
    assert np.array_equal(np.bincount(mixed.blocks), np.bincount(requests.blocks))
    assert mixed.prompt.sum() == requests.prompt.sum()
    assert lru_curve(mixed, [5859, 20_000, 50_000]) == pytest.approx([0.08, 0.15, 0.244], abs=0.01)


def as_published(requests, names, count):
    """Return the first requests as lines of JSON, with `names` for their blocks."""
    return "".join(
        json.dumps(
            {
                "timestamp": int(1e3 * requests.arrival[i]),
                "input_length": int(requests.prompt[i]),
                "output_length": int(requests.output[i]),
                "hash_ids": names[
                    requests.blocks[requests.start[i] : requests.start[i + 1]]
                ].tolist(),
            }
        )
        + "\n"
        for i in range(count)
    )


def test_published_lines_are_read_back_whatever_the_blocks_are_called(tmp_path) -> None:
    whole = mooncake("synthetic")
    names = np.random.default_rng(1).permutation(10 * whole.distinct)[: whole.distinct]
    file = tmp_path / "trace.jsonl"
    file.write_text(as_published(whole, names, 300))
    read = read_requests(file)
    end = whole.start[300]
    assert np.array_equal(read.blocks, whole.blocks[:end])
    assert np.array_equal(read.prompt, whole.prompt[:300])
    assert read.arrival == pytest.approx(whole.arrival[:300], abs=1e-3)


LINE = {"timestamp": 0, "input_length": 700, "output_length": 3, "hash_ids": [0, 1]}


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([{"timestamp": 0, "input_length": 1}], "line 1 lacks output_length, hash_ids"),
        ([], "path must hold requests with timestamp, .* got none"),
        ([3], "one JSON object a line, line 1 is none"),
        ([LINE | {"input_length": "many"}], "input_length must be"),
        ([LINE | {"hash_ids": 7}], "hash_ids must be a list, got 7 in line 1"),
        ([LINE, LINE | {"hash_ids": []}], "700 tokens must have 2 blocks of 512, got 0 in"),
        ([LINE | {"input_length": 5, "hash_ids": []}], "paths must hold a block or more"),
        ([LINE, LINE | {"input_length": 0}], "input_length must be 1 or more, got 0 in request 2"),
        ([LINE | {"output_length": -1}], "output_length must be 0 or more"),
        ([LINE | {"timestamp": 5}, LINE], "arrival must not fall"),
    ],
)
def test_lines_that_no_cache_could_hold_are_refused(tmp_path, lines, message: str) -> None:
    file = written(tmp_path, lines)
    with pytest.raises(ValueError, match=message):
        read_requests(file)


def test_a_table_is_refused_with_its_line(tmp_path) -> None:
    file = tmp_path / "trace.csv"
    file.write_text("timestamp,input_length\n0,5\n")
    with pytest.raises(ValueError, match="one JSON object a line, line 1 is none"):
        read_requests(file)


SMALL_BLOCKS = [
    {"timestamp": 61.114, "input_length": 40, "output_length": 1, "hash_ids": [1089, 1090, 7]},
    {"timestamp": 61.114, "input_length": 15, "output_length": 0, "hash_ids": []},
    {"timestamp": 62.5, "input_length": 33, "output_length": 9, "hash_ids": [1089, 1090]},
    {"timestamp": 63.0, "input_length": 48, "output_length": 2, "hash_ids": [1089, 1090, 7]},
]
"""In Qwen's format: 16 tokens a block, seconds; the last block left out where it isn't full."""


def written(tmp_path, rows):
    file = tmp_path / "trace.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


def test_seconds_and_small_blocks_must_be_named(tmp_path) -> None:
    file = written(tmp_path, SMALL_BLOCKS)
    with pytest.raises(ValueError, match="timestamp has fractions, .* give time_unit"):
        read_requests(file, block_tokens=16)
    with pytest.raises(ValueError, match="give block_tokens=16, which fits all"):
        read_requests(file, time_unit="s")
    read = read_requests(file, block_tokens=16, time_unit="s")
    assert read.arrival == pytest.approx([61.114, 61.114, 62.5, 63])
    assert read.lengths.tolist() == [3, 0, 2, 3]
    run = replay(read, 3)
    assert run.prefix.tolist() == [0, 0, 2, 3]
    assert reused_tokens(read, run.prefix).tolist() == [0, 0, 32, 48]
    assert reused_tokens(read, run.prefix, half_block=True).tolist() == [0, 0, 32, 48]
    assert lru_curve(read, 3) == pytest.approx(run.hit_ratio(read))
    for rule in RULES:
        assert route(read, rule, nodes=1).reused.sum() == 80
        assert route(read, rule, nodes=2).reused.sum() >= 32


def test_more_blocks_than_the_longest_prompt_is_no_guess(tmp_path) -> None:
    rows = [LINE, LINE | {"hash_ids": [0]}, LINE | {"hash_ids": [0, 1, 2, 3, 4]}]
    with pytest.raises(ValueError, match=r"700 tokens must have 2 blocks .* in request 3$"):
        read_requests(written(tmp_path, rows))


def test_smaller_blocks_of_the_same_prompts_reuse_as_much_and_a_little_more() -> None:
    """Blocks of 64 tokens in place of 512, all shared ones cut in eight."""
    fine = [[8 * block + i for block in path for i in range(8)] for path in PATHS]
    whole, cut = requests_of(PATHS), requests_of(fine)._replace(block_tokens=64)
    cut = cut._replace(prompt=whole.prompt)
    for capacity in (3, 4, 5):
        coarse, small = replay(whole, capacity), replay(cut, 8 * capacity)
        assert (reused_tokens(cut, small.prefix) >= reused_tokens(whole, coarse.prefix)).all()
        same = [route(x, "sticky", nodes=3, capacity=room) for x, room in
                ((whole, capacity), (cut, 8 * capacity))]  # fmt: skip
        assert same[0].reused.sum() <= same[1].reused.sum()


def test_names_of_blocks_may_be_text_or_longer_than_64_bits(tmp_path) -> None:
    rows = [LINE | {"hash_ids": ["ab", "cd"]}, LINE | {"hash_ids": ["ab", "ef"]}]
    assert read_requests(written(tmp_path, rows)).blocks.tolist() == [0, 1, 0, 2]
    rows = [LINE | {"hash_ids": [2**64 - 1, 2**80]}, LINE | {"hash_ids": [2**64 - 1, 5]}]
    assert read_requests(written(tmp_path, rows)).blocks.tolist() == [0, 1, 0, 2]


def test_one_name_after_two_blocks_is_two_blocks() -> None:
    """Traces that hash a block's own tokens only: reuse needs the same tokens before it."""
    assert requests_of([[4, 4], [9, 4], [4, 4]]).blocks.tolist() == [0, 1, 2, 3, 0, 1]


def test_without_reuse_no_capacity_is_enough() -> None:
    for policy in ("LRU", "optimal"):
        with pytest.raises(ValueError, match="requests must use some block twice"):
            capacity_for(requests_of([[1, 2], [3]]), 0.9, policy)


def test_times_since_1970_stay_numbers(tmp_path) -> None:
    file = tmp_path / "trace.jsonl"
    stamps = [1_764_374_400_000, 1_764_374_460_000]
    file.write_text("".join(json.dumps(LINE | {"timestamp": when}) + "\n" for when in stamps))
    assert np.diff(read_requests(file).arrival) == pytest.approx(60)
