"""Traffic of stencils against hand values and counted sweeps."""

import pytest

from perfmodel.roofline.cache import lru_traffic, stencil_accesses
from perfmodel.roofline.layer_conditions import layer_condition, stencil_kernel


class TestStencil:
    @pytest.mark.parametrize(
        ("cache", "loads"),
        [(3 * 8000 * 8, 1), (3 * 8000 * 8 - 1, 3), (5 * 80 * 8, 3), (5 * 80 * 8 - 1, 5), (0, 5)],
    )
    def test_three_dimensions_by_hand(self, cache, loads):
        # planes of 100 x 80 points and rows of 80; 7 multiplications and 6 additions a point
        kernel = stencil_kernel((50, 100, 80), cache=cache, write_allocate=False)
        assert kernel.flops == 13 * 400_000
        assert kernel.bytes == 8 * 400_000 * (loads + 1)
        assert stencil_kernel((50, 100, 80), cache=cache).bytes == 8 * 400_000 * (loads + 2)

    def test_layer_condition_is_where_traffic_falls(self):
        need = layer_condition((500, 700), radius=2)
        assert need == 5 * 700 * 8
        assert stencil_kernel((500, 700), 2, cache=need).bytes == 8 * 350_000 * 3
        assert stencil_kernel((500, 700), 2, cache=need - 1).bytes == 8 * 350_000 * 7

    def test_blocking_trades_layers_for_halos(self):
        blocked = stencil_kernel((500, 800), cache=24 * 100, block=100, write_allocate=False)
        assert blocked.bytes == pytest.approx(8 * 400_000 * (1.02 + 1))
        assert blocked.intensity > stencil_kernel((500, 800), cache=24 * 100).intensity

    @pytest.mark.parametrize(
        ("block", "words", "counted", "cache"),
        [
            (0, 140, 34 * 34 - 4, 3 * 34 * 8),
            (0, 40, 32 * (3 * 32 + 2), 0),
            (8, 60, 4 * (34 * 10 - 4), 3 * 8 * 8),
        ],
    )
    def test_a_counted_sweep_agrees_but_for_the_border(self, block, words, counted, cache):
        # the counting cache also holds the rows being written, so it needs room for those too
        moved = lru_traffic(stencil_accesses((34, 34), 1, block), words)
        assert moved.loads - 32 * 32 == counted
        ours = stencil_kernel((32, 32), cache=cache, block=block or None, write_allocate=False)
        assert ours.bytes / 8 - 32 * 32 == pytest.approx(counted, rel=34**2 / 32**2 - 1)

    def test_refuses_other_grids(self):
        with pytest.raises(ValueError, match="shape must have two or three dimensions"):
            stencil_kernel((100,))
        with pytest.raises(ValueError, match="block must be at most 10, got 11"):
            stencil_kernel((10, 10), block=11)
