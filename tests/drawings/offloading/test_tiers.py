"""Weights fill the tiers from the top, and the slowest way takes the time of the pass."""

from itertools import pairwise

import pytest
from hypothesis import given, strategies as st

from perfmodel import machines
from perfmodel.drawings import memory_tiers
from perfmodel.drawings.offloading.tiers import fill_tiers
from perfmodel.live.drawing import Box, Line

GPUS = st.sampled_from(["t4", "rtx-4090", "h100-sxm5-80gb"])


@given(st.floats(1e8, 2e12), GPUS)
def test_all_weights_are_held_and_a_tier_is_used_when_those_above_are_full(parameters, gpu):
    tiers = fill_tiers(parameters, gpu)
    assert sum(tier.used_bytes for tier in tiers) == pytest.approx(2 * parameters)
    for above, below in pairwise(tiers):
        assert below.used_bytes == 0 or above.used_bytes == above.capacity


def test_seconds_of_a_model_on_three_tiers():
    top, host, drive = fill_tiers(175e9, "rtx-4090")
    card = 24 * 2**30 / 1e9
    assert top.seconds == pytest.approx(card / 1008)
    assert host.seconds == pytest.approx((350 - card) / 31.5)
    assert drive.seconds == pytest.approx((350 - card - 256) / (31.5 / 4))


def test_without_a_rest_the_pass_is_that_of_the_gpu():
    scene = memory_tiers("t4", 7)
    machine = machines.get("t4")
    assert scene.values["seconds of a pass"] == pytest.approx(14e9 / machine.memory_bandwidth)
    assert scene.values["GB outside the GPU"] == 0
    assert "All weights fit into the T4" in scene.says


@pytest.mark.parametrize(("billions", "thick"), [(7, 0), (70, 1), (540, 2)])
def test_the_way_that_takes_longest_is_drawn_thick(billions, thick):
    lines = [s for s in memory_tiers("rtx-4090", billions).shapes if isinstance(s, Line)]
    assert [line.style == "thick" for line in lines] == [i == thick for i in range(3)]


def test_bars_are_filled_as_far_as_the_tiers_are():
    shapes = memory_tiers("rtx-4090", 70).shapes
    filled = [s.width / 328 for s in shapes if isinstance(s, Box) and s.fill == "solid"]
    assert filled == pytest.approx([1, (140 - 24 * 2**30 / 1e9) / 256])


def test_bad_input():
    with pytest.raises(ValueError, match="link of 16 lanes, got 'gh200-96gb' with NVLink-C2C"):
        memory_tiers("gh200-96gb", 70)
    with pytest.raises(ValueError, match="parameters must fit into all tiers together"):
        memory_tiers("t4", 3000)
    with pytest.raises(ValueError, match="billions must be above 0"):
        memory_tiers("t4", 0)
