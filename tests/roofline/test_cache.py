"""The counting cache against hand counts and its limits."""

import pytest
from hypothesis import given, strategies as st

from perfmodel.roofline.cache import Traffic, gemm_accesses, lru_traffic, stencil_accesses

accesses = st.lists(st.tuples(st.integers(0, 9), st.booleans()), max_size=60)


def test_least_recent_goes_first():
    # a b a c: b leaves, so b misses again and then c leaves
    words = [(w, False) for w in "abacba"]
    assert lru_traffic(words, 2) == Traffic(loads=5, stores=0)


def test_what_was_changed_is_written_back_once_a_stay():
    assert lru_traffic([("a", True), ("a", True), ("b", False)], 1) == Traffic(2, 1)
    assert lru_traffic([("a", True), ("b", False), ("a", False)], 1) == Traffic(3, 1)
    assert lru_traffic([("a", True), ("b", True)], 2).words == 4


@given(accesses, st.integers(1, 12))
def test_a_larger_cache_never_loads_more(trace, capacity):
    assert lru_traffic(trace, capacity + 1).loads <= lru_traffic(trace, capacity).loads


@given(accesses)
def test_with_room_for_all_each_word_is_loaded_once(trace):
    moved = lru_traffic(trace, 10)
    assert moved.loads == len({word for word, _ in trace})
    assert moved.stores == len({word for word, changed in trace if changed})


def test_every_order_of_a_product_does_the_same_work():
    plain = sorted(gemm_accesses(4, (4, 4, 4)))
    assert sorted(gemm_accesses(4, (2, 1, 4))) == plain
    assert len(plain) == 3 * 4**3
    with pytest.raises(ValueError, match=r"block must divide n = 4, got \(3, 4, 4\)"):
        list(gemm_accesses(4, (3, 4, 4)))


def test_a_blocked_sweep_updates_the_same_points():
    plain = {w for w, changed in stencil_accesses((7, 9)) if changed}
    assert plain == {w for w, changed in stencil_accesses((7, 9), block=2) if changed}
    assert len(plain) == 5 * 7
