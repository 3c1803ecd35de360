"""Heaps against sorting."""

from hypothesis import given, strategies as st

from perfmodel.engine.heap import Heap, push, remove

keys = st.lists(st.sampled_from([0.5, 1.0, 2.0, 3.0]), min_size=1, max_size=30)


def filled(values, base):
    heap = Heap([0.0] * (base + len(values)), [0] * (base + len(values)))
    rank = list(range(len(values)))
    for size, key in enumerate(values):
        push(heap, rank, base, size, key, size)
    return heap, rank


@given(keys, st.integers(0, 5))
def test_items_leave_by_key_and_then_by_rank(values, base):
    heap, rank = filled(values, base)
    out = [remove(heap, rank, base, n, 0) for n in range(len(values), 0, -1)]
    assert out == sorted(range(len(values)), key=lambda item: (values[item], item))


@given(keys, st.data())
def test_any_item_can_be_taken_out(values, data):
    heap, rank = filled(values, 0)
    index = data.draw(st.integers(0, len(values) - 1))
    removed = remove(heap, rank, 0, len(values), index)
    rest = [remove(heap, rank, 0, n, 0) for n in range(len(values) - 1, 0, -1)]
    others = [item for item in range(len(values)) if item != removed]
    assert rest == sorted(others, key=lambda item: (values[item], item))
