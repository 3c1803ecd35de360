"""The tree of winners against the minimum."""

from hypothesis import given, strategies as st

from perfmodel.queueing.simulation.calendar import schedule
from perfmodel.queueing.simulation.storage import calendar_of


@given(st.lists(st.tuples(st.integers(0, 12), st.floats(0, 9)), min_size=1, max_size=40))
def test_the_winner_is_the_earliest_source(changes):
    calendar = calendar_of(16)
    for source, time in changes:
        schedule(calendar, source, time)
        times = calendar.time[16:]
        assert calendar.time[1] == min(times)
        assert calendar.winner[1] == times.tolist().index(min(times))
