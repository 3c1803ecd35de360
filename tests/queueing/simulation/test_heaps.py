"""Heaps and the tree of winners against sorting."""

from hypothesis import given, strategies as st

from perfmodel.queueing.simulation.buffers import calendar_of
from perfmodel.queueing.simulation.heaps import push, remove, schedule
from perfmodel.queueing.simulation.state import Heaps

keys = st.lists(st.sampled_from([0.5, 1.0, 2.0, 3.0]), min_size=1, max_size=30)


def filled(values, base):
    heaps = Heaps([0.0] * (base + len(values)), [0] * (base + len(values)))
    sequence = list(range(len(values)))
    for size, key in enumerate(values):
        push(heaps, sequence, base, size, key, size)
    return heaps, sequence


@given(keys, st.integers(0, 5))
def test_jobs_leave_by_key_and_then_in_their_order(values, base):
    heaps, sequence = filled(values, base)
    out = [remove(heaps, sequence, base, n, 0) for n in range(len(values), 0, -1)]
    assert out == sorted(range(len(values)), key=lambda job: (values[job], job))


@given(keys, st.data())
def test_any_place_can_be_taken_out(values, data):
    heaps, sequence = filled(values, 0)
    place = data.draw(st.integers(0, len(values) - 1))
    gone = remove(heaps, sequence, 0, len(values), place)
    rest = [remove(heaps, sequence, 0, n, 0) for n in range(len(values) - 1, 0, -1)]
    left = [job for job in range(len(values)) if job != gone]
    assert rest == sorted(left, key=lambda job: (values[job], job))


@given(st.lists(st.tuples(st.integers(0, 12), st.floats(0, 9)), min_size=1, max_size=40))
def test_the_winner_is_the_earliest_source(changes):
    calendar = calendar_of(16)
    for source, time in changes:
        schedule(calendar, source, time)
        assert calendar.time[calendar.winner[1]] == min(calendar.time)
