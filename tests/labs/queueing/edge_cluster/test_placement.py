"""The edge cluster: what each way of placing applications promises."""

import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.labs.queueing.edge_cluster.inputs import EDGE_TPU
from perfmodel.labs.queueing.edge_cluster.node import TPU_NODE, Application, admission
from perfmodel.labs.queueing.edge_cluster.placement import demand, in_time, place


def test_demand_is_repeatable_and_in_range():
    first, again, other = demand(30, 4), demand(30, 4), demand(30, 5)
    assert first == again
    assert first != other
    assert all(1 <= app.arrival_rate <= 5 for app in first)
    wider = demand(30, 4, patience=12.0)
    assert wider[3].response_limit == pytest.approx(2 * first[3].response_limit)


@settings(max_examples=8)
@given(st.integers(0, 1000), st.floats(2, 12), st.sampled_from(["depth-first", "breadth-first"]))
def test_admitted_applications_are_in_time(seed, patience, policy):
    placed = place(demand(12, seed, patience), 2, TPU_NODE, policy)
    assert in_time(TPU_NODE, placed) == sum(map(len, placed))
    assert all(admission(TPU_NODE, there).admitted for there in placed if there)


def test_depth_first_fills_one_node_and_breadth_first_spreads():
    apps = [Application(EDGE_TPU[name], 1.0, 1.0) for name in ("mobilenet_v1", "mobilenet_v2")]
    assert place(apps, 2, TPU_NODE, "depth-first") == [apps, []]
    assert place(apps, 2, TPU_NODE, "breadth-first") == [[apps[0]], [apps[1]]]
    third = [*apps, Application(EDGE_TPU["mobilenet_v2"], 1.0, 1.0)]
    assert place(third, 2, TPU_NODE, "breadth-first")[1] == third[1:]


def test_utilization_counts_the_reloads_and_nothing_else():
    # Three times 0.35 of inferences fill two nodes by inference alone; with the reloads none of
    # two fit together, however late they are.
    times = [EDGE_TPU[name].service_time for name in ("inception_v4", "inception_v3")]
    apps = [
        Application(EDGE_TPU["inception_v4"], 0.39 / times[0], 1e-3),
        Application(EDGE_TPU["inception_v3"], 0.39 / times[1], 1e-3),
    ]
    assert place(apps, 1, TPU_NODE, "inference only") == [apps]
    assert place(apps, 2, TPU_NODE, "utilization") == [[apps[0]], [apps[1]]]
    assert place(apps, 2, TPU_NODE, "depth-first") == [[], []]


def test_packing_without_the_reloads_overloads():
    placed = place(demand(40, 1), 4, TPU_NODE, "inference only")
    assert max(admission(TPU_NODE, there).utilization for there in placed) > 1
    assert in_time(TPU_NODE, placed) < 10
    safe = place(demand(40, 1), 4, TPU_NODE, "utilization")
    assert max(admission(TPU_NODE, there).utilization for there in safe) <= 0.8


def test_bad_input():
    with pytest.raises(ValueError, match="policy must be one of depth-first, .*, got 'random'"):
        place(demand(2), 2, TPU_NODE, "random")
    with pytest.raises(ValueError, match="nodes must be a whole number, 1 or more, got 0"):
        place(demand(2), 0, TPU_NODE, "depth-first")
    with pytest.raises(ValueError, match="patience|response_limit"):
        demand(2, patience=0.0)
