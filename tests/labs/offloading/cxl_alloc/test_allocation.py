from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.labs.offloading.cxl_alloc.allocation import (
    best_weight,
    by_density,
    first_spilled,
    interleaved,
    interleaved_rate,
    latency_first,
    masks,
)
from perfmodel.labs.offloading.cxl_alloc.footprint import ORDER, tensor_bytes
from perfmodel.labs.offloading.cxl_alloc.inputs import (
    CXL_BUDGET,
    DRAM_BUDGET,
    GIB,
    LFM,
    NEMO,
    PRINTED_MASKS,
    QWEN,
)


def allocated(model, batch=1, tokens=4096, cards=1):
    return latency_first(tensor_bytes(model, batch, tokens), DRAM_BUDGET, CXL_BUDGET, cards) / GIB


def test_masks_of_the_tutorial():
    found = masks(allocated(LFM))
    assert dict(zip(ORDER, found, strict=True)) == PRINTED_MASKS


def test_gib_by_hand():
    lfm, qwen, nemo = allocated(LFM), allocated(QWEN), allocated(NEMO)
    assert lfm[3, 0] == pytest.approx(100 - 3 * 4 * 8_474_147_584 / 2**30, abs=1e-6)
    assert lfm[3, 0] == pytest.approx(5.294, abs=5e-4)
    assert lfm[:, 1].sum() == pytest.approx(58.22, abs=0.01)
    assert qwen[3] == pytest.approx([14.19, 14.19], abs=0.01)
    assert qwen[4, 0] == pytest.approx(0.70, abs=0.01)
    assert nemo[2] == pytest.approx([8.75, 36.88], abs=0.01)
    assert nemo[:, 1].sum() == pytest.approx(129.70, abs=0.01)
    assert allocated(NEMO, 8, 32768)[:, 1].sum() == pytest.approx(228.1, abs=0.1)


@pytest.mark.parametrize(
    ("parameters", "same"), [(7.66e9, False), (7.68e9, True), (8.94e9, True), (8.96e9, False)]
)
def test_masks_of_the_tutorial_are_those_of_a_range_of_models(parameters, same):
    # Half of the master weights, 2P, fill what three tensors leave, 100 GiB - 12P, from 100/14 on.
    assert 7.66e9 < DRAM_BUDGET / 14 < 7.68e9
    assert 8.94e9 < DRAM_BUDGET / 12 < 8.96e9
    size = tensor_bytes(replace(LFM, parameters=int(parameters)), 1, 4096)
    found = masks(latency_first(size, DRAM_BUDGET, CXL_BUDGET))
    assert (found == list(PRINTED_MASKS.values())) is same


@pytest.mark.parametrize("model", [QWEN, NEMO, LFM])
def test_context_does_not_change_what_spills_first(model):
    spilled = {first_spilled(allocated(model, 1, tokens)) for tokens in (4096, 16384, 32768)}
    assert len(spilled) == 1


sizes = st.lists(st.integers(1, 1000), min_size=1, max_size=8)


@settings(max_examples=100)
@given(size=sizes, dram=st.integers(0, 3000), cards=st.integers(1, 3))
def test_nothing_is_lost_and_budgets_hold(size, dram, cards):
    for place in (latency_first, interleaved):
        placed = place(size, dram, 1e9, cards)
        assert placed.sum(axis=1) == pytest.approx(size)
        assert placed[:, 0].sum() <= dram + 1e-9
        assert (placed >= 0).all()
        assert placed[:, 1:] == pytest.approx(np.repeat(placed[:, 1:2], cards, axis=1))


@given(size=sizes, dram=st.integers(0, 3000))
def test_latency_first_is_wholly_in_dram_before_it_spills(size, dram):
    placed = latency_first(size, dram, 1e9)
    first = first_spilled(placed)
    whole = size if first < 0 else size[:first]
    assert placed[: len(whole), 0] == pytest.approx(whole)
    assert sum(whole) <= dram
    if first >= 0:
        assert sum(size[: first + 1]) > dram
        assert placed[first, 0] == min(dram - sum(whole), size[first] // 2)


def test_interleaved_until_dram_is_full_and_by_weights():
    assert interleaved([10, 10], 7, 100) == pytest.approx(np.array([[5, 5], [2, 8]]))
    assert interleaved([10], 50, 100, weights=[4, 1]) == pytest.approx(np.array([[8, 2]]))
    assert interleaved([12], 50, 100, cards=2) == pytest.approx(np.array([[4, 4, 4]]))


def test_density_cuts_the_last():
    placed = by_density([10, 10], [10, 20], 12, 100)
    assert placed == pytest.approx(np.array([[2, 8], [10, 0]]))


@given(dram=st.floats(1, 500), cxl=st.floats(1, 500))
def test_best_weight_is_the_peak_and_adds_the_rates(dram, cxl):
    share = best_weight(dram, cxl)
    assert interleaved_rate(share, dram, cxl) == pytest.approx(dram + cxl)
    grid = interleaved_rate(np.linspace(0, 1, 101), dram, cxl)
    assert grid.max() <= (dram + cxl) * (1 + 1e-9)


def test_bad_input():
    with pytest.raises(ValueError, match="cxl must hold"):
        latency_first([10, 10], 5, 3)
    with pytest.raises(ValueError, match="weights must be 2 numbers"):
        interleaved([10], 5, 100, weights=[1, 2, 3])
    with pytest.raises(ValueError, match="cards must be a whole number, 1 or more"):
        latency_first([10], 5, 100, cards=0)
    with pytest.raises(ValueError, match="share must be between 0 and 1"):
        interleaved_rate(1.2, 1, 1)
