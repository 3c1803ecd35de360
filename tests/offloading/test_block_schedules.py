"""Block orders: traffic counted against formulas, and Theorem 4.1 against all orders there are."""

from __future__ import annotations

from heapq import heappop, heappush
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.offloading import (
    CellBytes,
    GridCells,
    column_order,
    count_traffic,
    diagonal_block,
    diagonal_gain,
    diagonal_order,
    diagonal_traffic,
    fewest_loads,
    fewest_loads_per_batch,
    loads_bound,
    row_order,
    zig_zag_block,
    zig_zag_loads,
    zig_zag_order,
    zig_zag_traffic,
)
from perfmodel.offloading.block_schedules import optimum

SIZES = st.builds(
    CellBytes,
    prompt=st.integers(1, 40),
    weight=st.integers(0, 1000),
    cache=st.integers(0, 50),
    activation=st.integers(0, 200),
)
GRIDS = st.tuples(st.integers(1, 12), st.integers(2, 6), st.integers(1, 7), st.integers(1, 13))


def pairs(cells):
    return [(int(b), int(j), int(t)) for b, j, t in zip(*cells, strict=True)]


def played(cells, sizes, layers, tokens):
    """Go through the cells one by one with a memory in hand; return loads, bytes and peak."""
    loaded = at_hand = None
    loads = cache = activation = in_hand = peak = 0
    stored, handed = {}, {}
    for b, j, t in pairs(cells):
        if j != loaded:
            loaded, loads = j, loads + 1
        width = sizes.prompt if t == 0 else 1
        if b != at_hand:
            activation += in_hand + width * sizes.activation
        at_hand, in_hand = b, width * sizes.activation
        past = stored.get((b, j), 0)
        assert past == (0 if t == 0 else sizes.prompt + t - 1)
        cache += (past + width) * sizes.cache
        stored[b, j] = past + width
        handed[b] = in_hand
        peak = max(peak, sum(layers * sizes.cache * stored[i, 0] + handed[i] for i in handed))
        if (j, t) == (layers - 1, tokens - 1):
            del handed[b]
    return loads, loads * sizes.weight, cache, activation + in_hand, peak + sizes.weight


@pytest.mark.parametrize(
    ("order", "formula"), [(zig_zag_order, zig_zag_traffic), (diagonal_order, diagonal_traffic)]
)
@given(grid=GRIDS, sizes=SIZES)
@settings(max_examples=300)
def test_counted_traffic_is_its_formula(order, formula, grid, sizes):
    assert count_traffic(order(*grid), sizes) == pytest.approx(formula(*grid, sizes))


@given(GRIDS, SIZES, st.sampled_from([zig_zag_order, diagonal_order]))
@settings(max_examples=60)
def test_counting_is_that_of_a_memory_gone_through_cell_by_cell(grid, sizes, order):
    cells = order(*grid)
    counted = count_traffic(cells, sizes)
    assert tuple(counted) == pytest.approx(played(cells, sizes, grid[1], grid[2]))


@given(SIZES, st.randoms(use_true_random=False))
@settings(max_examples=60)
def test_counting_takes_any_order_in_which_batches_are_mixed(sizes, random):
    steps = [(j, t) for t in range(3) for j in range(2)]
    turns = [b for b in range(4) for _ in steps]
    random.shuffle(turns)
    left = {b: iter(steps) for b in range(4)}
    batch, (layer, token) = turns, zip(*(next(left[b]) for b in turns), strict=True)
    cells = GridCells(np.array(batch), np.array(layer), np.array(token))
    assert tuple(count_traffic(cells, sizes)) == pytest.approx(played(cells, sizes, 2, 3))


@pytest.mark.parametrize("order", [zig_zag_order, diagonal_order])
def test_each_cell_is_computed_once_in_every_order(order):
    for size in range(1, 7):
        cells = pairs(order(5, 3, 4, size))
        assert sorted(cells) == sorted(product(range(5), range(3), range(4)))


def test_rows_and_columns_are_blocks_of_one_and_of_all():
    assert pairs(row_order(2, 2, 2))[:4] == [(0, 0, 0), (0, 1, 0), (0, 0, 1), (0, 1, 1)]
    assert pairs(column_order(2, 2, 2))[:4] == [(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)]
    sizes = CellBytes(prompt=8, weight=5, cache=1, activation=1)
    rows, columns = (count_traffic(o(6, 3, 4), sizes) for o in (row_order, column_order))
    assert (rows.loads, columns.loads) == (6 * 3 * 4, 3 * 4)
    assert rows.cache == columns.cache


def test_cache_and_activations_moved_are_those_of_the_paper():
    """4 h l b (s n + n (n - 1) / 2) and 2 (2 h s b l + 2 h b l (n - 1)), of b sequences."""
    h, layers, s, n, gbs, block = 16, 3, 5, 4, 2, 6
    sizes = CellBytes(prompt=s, weight=8 * h**2, cache=4 * h * gbs, activation=2 * h * gbs)
    counted = count_traffic(zig_zag_order(block, layers, n, block), sizes)
    b = gbs * block
    assert counted.cache == 4 * h * layers * b * (s * n + n * (n - 1) / 2)
    assert counted.activation == 2 * (2 * h * s * b * layers + 2 * h * b * layers * (n - 1))
    assert counted.weight == n * layers * 8 * h**2


def test_weights_loaded_for_each_token_are_fewer_by_the_block():
    """OPT-175B, 32 tokens: 256 sequences at a time against 2."""
    sizes = CellBytes(prompt=512, weight=1.0, cache=0.0, activation=0.0)
    blocks, rows = (zig_zag_traffic(128, 96, 32, b, sizes).weight for b in (128, 1))
    assert rows == 128 * blocks


@given(st.integers(1, 40), st.integers(2, 9), st.floats(1, 60))
@settings(max_examples=100)
def test_paper_s_zig_zag_block_fits_and_two_more_do_not(prompt, tokens, room):
    sizes = CellBytes(prompt=prompt, weight=100, cache=1, activation=1 / 8)
    layers = 6
    memory = 100 + room * layers * (prompt + tokens)
    batches = float(zig_zag_block(memory, layers, tokens, sizes))
    whole = int(batches)
    if whole:
        assert zig_zag_traffic(whole, layers, tokens, whole, sizes).peak <= memory
    more = int(batches * (prompt + tokens) / (prompt + tokens - 1)) + 2
    assert zig_zag_traffic(more, layers, tokens, more, sizes).peak > memory


@pytest.mark.parametrize(("prompt", "tokens"), [(3, 4), (20, 5), (2, 12)])
def test_paper_s_zig_zag_block_has_room_for_one_token_more_than_is_written(prompt, tokens):
    sizes = CellBytes(prompt=prompt, weight=10, cache=2, activation=1)
    counted = count_traffic(zig_zag_order(7, 4, tokens + 1, 7), sizes).peak
    assert zig_zag_block(counted, 4, tokens, sizes) == pytest.approx(7)


@pytest.mark.parametrize(("prompt", "tokens"), [(3, 4), (20, 5), (2, 12)])
def test_paper_s_diagonal_leaves_out_the_newest_batches_prompt(prompt, tokens):
    sizes = CellBytes(prompt=prompt, weight=10, cache=1, activation=0)
    layers, group = 4, 3
    counted = diagonal_traffic(9 * tokens, layers, tokens, group, sizes).peak
    missing = group * layers * prompt
    assert diagonal_block(counted - missing, layers, tokens, sizes) == pytest.approx(group * tokens)


def test_diagonal_gains_what_the_ratio_of_blocks_tends_to():
    assert diagonal_gain(512, 32) == pytest.approx(1088 / 1056)
    assert diagonal_gain([1e9, 1], [1, 1e9]) == pytest.approx([1, 2])
    for prompt, tokens in [(100, 1000), (1000, 1000), (3000, 1000)]:
        sizes = CellBytes(prompt=prompt, weight=1, cache=1, activation=1)
        blocks = [f(1e12, 500, tokens, sizes) for f in (zig_zag_block, diagonal_block)]
        assert blocks[1] / blocks[0] == pytest.approx(diagonal_gain(prompt, tokens), rel=2e-3)


def test_gain_is_that_of_peaks_counted():
    """The same loads a batch: a zig-zag block of 30 against 30 batches in progress diagonally."""
    sizes = CellBytes(prompt=20, weight=0, cache=1, activation=0)
    tokens, layers = 30, 2
    zig_zag = count_traffic(zig_zag_order(600, layers, tokens, 30), sizes)
    diagonal = count_traffic(diagonal_order(600, layers, tokens, 1), sizes)
    assert zig_zag.peak / diagonal.peak == pytest.approx((20 + 29) / (20 + 29 / 2))
    assert zig_zag.loads == 20 * 30 * layers
    assert diagonal.loads == (600 + 29) * layers


def cheapest_order(batches, layers, held, capacity):
    """Return the loads of the best order, batches told apart and cells taken one at a time."""
    steps = layers * len(held)
    heap, best = [(0, -1, (0,) * batches)], {}
    while heap:
        loads, layer, done = heappop(heap)
        if min(done) == steps:
            return loads
        if (layer, done) in best:
            continue
        best[layer, done] = loads
        for i, p in enumerate(done):
            if p == steps:
                continue
            after = (*done[:i], p + 1, *done[i + 1 :])
            busy = [q for k, q in enumerate(after) if k == i or 0 < q < steps]
            if sum(held[(q - 1) // layers] for q in busy) <= capacity:
                heappush(heap, (loads + (p % layers != layer), p % layers, after))
    raise AssertionError


@pytest.mark.parametrize("batches", [1, 2, 3, 4])
def test_fewest_loads_are_those_of_batches_told_apart(batches):
    for layers, tokens, prompt in product((2, 3), (1, 2, 3), (1, 3)):
        held = prompt + np.arange(tokens)
        for capacity in (held[-1], held[-1] + 1, 2 * held[-1], 2 * held[-1] + 2):
            exact = cheapest_order(batches, layers, held.tolist(), capacity)
            assert fewest_loads(batches, layers, held, capacity) == exact


REACHED = [
    (batches, layers, prompt + np.arange(tokens), fitting)
    for layers, tokens, prompt, fitting in product((2, 3), (1, 2, 3, 4), (1, 2, 4), (1, 2, 3))
    for batches in range(1, 9 if layers == 2 else 6)
]


def test_theorem_4_1_holds_for_every_run_that_can_be_searched():
    """Memory for a whole number of batches at the last token: at most twice the fewest loads."""
    for batches, layers, held, fitting in REACHED:
        capacity = fitting * held[-1]
        best = fewest_loads(batches, layers, held, capacity)
        ours = zig_zag_loads(batches, layers, held, capacity)
        assert loads_bound(batches, layers, held, capacity) <= best <= ours <= 2 * best


LONG_RUNS = [
    (2, 1 + np.arange(3), 1), (2, 1 + np.arange(3), 2), (2, 1 + np.arange(3), 3),
    (2, 1 + np.arange(4), 1), (2, 1 + np.arange(4), 2), (2, 1 + np.arange(5), 2),
    (2, 3 + np.arange(4), 2), (3, 1 + np.arange(3), 1), (3, 1 + np.arange(3), 2),
    (3, 2 + np.arange(2), 2), (2, 1 + np.arange(6), 1), (2, np.ones(3), 2),
]  # fmt: skip


@pytest.mark.parametrize(("layers", "held", "fitting"), LONG_RUNS)
def test_theorem_4_1_holds_without_end_where_batches_fit_evenly(layers, held, fitting):
    capacity = fitting * held[-1]
    best = fewest_loads_per_batch(layers, held, capacity)
    assert best >= layers * held.sum() / capacity - 1e-9
    ours = layers * held.size / fitting
    assert ours / best <= held[-1] / held.mean() + 1e-9 < 2 + 1e-9


def test_diagonal_is_the_best_without_end_where_it_fits():
    held = 1 + np.arange(3)
    assert fewest_loads_per_batch(2, held, held.sum()) == pytest.approx(2)
    long = [fewest_loads(batches, 2, held, 6) for batches in (30, 31)]
    assert long[1] - long[0] == 2


def test_rounded_block_can_need_more_than_twice_the_loads():
    """Memory for 1.8 batches at the last of five tokens: the theorem's fractions don't exist."""
    held = 1 + np.arange(5)
    assert 2 * 5 / fewest_loads_per_batch(2, held, 9) == pytest.approx(2.5)
    best = fewest_loads(24, 2, held, 9)
    assert zig_zag_loads(24, 2, held, 9) > 2 * best


def test_search_and_long_run_agree_on_what_one_batch_more_costs():
    held = 1 + np.arange(4)
    loads = [fewest_loads(batches, 2, held, 8) for batches in (12, 24)]
    assert (loads[1] - loads[0]) / 12 == pytest.approx(fewest_loads_per_batch(2, held, 8))


def test_zig_zag_loads_are_those_counted():
    held = 3 + np.arange(4)
    sizes = CellBytes(prompt=3, weight=1, cache=1, activation=0)
    counted = count_traffic(zig_zag_order(7, 2, 4, 2), sizes)
    assert zig_zag_loads(7, 2, held, 13) == counted.loads
    assert counted.peak == sizes.weight + 2 * (2 * held[-1])


@pytest.mark.parametrize(
    ("call", "complaint"),
    [
        (lambda: zig_zag_block(5, 2, 2, CellBytes(1, 5, 1, 1)), "memory must hold a layer's 5"),
        (lambda: fewest_loads(2, 2, [2, 1], 4), "cache_units must not fall"),
        (lambda: fewest_loads(2, 2, [1, 2], 1.5), "capacity must be 2 or more"),
        (lambda: count_traffic(GridCells([0], [0, 1], [0]), SMALL), "three arrays of one length"),
        (lambda: count_traffic(GridCells([0, 0], [0, 0], [0, 1]), SMALL), "two layers or more"),
        (lambda: count_traffic(GridCells([0, 0], [1, 0], [0, 0]), SMALL), "by token and then"),
        (lambda: count_traffic(GridCells([0, 1], [0, 1], [0, 0]), SMALL), "each of 2 batches"),
    ],
)
def test_what_cannot_be_scheduled_is_told_so(call, complaint):
    with pytest.raises(ValueError, match=complaint):
        call()


def test_search_that_would_not_end_is_refused(monkeypatch):
    monkeypatch.setattr(optimum, "MAX_STATES", 1000)
    monkeypatch.setattr(optimum, "MAX_NODES", 1000)
    with pytest.raises(ValueError, match="at most 1,000 states, got 60, 3 and 8"):
        fewest_loads(60, 3, np.arange(1, 9), 100)
    with pytest.raises(ValueError, match="at most 1,000 states, got 3, 8 and 40"):
        fewest_loads_per_batch(3, np.arange(1, 9), 40)


SMALL = CellBytes(prompt=1, weight=1, cache=1, activation=1)


@pytest.mark.parametrize(
    ("block", "tokens", "sizes"),
    [
        (diagonal_block, 1, CellBytes(8, 1e6, 1e3, 0.0)),
        (diagonal_block, [4, 1], CellBytes(8, 1e6, 1e3, 0.0)),
        (zig_zag_block, 4, CellBytes(8, 1e6, 0.0, 0.0)),
    ],
)
def test_a_batch_that_keeps_nothing_has_no_largest_block(block, tokens, sizes):
    with pytest.raises(ValueError, match="sizes must give batches something to keep"):
        block(1e9, 2, tokens, sizes)


def test_cells_are_whole_numbers():
    cells = GridCells(*(part.astype(float) for part in zig_zag_order(2, 2, 2, 1)))
    with pytest.raises(ValueError, match="cells must hold whole numbers"):
        count_traffic(cells, CellBytes(8, 1e6, 1e3, 1.0))
