import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.communication import simulate_tasks
from perfmodel.offloading import (
    chunk_graph,
    chunked_time,
    even_chunks,
    flow_shop_makespan,
    overlap_fraction,
    step_time,
)

TIMES = st.lists(st.floats(0.01, 100), min_size=2, max_size=5)


@given(TIMES, st.integers(1, 12))
def test_equal_chunks_hide_all_but_one_part(times, chunks):
    step = chunked_time(even_chunks(times, chunks))
    most = max(times)
    assert step == pytest.approx(most + (sum(times) - most) / chunks)
    assert overlap_fraction(times, step) == pytest.approx(1 - 1 / chunks, abs=1e-6)


@given(
    st.integers(1, 6).flatmap(
        lambda visits: st.tuples(
            st.lists(
                st.lists(st.floats(0, 10), min_size=visits, max_size=visits),
                min_size=1,
                max_size=6,
            ),
            st.lists(st.integers(0, 2), min_size=visits, max_size=visits),
        )
    )
)
def test_lies_between_the_busiest_channel_and_the_sum(drawn):
    times, channel = np.array(drawn[0]), np.array(drawn[1])
    busy = np.bincount(channel, weights=times.sum(axis=0))
    step = chunked_time(times, channel)
    assert step_time(busy) - 1e-9 <= step <= step_time(busy, 1) + 1e-9
    assert chunked_time(times, channel, serial=True) == pytest.approx(times.sum())


@given(
    st.integers(1, 4).flatmap(
        lambda visits: st.lists(
            st.lists(st.floats(0.01, 9), min_size=visits, max_size=visits), min_size=1, max_size=8
        )
    )
)
def test_chunks_in_a_row_are_a_flow_shop(times):
    assert chunked_time(times) == pytest.approx(float(flow_shop_makespan(times)))


def test_chunks_without_dependences_reach_the_maximum():
    assert chunked_time(even_chunks([4.0, 3.0, 2.0], 3), after=[]) == pytest.approx(4)


def test_uneven_chunks_by_hand():
    """Two jobs on two machines: 1 then 3, and 3 then 1; the second order saves nothing."""
    assert chunked_time([[1.0, 3.0], [3.0, 1.0]]) == 5
    assert chunked_time([[3.0, 1.0], [1.0, 3.0]]) == 7


def test_two_visits_to_one_channel_take_turns():
    """A disk is read and written, with a link and a GPU between."""
    times, disk = even_chunks([2.0, 1.0, 1.0, 2.0], 20), [0, 1, 2, 0]
    run = simulate_tasks(chunk_graph(times, disk))
    on_disk = np.flatnonzero(run.graph.stage == 0)
    order = on_disk[np.argsort(run.start[on_disk], kind="stable")]
    assert (run.start[order][1:] >= run.end[order][:-1] - 1e-12).all()
    assert run.makespan >= 4
    assert chunked_time(times) < 4


def test_one_by_one_is_the_sum():
    times = np.random.default_rng(2).uniform(0, 3, (5, 4))
    assert chunked_time(times, serial=True) == pytest.approx(times.sum())


def test_visits_may_be_whole_floats():
    graphs = [chunk_graph([[1.0, 2.0, 3.0]], after=after) for after in ([(0.0, 2.0)], [(0, 2)])]
    assert graphs[0].edges.tolist() == graphs[1].edges.tolist()


def test_refuses():
    with pytest.raises(ValueError, match="after must name two visits from 0 to 1 each"):
        chunk_graph([[1.0, 2.0]], after=[(0, 2)])
    with pytest.raises(ValueError, match="graph must let every task start"):
        chunked_time([[1.0, 2.0]], after=[(0, 1), (1, 0)])


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda: even_chunks([[4, 2], [1, 1]], 2),
            r"seconds must be of shape \(visits,\), got \(2, 2\)",
        ),
        (lambda: chunk_graph([[1.0, 2.0]], [0.5, 1]), "channel must hold whole numbers from 0"),
        (lambda: chunk_graph([[1.0, 2.0]], [-1, 1]), "channel must hold whole numbers from 0"),
        (lambda: chunk_graph([[1.0, 2.0]], after=[(0.5, 1)]), "after must be a whole number"),
        (lambda: chunk_graph([[1.0, 2.0]], after=[(0, 1, 1)]), "after must name two visits"),
    ],
)
def test_refuses_what_would_be_read_otherwise(call, said):
    with pytest.raises(ValueError, match=said):
        call()
