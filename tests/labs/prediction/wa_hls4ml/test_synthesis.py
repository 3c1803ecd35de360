"""Dense layers after synthesis: the table, counts by hand, and who predicts large layers."""

from importlib import resources

import numpy as np
import pandas as pd
import pooch
import pytest
from hypothesis import given, strategies as st

from perfmodel import data
from perfmodel.labs.prediction.wa_hls4ml import synthesis
from perfmodel.prediction.arena import metrics
from perfmodel.prediction.arena.contest import FAMILIES, compete
from perfmodel.prediction.arena.estimators import Priced
from perfmodel.prediction.arena.splits import larger_split, shuffle_split


def test_file_is_the_one_that_was_published():
    path = resources.files(synthesis.__package__) / synthesis.FILE
    declared = data.DATASETS["wa-hls4ml"].files[synthesis.FILE]
    assert pooch.file_hash(str(path)) == declared.sha256


def designs(*rows: tuple[int, int, int, int]) -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=synthesis.KNOBS, dtype=float)
    return frame.assign(n=frame["d_in"] * frame["d_out"])


def grid() -> pd.DataFrame:
    sizes = (32, 64, 96, 160, 256)
    rows = [(a, b, p, k * a) for a in sizes for b in sizes for p in (4, 8) for k in (2, 4, 8)]
    return designs(*rows)


ONE = designs((128, 256, 10, 512))
NARROW = designs((192, 256, 10, 384))
"""Each multiplier serves two outputs only."""


def single(counts: dict[str, np.ndarray]) -> dict[str, float]:
    return {name: value.item() for name, value in counts.items()}


class TestCounts:
    def test_bits_by_hand(self):
        assert single(synthesis.bit_counts(ONE)) == {
            "output bits": 2560,
            "bits at work": 640,
            "input bits": 1280,
            "inputs": 128,
            "outputs": 256,
        }

    def test_lookup_tables_by_hand(self):
        counts = single(synthesis.circuit_counts(ONE, "LUT"))
        assert counts == {
            "control": 1,
            "inputs": 128,
            "outputs": 256,
            "multiplexers": 64 * 256,
            "multipliers": 64,
        }
        assert single(synthesis.circuit_counts(NARROW, "LUT"))["multiplexers"] == 0

    def test_flip_flops_by_hand(self):
        counts = single(synthesis.circuit_counts(ONE, "FF"))
        assert (counts["products"], counts["product bits"], counts["outputs"]) == (64, 0, 256)
        counts = single(synthesis.circuit_counts(NARROW, "FF"))
        assert (counts["products"], counts["product bits"]) == (0, 1280)
        low = single(synthesis.circuit_counts(designs((128, 256, 4, 512)), "FF"))
        assert (low["products"], low["logic product bits"]) == (0, 256)

    def test_memory_by_hand(self):
        # 640 bits are 18 blocks of 36, and 512 words are one block deep.
        assert single(synthesis.circuit_counts(ONE, "BRAM")) == {"weights": 18, "output table": 1}
        deep = designs((128, 256, 10, 1024))
        assert single(synthesis.circuit_counts(deep, "BRAM"))["weights"] == 9 * 2

    @given(st.integers(1, 2**20))
    def test_entrances_are_the_next_power_of_two(self, outputs):
        found = int(synthesis.entrances(outputs))
        assert found & (found - 1) == 0
        assert outputs <= found < 2 * outputs or found == outputs == 1

    @pytest.mark.parametrize("target", synthesis.TARGETS)
    def test_prices_of_made_up_circuits_are_found_again(self, target):
        rows = grid()
        counts = synthesis.circuit_counts(rows, target)
        made = {name: 3.0 + place for place, name in enumerate(counts)}
        total = sum(made[name] * counts[name] for name in counts)
        fitted = Priced(lambda X: synthesis.circuit_counts(X, target)).fit(rows, total)
        assert fitted.prices_ == pytest.approx(made)

    def test_other_targets_are_refused(self):
        for refused in (
            lambda: synthesis.circuit_counts(ONE, "DSP"),
            lambda: synthesis.dataset("II"),
            lambda: synthesis.contestants("cycles"),
        ):
            with pytest.raises(ValueError, match="target must be one of FF, LUT, BRAM, got"):
                refused()


class TestEstimators:
    def test_straight_finds_prices_of_any_sign(self):
        rows = grid()
        target = 5e4 - 3 * rows["d_in"] + 7 * rows["d_out"] * rows["prec"]
        fitted = synthesis.straight(synthesis.bit_counts).fit(rows, target)
        assert fitted.predict(rows) == pytest.approx(target.to_numpy())


class TestPilot:
    def test_table_is_whole(self):
        attempts = synthesis.table()
        assert attempts.shape == (2687, 15)
        assert attempts["success"].sum() == 987
        assert not attempts.duplicated(["d_in", "d_out", "prec", "rf", "strategy"]).any()
        kept = synthesis.reused(attempts)
        assert len(kept) == 871
        assert (kept["clock_ns"] == 5).all()
        assert (kept["n"] == kept["d_in"] * kept["d_out"]).all()
        assert (kept["rf"] % kept["d_in"] == 0).all()
        assert kept[[*synthesis.TARGETS]].notna().all(axis=None)

    def test_dataset_has_a_row_for_each_design(self):
        rows = synthesis.dataset("LUT")
        assert len(rows) == 871
        assert rows.numeric == synthesis.SEEN
        assert len(set(rows.group("layer"))) == 64
        assert rows.target.min() == 6740
        assert rows.licence == "Apache-2.0"

    @pytest.mark.parametrize(("target", "most"), [("LUT", 0.012), ("FF", 0.009), ("BRAM", 0.09)])
    def test_counts_of_the_circuit_fit_all_designs(self, target, most):
        rows = synthesis.dataset(target)
        circuit = synthesis.contestants(target)[1].estimator
        fitted = circuit.fit(rows.features, rows.target).predict(rows.features)
        assert metrics.mape(rows.target, fitted) < most

    def test_trees_fail_beyond_and_the_circuit_does_not(self):
        rows = synthesis.dataset("LUT")
        names = ("counts of the circuit", "random forest", "circuit x forest")
        some = [entry for entry in synthesis.contestants("LUT") if entry.name in names]
        rounds = [
            (100, 0, larger_split(rows, rows.features["n"], 100, 0)),
            (100, 0, shuffle_split(rows, 100, 0)),
        ]
        scores = compete(rows, some, rounds).set_index(["contestant", "split", "test"])["mape"]
        assert scores["random forest", "larger", "beyond"] > 0.4
        assert scores["random forest", "random", "inside"] < 0.25
        for name in (names[0], names[2]):
            assert scores[name, "larger", "beyond"] < 0.05

    def test_every_family_enters(self):
        for target in synthesis.TARGETS:
            assert {entry.family for entry in synthesis.contestants(target)} == set(FAMILIES)
