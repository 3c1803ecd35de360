"""Fusing kernels: chains counted by hand, launches saved, and when the saving is time."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.labs.queueing.launch_queue.kernel_fusion import (
    BLOCK,
    chains,
    fuse,
    fused_launches,
    fused_timeline,
)
from perfmodel.labs.queueing.launch_queue.timeline import timeline

ABAC = ["a", "b", "a", "c"]


def test_scores_by_hand():
    found = {chain.names: (chain.count, chain.proximity) for chain in chains(ABAC, 2)}
    assert found == {("a", "b"): (1, 0.5), ("b", "a"): (1, 1.0), ("a", "c"): (1, 0.5)}


def test_surest_chains_come_first():
    found = chains(BLOCK * 12, 4)
    assert found[0].proximity == 1
    scores = [(-chain.proximity, -chain.count) for chain in found]
    assert scores == sorted(scores)
    assert all(chain.names[0] != "transpose" for chain in found if chain.proximity == 1)


def test_fusing_takes_the_first_chain_that_fits_and_never_overlaps():
    assert fuse(["a", "a", "a"], [("a", "a")]) == [(0, 1), (2,)]
    assert fuse(ABAC, [("a", "b"), ("b", "a")]) == [(0, 1), (2,), (3,)]
    assert fuse(ABAC, []) == [(0,), (1,), (2,), (3,)]


def test_forty_chains_of_four_worked_out():
    assert 300 / fused_launches(300, 40, 4) == pytest.approx(1.667, abs=0.0005)


@given(st.lists(st.sampled_from("abc"), min_size=2, max_size=40), st.integers(2, 4))
def test_counts_agree_with_the_groups(kernels, length):
    if length > len(kernels):
        return
    chain = chains(kernels, length)[0]
    groups = fuse(kernels, [chain.names])
    fused = sum(len(group) == length for group in groups)
    assert [place for group in groups for place in group] == list(range(len(kernels)))
    assert fused <= chain.count
    assert len(groups) == fused_launches(len(kernels), fused, length)


def test_fusion_is_worth_its_launches_only_while_the_cpu_is_the_bound():
    kernels = list(BLOCK) * 12
    groups = fuse(kernels, [chains(kernels, 4)[0].names])
    ideal = len(kernels) / len(groups)
    gains = []
    for duration in (1e-9, 100.0):
        each = np.full(len(kernels), duration)
        before = timeline(np.ones(each.size), each, 0.0).latency
        gains.append(float(before / fused_timeline(groups, 1.0, each, 0.0).latency))
    assert gains[0] == pytest.approx(ideal, rel=0.01)
    assert gains[1] == pytest.approx(1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: chains(ABAC, 1), "length must be a whole number, 2 or more, got 1"),
        (lambda: chains(ABAC, 5), "length must be at most 4, the kernels, got 5"),
        (lambda: fuse(ABAC, [()]), "chains of a kernel or more"),
        (lambda: fused_launches(10, 3, 4), "fused_chains times length must be at most launches"),
        (lambda: fused_timeline([(0,)], 1.0, [1.0, 1.0], 0.0), "groups must be the kernels 0 to 1"),
        (lambda: fused_timeline([(0,)], 1.0, [-1.0], 0.0), "durations must be 0 or more"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
