"""Bytes by hand, and what a shape refuses."""

from __future__ import annotations

import pytest

from perfmodel.labs.offloading.flexgen.inputs import GIB, SHAPES
from perfmodel.labs.offloading.flexgen.sizes import Job, OptShape


def test_weights_of_175b():
    big = SHAPES["175B"]
    assert big.layer_weights == 24 * 12288**2
    assert big.weights == 324 * GIB
    assert big.stored / GIB == pytest.approx(325.18, abs=0.01)


@pytest.mark.parametrize("name", ["6.7B", "30B", "175B"])
def test_stored_weights_have_the_sizes_of_their_names(name):
    assert SHAPES[name].stored / 2 / 1e9 == pytest.approx(float(name[:-1]), rel=0.02)


def test_cache_of_a_block():
    big = SHAPES["175B"]
    cache = float(big.cache(512, 544))
    assert cache == 4 * 512 * 544 * 12288 * 96
    assert cache / big.weights == pytest.approx(3.778, abs=5e-4)
    assert big.cache([1, 2], 3).tolist() == [14155776.0, 28311552.0]


def test_a_step_reads_13_gb_of_the_small_model():
    assert SHAPES["6.7B"].read_for_a_token / 320e9 == pytest.approx(41.6e-3, abs=5e-5)


def test_mean_context():
    assert Job(SHAPES["30B"], 512, 32).mean_context == 528


def test_bad_input():
    with pytest.raises(ValueError, match="layers must be a whole number, 1 or more, got 0"):
        OptShape(0, 4096, 32)
    with pytest.raises(ValueError, match="prompt must be a whole number, 1 or more, got 0.5"):
        Job(SHAPES["30B"], 0.5, 32)
    with pytest.raises(ValueError, match="sequences must be 0 or more, got -1"):
        SHAPES["30B"].cache(-1, 1)
