"""The drawn paths: readable, with the transactions that are counted."""

import pytest

from perfmodel.labs.roofline.cnn_tiling.inputs import RES12, V100
from perfmodel.labs.roofline.cnn_tiling.tile_paths import tile_paths
from perfmodel.labs.roofline.cnn_tiling.tilings import Tilings, count
from perfmodel.live.drawing import Cells, Text

FASTEST, SLOWEST = Tilings(2, 1, 7, 32, 7, 1, 32), Tilings(16, 1, 7, 32, 1, 1, 1)


@pytest.mark.parametrize("tiling", [FASTEST, SLOWEST], ids=["fastest", "slowest"])
def test_paths_can_be_read_and_add_up(tiling):
    scene, counts = tile_paths(RES12, tiling), count(RES12, tiling)
    assert scene.faults() == []
    numbers = [s.words.replace(",", "") for s in scene.shapes if isinstance(s, Text)]
    moved = sum(int(words) for words in numbers if words.isdigit())
    assert moved == counts.global_traffic[0] + counts.shared_traffic[0]


@pytest.mark.parametrize(("tiling", "busy"), [(FASTEST, V100.multiprocessors), (SLOWEST, 7)])
def test_a_multiprocessor_without_a_block_stays_empty(tiling, busy):
    scene = tile_paths(RES12, tiling)
    (grid,) = [shape for shape in scene.shapes if isinstance(shape, Cells)]
    assert len(grid.filled) == busy == scene.values["multiprocessors with work"]


def test_refuses_more_than_one_tiling():
    with pytest.raises(ValueError, match="one choice of tile sizes, got 2"):
        tile_paths(RES12, Tilings([2, 2], [1, 1], [7, 7], [32, 32], [7, 7], [1, 1], [32, 32]))
