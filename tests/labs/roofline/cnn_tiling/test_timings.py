"""The quoted times of 217 tilings."""

from __future__ import annotations

import numpy as np
import pytest

from perfmodel.labs.roofline.cnn_tiling.inputs import ConvLayer
from perfmodel.labs.roofline.cnn_tiling.tilings import count
from perfmodel.labs.roofline.cnn_tiling.timings import LAYERS, timings


class TestTimings:
    def test_all_rows_and_no_row_twice(self) -> None:
        assert [len(timings(layer).tilings) for layer in LAYERS] == [160, 57]
        for layer in LAYERS:
            rows = timings(layer).tilings.matrix
            assert len(np.unique(rows, axis=0)) == len(rows)

    def test_tiles_fit_their_layer(self) -> None:
        for layer in LAYERS:
            assert (count(layer, timings(layer).tilings).blocks >= 1).all()

    def test_other_layers(self) -> None:
        with pytest.raises(ValueError, match="layer must be one of res12, yolo18, got 'res6'"):
            timings(ConvLayer("res6", 128, 28, 128))
