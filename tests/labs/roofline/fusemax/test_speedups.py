"""Means over the 24 rows, and what they hide."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import gmean

from perfmodel.labs.roofline.fusemax import speedups as fusemax
from perfmodel.labs.roofline.fusemax.energy import ATTENTION_ENERGY, LINEAR_ENERGY, energy_ratios
from perfmodel.labs.roofline.fusemax.latency import BERT, FUSEMAX_CHIP, LENGTHS, MODELS
from perfmodel.labs.roofline.fusemax.speedups import intensity, speedups


class TestSpeedups:
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


def test_every_claim_is_met() -> None:
    results = [claim.check() for claim in fusemax.claims()]
    assert len(results) > 50
    assert [r.claim.quantity for r in results if not r.met] == []
