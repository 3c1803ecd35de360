import numpy as np
import pytest

from perfmodel.labs.scaling.qcd_chip.balance import EXTENT, chip_balance, tile_halo
from perfmodel.labs.scaling.qcd_chip.chip_area import Technology, optimum
from perfmodel.labs.scaling.qcd_chip.halo import tiled_sweep


@pytest.mark.parametrize("side", [1, 2, 3, 4, 6])
@pytest.mark.parametrize("dimension", [2, 3, 4])
def test_every_tile_can_be_read_and_fetches_what_a_sweep_counts(side, dimension):
    scene = tile_halo(side, dimension)
    assert scene.faults() == []
    counted = tiled_sweep(np.ones((EXTENT,) * dimension), side).halo_words
    tiles = (EXTENT // side) ** dimension
    assert scene.values["words fetched"] == counted / tiles


@pytest.mark.parametrize("memory_share", [0.3, 0.5, 0.7, 0.8, 0.9, 0.95])
@pytest.mark.parametrize("bandwidth", [1, 2, 4])
def test_every_chip_can_be_read(memory_share, bandwidth):
    scene = chip_balance(memory_share, bandwidth)
    assert scene.faults() == []
    assert len(scene.says) <= 160


def test_links_and_units_take_as_long_at_the_best_split():
    best = optimum(Technology())
    values = chip_balance(best.memory_share, 1).values
    assert values["cycles of the links"] == pytest.approx(values["cycles of the units"])
    assert values["flop/cycle"] == pytest.approx(best.flop_rate)
