"""Means over the 24 rows, and what they hide."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import gmean

from perfmodel.labs.roofline.fusemax.inputs import (
    ATTENTION_ENERGY,
    BERT,
    FUSEMAX_CHIP,
    LENGTHS,
    LINEAR_ENERGY,
    MODELS,
)
from perfmodel.labs.roofline.fusemax.speedups import energy_ratios, intensity, speedups


class TestSpeedups:
    """Worked out beforehand from the rows of the artifact."""

    @pytest.mark.parametrize(
        ("baseline", "end_to_end", "summary", "expected", "half_unit"),
        [
            ("FLAT", False, np.mean, 6.7226, 5e-5),
            ("FLAT", False, lambda ratios: gmean(ratios, None), 6.462, 5e-4),
            ("FLAT", False, np.max, 8.574, 5e-4),
            ("FLAT", False, np.min, 3.436, 5e-4),
            ("unfused", False, np.mean, 10.05, 5e-3),
            ("FLAT", True, np.mean, 5.3017, 5e-5),
        ],
    )
    def test_over_four_models_and_six_lengths(
        self, baseline, end_to_end, summary, expected, half_unit
    ) -> None:
        ratios = speedups(baseline, end_to_end)
        assert summary(ratios) == pytest.approx(expected, abs=half_unit)

    @pytest.mark.parametrize(
        ("row", "expected"),
        [
            (0, (6.649, 7.211, 7.367, 7.407, 8.572, 8.574)),
            (3, (3.436, 3.737, 3.821, 3.842, 4.582, 4.583)),
        ],
        ids=["BERT", "XLM"],
    )
    def test_by_length(self, row, expected) -> None:
        assert speedups("FLAT")[row] == pytest.approx(expected, abs=5e-4)

    def test_formula_by_hand_while_the_vector_array_bounds_both(self) -> None:
        lengths = np.array(LENGTHS[:4])
        expected = 1024 / (138 + 16384 / lengths)
        assert speedups("FLAT")[0, :4] == pytest.approx(expected, rel=1e-12)

    def test_heads_do_not_matter_to_attention(self) -> None:
        ratios = speedups("FLAT")
        assert ratios[1] == pytest.approx(ratios[0], rel=1e-12)
        assert ratios[2] == pytest.approx(ratios[0], rel=1e-12)

    def test_linear_layers_dilute(self) -> None:
        assert (speedups("FLAT", True) < speedups("FLAT")).all()

    def test_dilution_fades_with_length(self) -> None:
        share = speedups("FLAT", True) / speedups("FLAT")
        assert (np.diff(share, axis=1) > 0).all()
        assert share[:, -1] == pytest.approx(1, abs=0.02)

    def test_geometric_mean_is_below_the_arithmetic(self) -> None:
        assert gmean(speedups("FLAT"), None) < speedups("FLAT").mean()

    def test_itself(self) -> None:
        assert (speedups("FuseMax") == 1).all()


class TestIntensity:
    def test_unfused_tends_to_its_spill(self) -> None:
        assert intensity("unfused", BERT, 2**20) == pytest.approx(2 * 64 / 8, rel=1e-3)

    def test_one_pass_is_right_of_the_ridge(self) -> None:
        chip = FUSEMAX_CHIP
        ridge = chip.side**2 * chip.clock / chip.bandwidth
        for length in LENGTHS:
            assert intensity("unfused", BERT, length) < ridge < intensity("FuseMax", BERT, length)


class TestEnergy:
    @pytest.mark.parametrize(
        ("baseline", "end_to_end", "expected", "half_unit"),
        [
            ("FLAT", False, 0.7875, 5e-5),
            ("unfused", False, 0.767, 5e-4),
            ("FLAT", True, 0.8335, 5e-5),
        ],
    )
    def test_means_of_the_artifacts_joules(self, baseline, end_to_end, expected, half_unit) -> None:
        ratios = energy_ratios(baseline, end_to_end)
        assert ratios.mean() == pytest.approx(expected, abs=half_unit)

    def test_one_row_a_model_one_column_a_length(self) -> None:
        for table in (*ATTENTION_ENERGY.values(), *LINEAR_ENERGY.values()):
            assert table.shape == (len(MODELS), len(LENGTHS))

    def test_attention_grows_with_the_square_of_the_length(self) -> None:
        for table in ATTENTION_ENERGY.values():
            growth = table[:, 1:] / table[:, :-1]
            assert growth == pytest.approx(np.full(growth.shape, 16.0), rel=0.05)

    def test_linear_layers_grow_with_the_length(self) -> None:
        for table in LINEAR_ENERGY.values():
            growth = table[:, 1:] / table[:, :-1]
            assert growth == pytest.approx(np.full(growth.shape, 4.0), rel=0.001)

    def test_unknown_baseline(self) -> None:
        with pytest.raises(ValueError, match="baseline must be one of FLAT, got 'unfused'"):
            energy_ratios("unfused", end_to_end=True)
        with pytest.raises(ValueError, match="baseline must be one of unfused, FLAT, got 'TPU'"):
            energy_ratios("TPU")  # type: ignore[arg-type]
