"""Clusters and scores: by hand, by brute force, and what must not change them."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.labs.benchmarking.dpe_evalperf.cluster_drawing import cluster_drawing
from perfmodel.labs.benchmarking.dpe_evalperf.references import (
    ReferenceClusters,
    cluster_costs,
    references,
)

TEN = [58e6, 10e6, 100e6, 29e6, 9.7e6, 60e6, 98e6, 30e6, 57e6, 9.8e6]
COSTS = st.lists(st.integers(10_000, 10**9).map(float), min_size=1, max_size=30)


def clusters_one_by_one(costs, gap, noise):
    falling = sorted(costs, reverse=True)
    groups = [[falling[0]]]
    for cost in falling[1:]:
        last = groups[-1][-1]
        if (last - cost) / last > gap + (noise / last) ** 0.5:
            groups.append([])
        groups[-1].append(cost)
    return groups


def test_ten_solutions_by_hand():
    groups = cluster_costs(TEN)
    assert [len(g) for g in groups] == [2, 3, 2, 3]
    found = references(TEN)
    assert found.score.tolist() == [20, 50, 70, 100]
    assert found.cost.tolist() == [100e6, 60e6, 30e6, 10e6]
    assert found.place(59e6) == (50, 50)
    assert found.place(9e6) == (100, 100)
    assert found.place(101e6) == found.place(np.inf) == (0, 0)


@given(COSTS, st.floats(0, 0.9), st.floats(0, 1e5))
def test_splits_are_those_of_a_scan_from_slow_to_fast(costs, gap, noise):
    groups = [g.tolist() for g in cluster_costs(costs, gap, noise)]
    assert groups == clusters_one_by_one(costs, gap, noise)


@given(COSTS, st.floats(1e3, 2e9), st.floats(1, 10))
def test_a_slower_program_never_scores_more(costs, cost, factor):
    found = references(costs)
    fast, slow = found.place(cost), found.place(cost * factor)
    assert 0 <= slow.score <= fast.score <= 100
    assert slow.normalised <= fast.normalised
    assert found.place(min(costs)) == (100, 100)


@given(COSTS, st.sampled_from([0.25, 2.0, 1024.0]))
def test_only_ratios_matter_when_noise_scales_along(costs, scale):
    sizes = [g.size for g in cluster_costs(costs)]
    scaled = cluster_costs(np.array(costs) * scale, noise=1e4 * scale)
    assert [g.size for g in scaled] == sizes


@given(COSTS, st.data())
def test_a_copy_of_a_reference_moves_no_boundary(costs, data):
    copied = [*costs, data.draw(st.sampled_from(costs))]
    assert references(copied).cost.tolist() == references(costs).cost.tolist()


def test_the_share_counts_solutions_and_the_normalised_score_clusters():
    table = ReferenceClusters(np.array([4.0, 3, 2, 1]), np.array([30.0, 50, 80, 100]))
    assert table.place(2.0) == (80, 75)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: cluster_costs([1.0, 0.0]), "costs must be above 0"),
        (lambda: cluster_costs([]), "costs must be a one-dimensional sample"),
        (lambda: cluster_costs([1.0], gap=-1), "gap must be 0 or more, got -1"),
        (lambda: references([1.0], noise=-1), "noise must be 0 or more, got -1"),
        (lambda: references([1.0]).place(0.0), "cost must be above 0 or infinite, got 0.0"),
        (lambda: references([1.0]).place(np.nan), "cost must be above 0 or infinite, got nan"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("gap", [0.05, 0.1, 0.2, 0.5])
@pytest.mark.parametrize("cost", [9, 9.9, 15, 29.5, 40, 57.5, 59, 80, 99, 120])
def test_every_drawing_can_be_read(cost, gap):
    scene = cluster_drawing(cost, gap)
    assert scene.faults() == []
    assert len(scene.says) <= 160
