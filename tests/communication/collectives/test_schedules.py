"""Every schedule leaves the right arrays, and its counted rounds and bytes equal the formula."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.communication import (
    ALGORITHMS,
    CollectiveSchedule,
    Message,
    block_sizes,
    collective_cost,
    collective_schedule,
    hierarchical_cost,
    run_collective,
    run_schedule,
    schedule_time,
)

PAIRS = [(collective, name) for collective, names in ALGORITHMS.items() for name in names]
FLAT = [pair for pair in PAIRS if pair[1] != "hierarchical"]
RANKS = range(2, 18)
WORD = 8


def vectors_of(schedule: CollectiveSchedule, elements: int, seed: int) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    sizes = [elements] * schedule.ranks
    if schedule.collective == "all-gather":
        sizes = block_sizes(elements, schedule.ranks).tolist()
    return [rng.integers(-1000, 1000, size) for size in sizes]


def expected(schedule: CollectiveSchedule, vectors: list[np.ndarray]) -> list[np.ndarray | None]:
    """Return what each rank must end with, by NumPy."""
    ranks, total = schedule.ranks, sum(vectors) if schedule.collective != "all-gather" else None
    if schedule.collective == "broadcast":
        return [vectors[schedule.root]] * ranks
    if schedule.collective == "reduce":
        return [total if rank == schedule.root else None for rank in range(ranks)]
    if schedule.collective == "all-reduce":
        return [total] * ranks
    if schedule.collective == "all-gather":
        return [np.concatenate(vectors)] * ranks
    if schedule.collective == "reduce-scatter":
        return np.array_split(total, ranks)
    cut = [np.array_split(vector, ranks) for vector in vectors]
    return [np.concatenate([own[rank] for own in cut]) for rank in range(ranks)]


def check(schedule: CollectiveSchedule, elements: int, seed: int, per_node=None) -> None:
    vectors = vectors_of(schedule, elements, seed)
    before = [vector.copy() for vector in vectors]
    result = run_collective(schedule, vectors)
    for found, right in zip(result.vectors, expected(schedule, vectors), strict=True):
        np.testing.assert_equal(found, right)
    np.testing.assert_equal(vectors, before)
    cost = collective_cost(
        schedule.collective, schedule.algorithm, schedule.ranks, elements * WORD, WORD, per_node
    )
    run = result.run
    assert (run.rounds, run.volume, sum(run.added), run.traffic) == (
        cost.rounds,
        cost.volume,
        cost.added,
        cost.traffic,
    )


@pytest.mark.parametrize(("collective", "algorithm"), FLAT)
@pytest.mark.parametrize("ranks", RANKS)
def test_arrays_rounds_and_bytes(collective, algorithm, ranks):
    for elements in (0, 1, ranks - 1, ranks, 2 * ranks + 1, 53):
        check(collective_schedule(collective, algorithm, ranks), elements, elements)


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(FLAT),
    st.integers(2, 17),
    st.integers(0, 400),
    st.integers(0, 16),
    st.integers(0, 99),
)
def test_arrays_rounds_and_bytes_of_any_size_and_root(pair, ranks, elements, root, seed):
    check(collective_schedule(*pair, ranks, root=root % ranks), elements, seed)


@pytest.mark.parametrize(
    ("ranks", "per_node"), [(p, m) for p in RANKS for m in range(1, p + 1) if p % m == 0]
)
def test_hierarchical_all_reduce(ranks, per_node):
    schedule = collective_schedule("all-reduce", "hierarchical", ranks, per_node=per_node)
    for elements in (1, ranks + 1, 53):
        check(schedule, elements, elements, per_node)
        tiers = hierarchical_cost(ranks, per_node, elements * WORD, WORD)
        run = run_collective(schedule, vectors_of(schedule, elements, 0)).run
        across = [
            any(one.sender // per_node != one.receiver // per_node for one in sent)
            for sent in schedule.rounds
        ]
        sizes = np.array(run.largest)
        assert sum(across) == tiers.inter_node.rounds
        assert sizes[across].sum() == tiers.inter_node.volume
        assert sizes[np.logical_not(across)].sum() == tiers.intra_node.volume


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(PAIRS), st.integers(2, 17))
def test_a_rank_sends_and_receives_one_message_a_round(pair, ranks):
    schedule = collective_schedule(*pair, ranks, per_node=ranks)
    for sent in schedule.rounds:
        assert len({one.sender for one in sent}) == len(sent) == len({one.receiver for one in sent})
        assert all(one.sender != one.receiver for one in sent)


def test_floating_point_sums_agree_on_all_ranks():
    rng = np.random.default_rng(0)
    vectors = list(rng.normal(size=(7, 19)))
    for algorithm in ALGORITHMS["all-reduce"]:
        schedule = collective_schedule("all-reduce", algorithm, 7, per_node=7)
        for vector in run_collective(schedule, vectors).vectors:
            np.testing.assert_allclose(vector, np.sum(vectors, axis=0), rtol=1e-12, atol=1e-12)


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(PAIRS), st.integers(2, 17), st.integers(1, 20))
def test_time_of_rounds_is_the_formula(pair, ranks, each):
    """Where all blocks are equal, rounds one by one take what rounds and bytes together say."""
    schedule = collective_schedule(*pair, ranks, per_node=ranks)
    labels = ranks**2 if schedule.collective == "all-to-all" else schedule.blocks
    blocks = ranks if schedule.collective == "all-to-all" else schedule.blocks
    time = schedule_time(schedule, [each] * labels, lambda _, size: 2e-6 + size / 1e9, 1e-10)
    cost = collective_cost(*pair, ranks, each * blocks, each, per_node=ranks)
    assert time == pytest.approx(cost.time(2e-6, 1e9, 1e-10), rel=1e-12)


def test_links_may_differ():
    schedule = collective_schedule("all-reduce", "hierarchical", 8, per_node=4)

    def seconds(message, size):
        return 10.0 if message.sender // 4 != message.receiver // 4 else 1.0

    assert schedule_time(schedule, [1.0] * 8, seconds) == 6 * 1.0 + 2 * 10.0


def test_what_is_not_held_cannot_be_sent_or_added_to():
    block = {0: np.ones(2)}
    put, add = (Message(0, 1, (0,), adds) for adds in (False, True))
    with pytest.raises(ValueError, match=r"0 lacks \[0\]"):
        run_schedule(CollectiveSchedule("broadcast", "odd", 2, 1, ((put,),)), [{}, block])
    with pytest.raises(ValueError, match="1 lacks some"):
        run_schedule(CollectiveSchedule("reduce", "odd", 2, 1, ((add,),)), [block, {}])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: collective_schedule("gossip", "ring", 4), "collective must be one of broadcast"),
        (lambda: collective_schedule("reduce", "ring", 4), "algorithm of reduce must be one of"),
        (lambda: collective_schedule("broadcast", "tree", 4, 4), "root must be below ranks 4"),
        (
            lambda: collective_schedule("all-reduce", "hierarchical", 8, per_node=3),
            "per_node must divide ranks 8, got 3",
        ),
        (
            lambda: run_collective(collective_schedule("all-reduce", "ring", 2), [[1]]),
            "vectors must be of 2 ranks, got 1",
        ),
        (
            lambda: run_collective(collective_schedule("all-reduce", "ring", 2), [[1], [1, 2]]),
            r"vectors must have one length, got \[1, 2\]",
        ),
        (
            lambda: run_collective(collective_schedule("all-reduce", "ring", 2), [1, 2]),
            "vectors must be one-dimensional",
        ),
        (
            lambda: run_schedule(collective_schedule("all-reduce", "ring", 2), []),
            "blocks must be of 2 ranks, got 0",
        ),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
