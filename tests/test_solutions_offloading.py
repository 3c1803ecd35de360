"""The exercise on offloading: worked values, brute force, and the package's own answers."""

from functools import partial
from itertools import permutations, product
from pathlib import Path

import numpy as np
import pytest
import solving
from hypothesis import given, settings, strategies as st

from perfcourse.compare import same
from perfcourse.loading import load
from perfmodel.offloading import (
    CellBytes,
    PlacementProblem,
    best_placement,
    count_traffic,
    diagonal_traffic,
    flow_shop_makespan,
    loop_trace,
    placement_advice,
    simulate_cache,
    tier_problem,
    zig_zag_order,
    zig_zag_traffic,
)

BANK = load(Path(__file__).parents[1] / "solutions" / "offloading.py")
STUDENTS = [f"student-{i}" for i in range(10)]
reference = partial(solving.answer, BANK)
drawn, wrong = partial(solving.drawn, BANK), partial(solving.wrong, BANK)
changed = partial(solving.changed, BANK, STUDENTS)
GIB = 2**30


@pytest.mark.parametrize(
    ("id", "arguments", "by_hand"),
    [
        ("hidden", (8.0, 1e14, 2e10), 1e14 / 1.8e10),
        ("hidden_share", (np.array([3.0, 2.0, 1.0]), 4.5), 0.5),
        ("chunks", (np.array([2.0, 4.0]), 4), 4.5),
        ("chunks", (np.array([3.0]), 7), 3.0),
        ("drives", (12.0, 5.0, 4.0, 4), 2.4),
        ("price", (4.0, 100, 1 / GIB, 2), 25.0),
        ("adam", (1.0, 28e9), 1.0),
        ("flow", (np.array([2.0, 2.0]), np.array([3.0, 3.0]), 1), 10.0),
        ("flow", (np.array([2.0, 2.0]), np.array([3.0, 3.0]), 2), 8.0),
        ("johnson", (np.array([5.0, 1, 9, 3, 10, 2]), np.array([2.0, 6, 7, 8, 4, 1])), 31.0),
        ("buffers", (np.ones(5), 7, 2), 20.0),
        ("per_token", (8.0, 4, 2, 32), 1.0 * GIB),
        ("cache_moved", (1, 1, 3, 3, 1), 4 * 12.0),
        ("block_loads", (5, 10, 4, 3, 13), 90.0),
        ("gain", (512, 32), 1088 / 1056),
    ],
)
def test_worked_values(id, arguments, by_hand):
    assert float(reference(id, *arguments)) == pytest.approx(by_hand)


def test_a_model_fits_to_the_last_byte_and_no_further():
    need = (2e9 + 4 * 10 * 100 * 50 * 7) / GIB
    for memory, said in [(need, "fits"), (need * (1 - 1e-12), "too large")]:
        assert reference("fits", 1.0, 10, 100, 50, 7, memory) == (said, pytest.approx(need))


def test_directions_of_a_link_are_channels_of_their_own():
    step = (1.0, 1.0, 3.0, 2.0, 1.0, 4.0, 1.0)
    assert reference("busiest", *step) == ("GPU", 4.0)
    assert wrong("busiest", "one direction counted twice")(*step) == ("link", 5.0)


@given(
    st.lists(st.floats(0.1, 9), min_size=1, max_size=4).map(np.array), st.integers(1, 20)
)  # fmt: skip
@settings(max_examples=40)
def test_chunks_take_the_step_once_and_then_its_slowest_channel(times, chunks):
    by_formula = (times.sum() + (chunks - 1) * times.max()) / chunks
    assert reference("chunks", times, chunks) == pytest.approx(by_formula)


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(1, 20)), min_size=1, max_size=7))
@settings(max_examples=40)
def test_packings_are_those_of_all_choices_tried(items):
    size, saves = np.array(items).T
    room = int(size.sum() // 2)
    table = reference("packed", size, saves, room)
    choices = np.array(list(product([0, 1], repeat=size.size)))
    best = (choices @ saves)[choices @ size <= room].max()
    assert table["best"] == pytest.approx(best)
    assert table["greedy"] <= best + 1e-9 <= table["bound"] + 2e-9
    assert table["bound"] - table["greedy"] <= saves.max() + 1e-9


@pytest.mark.parametrize("student", STUDENTS[:4])
def test_bend_and_price_are_those_of_the_linear_program(student):
    given = drawn("bend", student)
    exact = BANK.question("bend").reference(**given)
    worth = {shift: _worth_of_host(given, exact["bend"] * (1 + shift)) for shift in (-0.01, 0.01)}
    assert _worth_of_host(given, given["host"]) == pytest.approx(exact["price"], rel=1e-6)
    assert worth == {-0.01: pytest.approx(exact["price"], rel=1e-6), 0.01: 0}


def _worth_of_host(given, host):
    """Return the seconds that a GB more than `host` bytes in the host saves, by its dual value."""
    data = given["data"]
    problem = PlacementProblem(
        size=np.array([data]),
        capacity=np.array([given["gpu"], host, np.inf]),
        work=np.array([[[0.0, 0.0, data]], [[0.0, data, data]]]),
        rate=np.array([given["drive"], given["link"]]),
        tiers=("GPU", "host", "drive"),
    )
    advice = placement_advice(problem, best_placement(problem))
    return sum(each.gain for each in advice if each.resource == "host")


def test_share_of_the_slow_memory_is_that_of_the_linear_program():
    problem = tier_problem([90.0], [90.0], [0.0], [100.0, 100.0], [20.0, 10.0], [1.0, 1.0])
    best = best_placement(problem)
    table = reference("woven", 90.0, 20.0, 10.0)
    assert table["share"] == pytest.approx(best.shares[0, 1])
    assert table["time"] == pytest.approx(best.time)


def test_dual_value_of_a_program_is_what_the_price_question_takes():
    problem = tier_problem([90.0], [90.0], [0.0], [20.0, 100.0], [1e6, 10.0], [1.0, 1.0])
    best = best_placement(problem)
    price = next(a.gain for a in placement_advice(problem, best) if a.kind == "capacity") / 1e9
    assert price == pytest.approx(0.1)
    grown = tier_problem([90.0], [90.0], [0.0], [25.0, 100.0], [1e6, 10.0], [1.0, 1.0])
    more = 64 / best_placement(grown).time - 64 / best.time
    assert reference("price", best.time, 64, price, 5 / GIB) == pytest.approx(more)


@given(
    st.lists(st.tuples(st.floats(0.1, 9), st.floats(0.1, 9)), min_size=1, max_size=7),
    st.integers(1, 8),
)
@settings(max_examples=60)
def test_fetches_with_few_buffers_are_played_by_hand(blocks, slots):
    fetch, compute = np.array(blocks).T
    by_hand = _played_by_hand(blocks, slots, freed_at_start=False)
    assert reference("flow", fetch, compute, slots) == pytest.approx(by_hand)
    early = wrong("flow", "one buffer more")(fetch, compute, slots)
    assert early == pytest.approx(_played_by_hand(blocks, slots, freed_at_start=True))


def _played_by_hand(blocks, slots, freed_at_start):
    """Return the time, a buffer being free again when its block starts or ends to be computed."""
    fetched, starts, ends = 0.0, [], []
    for fetch, compute in blocks:
        freed = starts if freed_at_start else ends
        fetched = max(fetched, freed[-slots] if len(freed) >= slots else 0.0) + fetch
        starts.append(max(fetched, *ends[-1:], 0.0))
        ends.append(starts[-1] + compute)
    return ends[-1]


@pytest.mark.parametrize("student", STUDENTS)
def test_best_order_is_the_best_of_720_and_backward_the_worst(student):
    given = drawn("johnson", student)
    times = np.stack([given["fetch"], given["compute"]], axis=1)
    all_ = flow_shop_makespan(times[np.array(list(permutations(range(6))))])
    assert BANK.question("johnson").reference(**given) == pytest.approx(all_.min())
    assert wrong("johnson", "Johnson backward")(**given) == pytest.approx(all_.max())


@given(st.lists(st.floats(0.5, 1), min_size=5, max_size=5), st.integers(1, 3), st.integers(0, 6))
@settings(max_examples=40)
def test_equal_blocks_with_few_buffers_are_played(times, slots, rounds):
    blocks = 1 + slots * rounds
    played = flow_shop_makespan(np.tile(times, (blocks, 1)), slots)
    assert reference("buffers", np.array(times), blocks, slots) == pytest.approx(float(played))


@pytest.mark.parametrize("student", STUDENTS)
def test_best_of_the_experts_is_that_of_all_ways_in_all_orders(student):
    given = drawn("experts", student)
    exact = BANK.question("experts").reference(**given)
    best = _best_of_all_orders(**given)
    assert exact["best"] == pytest.approx(best)
    assert exact["greedy"] > 1.01 * best
    for_nothing = wrong("experts", "link for nothing")(**given)["best"]
    without_link = given | {"fetch": 0 * given["fetch"]}
    assert for_nothing == pytest.approx(_best_of_all_orders(**without_link))
    assert for_nothing < best


def _best_of_all_orders(host, fetch, device):
    """Return the least time over all ways to share experts and all orders of those of the GPU."""
    times = np.stack([fetch, np.full_like(fetch, device)], axis=1)
    found = []
    for on_host in product([False, True], repeat=len(host)):
        left = np.flatnonzero(~np.array(on_host))
        orders = times[list(permutations(left))] if left.size else np.zeros((1, 1, 2))
        found.append(max(host[list(on_host)].sum(), flow_shop_makespan(orders).min()))
    return min(found)


@pytest.mark.parametrize("student", STUDENTS[:3])
def test_greedy_of_the_experts_is_the_rule_followed_by_hand(student):
    given = drawn("experts", student)
    table = BANK.question("experts").reference(**given)
    assert table["greedy"] == pytest.approx(_rule_by_hand(**given, in_turn=False))
    in_turn = wrong("experts", "greedy without overlap")(**given)
    assert in_turn["greedy"] == pytest.approx(_rule_by_hand(**given, in_turn=True))


def _rule_by_hand(host, fetch, device, in_turn):
    """Return the time of the list from both ends, the link waiting for the GPU or not."""
    waiting = sorted(range(len(host)), key=lambda i: (fetch[i] > 0, -host[i]))
    on_host = on_gpu = link = 0.0
    while waiting:
        head, tail = waiting[0], waiting[-1]
        brought = (on_gpu if in_turn else link) + fetch[head]
        brought = brought if fetch[head] else 0.0
        here, there = max(on_gpu, brought) + device, on_host + host[tail]
        if here <= there:
            on_gpu, link = here, max(link, brought)
            del waiting[0]
        else:
            on_host = there
            del waiting[-1]
    return max(on_host, on_gpu)


@given(st.floats(1e10, 1e11), st.floats(1e13, 1e15), st.floats(0, 0.9))
def test_both_ways_to_get_it_back_cost_the_same_at_the_tie(link, rate, hidden):
    _, tie = reference("again", 1.0, link, rate, hidden)
    assert 2 * (1 - hidden) / link == pytest.approx(tie / rate)
    assert reference("again", 0.9 * tie, link, rate, hidden)[0] == "recompute"
    assert reference("again", 1.1 * tie, link, rate, hidden)[0] == "swap"


def test_weights_of_a_token_are_counted_by_going_through_the_blocks():
    sizes = CellBytes(prompt=3, weight=GIB / 4, cache=0.0, activation=0.0)
    moved = count_traffic(zig_zag_order(6, 4, 5, 3), sizes).weight
    assert reference("per_token", 1.0, 8, 3, 5) == pytest.approx(moved / (6 * 8 * 5))


@given(st.integers(1, 9), st.integers(2, 5), st.integers(1, 9), st.integers(1, 9))
@settings(max_examples=40)
def test_caches_moved_are_counted_by_going_through_the_cells(sequences, layers, prompt, tokens):
    sizes = CellBytes(prompt=prompt, weight=1.0, cache=4.0 * 16, activation=0.0)
    counted = count_traffic(zig_zag_order(sequences, layers, tokens, 2), sizes).cache
    asked = reference("cache_moved", 16, layers, prompt, tokens, sequences)
    assert asked == pytest.approx(counted)


@given(
    st.integers(1, 9), st.integers(2, 4), st.integers(1, 5), st.integers(1, 5), st.integers(0, 30)
)
@settings(max_examples=60)
def test_loads_of_a_block_are_those_of_the_largest_that_fits(batches, layers, prompt, tokens, more):
    capacity = prompt + tokens - 1 + more
    sizes = CellBytes(prompt=prompt, weight=0.0, cache=1.0, activation=0.0)
    counted = [
        count_traffic(zig_zag_order(batches, layers, tokens, block), sizes)
        for block in range(1, batches + 1)
    ]
    fitting = min(run.loads for run in counted if run.peak <= layers * capacity)
    assert reference("block_loads", batches, layers, prompt, tokens, capacity) == fitting


@pytest.mark.parametrize(
    ("prompt", "tokens", "block"), [(199, 399, 266), (399, 400, 300), (802, 402, 335)]
)
def test_gain_is_the_ratio_of_loads_of_two_orders_in_the_same_memory(prompt, tokens, block):
    sizes, batches = CellBytes(prompt=prompt, weight=0.0, cache=1.0, activation=0.0), 1000 * block
    zig_zag = zig_zag_traffic(batches, 2, tokens, block, sizes)
    diagonal = diagonal_traffic(batches, 2, tokens, 1, sizes)
    assert zig_zag.peak == diagonal.peak
    assert reference("gain", prompt, tokens) == pytest.approx(
        zig_zag.loads / diagonal.loads, rel=3e-3
    )


@given(st.lists(st.integers(0, 5), min_size=1, max_size=30).map(np.array))
@settings(max_examples=40)
def test_hits_at_every_size_are_those_of_caches_played(trace):
    sizes = np.arange(1, 7)
    played = [simulate_cache(trace, int(size)).hit_ratio for size in sizes]
    assert reference("hits", trace, sizes) == pytest.approx(played)
    best = wrong("hits", "Belady for LRU")(trace, sizes)
    assert np.all(best >= np.array(played) - 1e-12)


@pytest.mark.parametrize(("layers", "room"), [(4, 3), (10, 6), (17, 8)])
def test_loops_hit_as_often_as_caches_played_for_long(layers, room):
    trace = loop_trace(layers * (layers - 1) * 60, layers)
    table = reference("loop", layers, room)
    assert simulate_cache(trace, room).hit_ratio == table["lru"]
    long = simulate_cache(trace, room, "optimal").hits[layers * (layers - 1) :]
    assert long.mean() == pytest.approx(table["best"], abs=2e-3)


def test_hit_ratio_of_drawn_references_is_near_that_of_a_cache_played():
    hot, cold, share, size = 20, 300, 0.7, 30
    popularity = np.repeat([share / hot, (1 - share) / cold], [hot, cold])
    trace = np.random.default_rng(0).choice(hot + cold, 60_000, p=popularity)
    played = simulate_cache(trace, size).hits[5_000:].mean()
    assert reference("che", hot, cold, share, size) == pytest.approx(played, abs=0.01)


def test_own_measurements_are_judged_by_their_median():
    copy, compute = np.array([1.0, 2.0, 3.0, 4.0, 5.0]), np.array([2.0, 2.5, 2.0, 6.0, 4.0])
    share = np.array([0.5, 0.9, -0.2, 0.6, 0.7])
    both = copy + compute - share * np.minimum(copy, compute)
    assert float(reference("own_overlap", copy, compute, both)) == pytest.approx(0.6)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({}, ""),
        ({"both": np.zeros(5)}, "above 0"),
        ({"both": np.full(5, 0.5)}, "before the longer"),
        ({"both": np.full(5, 100.0)}, "three times"),
        ({"copy": np.ones(5), "compute": np.ones(5)}, "same"),
    ],
)
def test_what_cannot_be_measured_is_told_so(change, complaint):
    copy = np.linspace(1, 2, 5)
    said = BANK.question("own_overlap").plausible(
        **{"copy": copy, "compute": np.full(5, 2.0), "both": np.full(5, 2.5), **change}
    )
    assert (complaint in said) if complaint else said == ""


@pytest.mark.parametrize(
    ("id", "name"),
    [
        ("busiest", "one direction counted twice"),
        ("fits", "cache without the batch"),
        ("again", "one way"),
        ("again", "overlap assumed perfect"),
    ],
)
def test_mistake_changes_the_decision_of_some_students(id, name):
    assert any(changed(id, name))
    assert not all(changed(id, name))


@pytest.mark.parametrize(
    ("id", "name"),
    [
        ("fits", "GB for GiB"),
        ("fits", "cache without the batch"),
        ("hidden", "both directions for one"),
        ("packed", "greedy taken for optimal"),
        ("price", "price in the wrong unit"),
        ("price", "GB for GiB"),
        ("adam", "one direction forgotten"),
        ("johnson", "overlap assumed perfect"),
        ("experts", "greedy taken for optimal"),
        ("experts", "link for nothing"),
        ("gain", "bound for the value"),
        ("loop", "LRU taken for optimal"),
    ],
)
def test_mistake_is_told_from_all_others(id, name):
    question, model = BANK.question(id), wrong(id, name)
    others = [one for one in question.misconceptions if one.name != name]
    for case in (drawn(id, student) for student in STUDENTS):
        answer = model(**case)
        for other in [question.reference, *(one.model for one in others)]:
            assert not same(question, answer, other(**case))


@pytest.mark.parametrize("student", STUDENTS)
class TestEveryStudent:
    """Each mistake of the chapter does to each student's numbers what the chapter says."""

    def test_powers_of_ten_make_it_look_larger(self, student):
        given = drawn("fits", student)
        right = BANK.question("fits").reference(**given)[1]
        assert wrong("fits", "GB for GiB")(**given)[1] == pytest.approx(right * GIB / 1e9)

    def test_perfect_overlap_is_too_good_and_none_too_bad(self, student):
        given = drawn("johnson", student)
        exact = BANK.question("johnson").reference(**given)
        assert wrong("johnson", "overlap assumed perfect")(**given) < exact
        assert wrong("johnson", "bound for the optimum")(**given) < exact
        assert wrong("johnson", "nothing overlapped")(**given) > exact

    def test_drives_help_less_often_than_they_are_many(self, student):
        given = drawn("drives", student)
        assert 1 < BANK.question("drives").reference(**given) < given["drives"]

    def test_greedy_is_not_the_best_nor_is_the_best_the_bound(self, student):
        table = BANK.question("packed").reference(**drawn("packed", student))
        assert 1.01 * table["greedy"] < table["best"]
        assert 1.01 * table["best"] < table["bound"]

    def test_slope_of_the_rate_promises_too_little(self, student):
        given = drawn("price", student)
        exact = BANK.question("price").reference(**given)
        assert wrong("price", "slope of the rate")(**given) < exact

    def test_drive_is_the_slower_one_today(self, student):
        given = drawn("bend", student)
        exact = BANK.question("bend").reference(**given)
        assert given["host"] < exact["bend"] < given["data"] - given["gpu"]

    def test_buffers_are_too_few(self, student):
        given = drawn("buffers", student)
        assert given["slots"] < given["times"].sum() / given["times"].max()
        assert (given["blocks"] - 1) % given["slots"] == 0

    def test_no_order_is_twice_as_good(self, student):
        assert 1 < BANK.question("gain").reference(**drawn("gain", student)) < 2

    def test_frequent_objects_for_ever_would_hit_more_often(self, student):
        given = drawn("che", student)
        exact = BANK.question("che").reference(**given)
        assert wrong("che", "first in, first out")(**given) < exact
        assert exact < wrong("che", "most popular kept")(**given)
