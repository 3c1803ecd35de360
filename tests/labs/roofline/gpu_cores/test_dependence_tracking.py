"""Storage of control bits and of scoreboards by hand."""

from __future__ import annotations

import pytest

from perfmodel.labs.roofline.gpu_cores.dependence_tracking import control_bits, scoreboard_bits


class TestStorage:
    def test_by_hand(self) -> None:
        assert control_bits(48) == 48 * (36 + 4 + 1)
        assert scoreboard_bits(1, 1) == 2 * 332
        assert scoreboard_bits(64, 63) == 64 * 332 * 7

    def test_a_scoreboard_is_many_times_as_large(self) -> None:
        """64 warps, 63 consumers: 332 x 7 bits over 41."""
        assert scoreboard_bits(64, 63) / control_bits(64) == pytest.approx(56.7, abs=0.05)

    def test_a_count_of_consumers_needs_its_bits(self) -> None:
        bits = [int(scoreboard_bits(1, c)) // 332 - 1 for c in (1, 2, 3, 4, 7, 8, 63)]
        assert bits == [1, 2, 2, 3, 3, 4, 6]

    def test_arrays(self) -> None:
        assert control_bits([1, 48]).tolist() == [41, 1968]

    def test_bad_input(self) -> None:
        with pytest.raises(ValueError, match="consumers must be a whole number, 1 or more, got 0"):
            scoreboard_bits(48, 0)
        with pytest.raises(ValueError, match="warps must be above 0, got 0"):
            control_bits(0)
