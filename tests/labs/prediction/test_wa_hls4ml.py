"""wa-hls4ml: the table of syntheses, rules of the circuit, and learners beyond the pilot."""

from collections import Counter
from importlib import resources

import numpy as np
import pandas as pd
import pooch
import pytest
from hypothesis import given, strategies as st

from perfmodel import data
from perfmodel.labs.prediction.wa_hls4ml import circuit, extrapolation, synthesis
from perfmodel.labs.prediction.wa_hls4ml.circuit import (
    INPUTS,
    OUTPUTS,
    REUSE,
    Cost,
    dsp_slices,
    feasible,
    initiation_interval,
    latency,
    output_switches,
    smape,
)
from perfmodel.prediction.arena import metrics
from perfmodel.prediction.arena.contest import FAMILIES, compete
from perfmodel.prediction.arena.estimators import Priced
from perfmodel.prediction.arena.splits import larger_split, shuffle_split

ATTEMPTS = synthesis.table()
PARALLEL = ATTEMPTS[(ATTEMPTS["strategy"] == "resource") & (ATTEMPTS["rf"] == 1)]


@pytest.fixture
def designs():
    return synthesis.reused_designs(ATTEMPTS)


class TestRules:
    def test_worked_layer(self):
        assert initiation_interval(1024).item() == 1024
        assert latency(128, 10, 1024).item() * circuit.CLOCK == pytest.approx(5.125e-6)
        assert dsp_slices(128, 96, 10, 1024).item() == 12

    def test_few_bits_save_a_cycle_only_where_two_outputs_share_a_multiplier(self):
        cycles = latency([256, 256, 128], [4, 6, 4], 512)
        assert cycles.tolist() == [512, 513, 513]

    def test_few_bits_need_no_slices(self):
        assert dsp_slices(128, 96, [2, 4, 6, 8], 1024).tolist() == [0, 0, 11, 12]
        assert dsp_slices(32, 96, 6, 1024).item() == 3

    @given(
        d_in=st.integers(1, 64),
        share=st.integers(1, 8),
        served=st.integers(2, 8),
        prec=st.integers(8, 16),
    )
    def test_slices_times_cycles_are_the_products(self, d_in, share, served, prec):
        d_out, reuse = share * served, served * d_in
        assert dsp_slices(d_in, d_out, prec, reuse) * initiation_interval(reuse) == d_in * d_out

    def test_a_reuse_factor_divides_the_products(self):
        with pytest.raises(ValueError, match=r"reuse must divide the products .*, got 7"):
            dsp_slices(128, 96, 10, 7)

    def test_success_needs_reuse_or_a_small_layer(self):
        tried = pd.DataFrame(
            {
                "n": [65536, 65536, 65536, 3072, 4096],
                "rf": [512, 1, 512, 1, 1],
                "strategy": ["resource", "resource", "latency", "latency", "resource"],
            }
        )
        assert feasible(tried).tolist() == [True, False, False, True, False]


class TestPipeline:
    def test_particle_tracking_network_by_hand(self):
        # (448 + 1024 + 1024 + 96) / 32 slices and four times 33 cycles.
        assert circuit.pipeline([14, 32, 32, 32, 3], 10, 32) == Cost(32, 132, 81)

    def test_one_layer_is_a_layer(self):
        cost = circuit.pipeline([128, 96], 10, 1024)
        assert cost == Cost(1024, 1025, 12)


class TestMeasures:
    def test_by_hand(self):
        assert smape([0, 10], [1, 8]) == pytest.approx((2 * 1 / 2 + 2 * 2 / 19) / 2)
        scores = circuit.score([0, 10], [1, 8])
        assert scores.rmse == pytest.approx(np.sqrt((1 + 4) / 2))
        assert scores.r2 == pytest.approx(1 - 5 / 50)

    @given(st.lists(st.floats(0, 1e6), min_size=1, max_size=20), st.floats(0, 1e6))
    def test_smape_is_bounded_and_blind_to_sides(self, values, guess):
        other = np.full(len(values), guess)
        assert smape(values, values) == 0
        assert 0 <= smape(values, other) < 2
        assert smape(values, other) == pytest.approx(smape(other, values))

    def test_small_smape_beside_poor_r2(self):
        sizes = np.exp(np.random.default_rng(0).normal(8, 2, 2000))
        guess = np.where(sizes > np.quantile(sizes, 0.995), sizes / 3, 1.01 * sizes)
        scores = circuit.score(sizes, guess)
        assert scores.smape < 0.02
        assert scores.r2 < 0.7

    def test_shapes_must_agree(self):
        with pytest.raises(ValueError, match=r"predicted must have the shape \(n,\) of actual"):
            smape([1, 2], [1])


class TestPilot:
    def test_rules_hold_for_every_design(self, designs):
        d_in, d_out, prec, reuse = (designs[name].to_numpy() for name in synthesis.KNOBS)
        assert len(designs) == 871
        assert (initiation_interval(reuse) == designs["interval"]).all()
        assert (latency(d_in, prec, reuse) == designs["best_cycles"]).all()
        assert (dsp_slices(d_in, d_out, prec, reuse) == designs["DSP"]).all()
        assert (designs["best_cycles"] == reuse).sum() == 41

    def test_fully_parallel_layers_succeed_only_when_small(self):
        assert (len(PARALLEL), PARALLEL["success"].sum()) == (448, 35)
        assert PARALLEL.loc[PARALLEL["success"], "n"].max() == 3072 < circuit.LARGEST_PARALLEL

    @pytest.mark.parametrize(("target", "r2"), [("FF", 0.99), ("LUT", 0.54)])
    def test_counts_of_bits_fit_all_designs_so_well(self, designs, target, r2):
        fitted = synthesis.least_squares(synthesis.bit_counts).fit(designs, designs[target])
        scores = circuit.score(designs[target], fitted.predict(designs))
        assert scores.r2 == pytest.approx(r2, abs=0.005)

    def test_feasibility_has_no_missed_success(self):
        expected = feasible(ATTEMPTS)
        assert ATTEMPTS.loc[~expected, "success"].sum() == 0
        assert (expected != ATTEMPTS["success"]).sum() == 48

    def test_worst_latency_is_a_cycle_more(self, designs):
        assert (designs["worst_cycles"] == designs["best_cycles"] + 1).all()

    @pytest.mark.parametrize(
        ("target", "forest", "inputs", "linear", "added"),
        [
            ("DSP", 0.08, 0.15, 0.77, 0.90),
            ("LUT", -0.31, -0.15, -0.58, -0.40),
        ],
    )
    def test_an_earlier_run_is_scores_again(self, designs, target, forest, inputs, linear, added):
        names = ("forest", "counts as inputs", "linear in counts", "linear + forest", "circuit")
        scores = extrapolation.beyond(designs, target, names, trees=60)
        computed = [scores[name].r2 for name in names[:4]]
        assert computed == pytest.approx([forest, inputs, linear, added], abs=0.05)
        assert scores["circuit"].r2 > 0.99

    def test_trees_stop_where_their_table_ends(self, designs):
        wide = designs[designs["rf"] > 2 * designs["d_in"]]
        scores = extrapolation.ratios(wide, "LUT", ["forest", "circuit"], 8192, trees=10)
        assert list(scores) == ["forest", "circuit"]
        beyond = scores[scores.index > 32_768]
        assert scores.loc[:8192, "forest"].between(0.95, 1.05).all()
        assert beyond["forest"].max() < 0.6
        assert beyond["circuit"].between(0.9, 1.1).all()

    def test_holding_out_designs_flatters(self, designs):
        easy, honest = (
            extrapolation.cross_validated(designs, "LUT", by, trees=15)
            for by in ("design", "layer")
        )
        assert easy.r2 > 0.99
        assert honest.smape > 5 * easy.smape

    def test_forest_sees_no_target(self, designs):
        shuffled = designs.assign(LUT=np.random.default_rng(0).permutation(designs["LUT"]))
        assert extrapolation.cross_validated(shuffled, "LUT", trees=10).r2 < 0.1

    def test_rule_foretells_success_no_worse_than_learners(self):
        scores = extrapolation.success_rates(ATTEMPTS)
        assert scores["always the same"] < 0.65
        assert min(scores["rule"], scores["forest"], scores["logistic regression"]) > 0.95
        assert scores["rule"] >= scores["logistic regression"]


@pytest.mark.parametrize("cycle", range(1, REUSE + 1))
def test_every_cycle_can_be_read(cycle):
    assert output_switches(cycle).faults() == []


def test_every_product_is_made_once():
    products = Counter()
    for cycle in range(1, REUSE + 1):
        source, *outputs = output_switches(cycle).values.values()  # noqa: PD011
        products.update((source, output) for output in outputs)
    pairs = {(i, o) for i in range(1, INPUTS + 1) for o in range(1, OUTPUTS + 1)}
    assert products == Counter(pairs)


def test_file_is_the_one_that_was_published():
    path = resources.files(synthesis.__package__) / synthesis.FILE
    declared = data.DATASETS["wa-hls4ml"].files[synthesis.FILE]
    assert pooch.file_hash(str(path)) == declared.sha256


def designs_of(*rows: tuple[int, int, int, int]) -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=synthesis.KNOBS, dtype=float)
    return frame.assign(n=frame["d_in"] * frame["d_out"])


def grid() -> pd.DataFrame:
    sizes = (32, 64, 96, 160, 256)
    rows = [(a, b, p, k * a) for a in sizes for b in sizes for p in (4, 8) for k in (2, 4, 8)]
    return designs_of(*rows)


ONE = designs_of((128, 256, 10, 512))
NARROW = designs_of((192, 256, 10, 384))
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
        low = single(synthesis.circuit_counts(designs_of((128, 256, 4, 512)), "FF"))
        assert (low["products"], low["logic product bits"]) == (0, 256)

    def test_memory_by_hand(self):
        # 640 bits are 18 blocks of 36, and 512 words are one block deep.
        assert single(synthesis.circuit_counts(ONE, "BRAM")) == {"weights": 18, "output table": 1}
        deep = designs_of((128, 256, 10, 1024))
        assert single(synthesis.circuit_counts(deep, "BRAM"))["weights"] == 9 * 2

    @given(st.integers(1, 2**20))
    def test_entrances_are_the_next_power_of_two(self, outputs):
        entrances = int(synthesis.multiplexer_inputs(outputs))
        assert entrances & (entrances - 1) == 0
        assert outputs <= entrances < 2 * outputs or entrances == outputs == 1

    @pytest.mark.parametrize("target", synthesis.TARGETS)
    def test_prices_of_made_up_circuits_are_found_again(self, target):
        rows = grid()
        counts = synthesis.circuit_counts(rows, target)
        prices = {name: 3.0 + index for index, name in enumerate(counts)}
        total = sum(prices[name] * counts[name] for name in counts)
        fitted = Priced(lambda X: synthesis.circuit_counts(X, target)).fit(rows, total)
        assert fitted.prices_ == pytest.approx(prices)


class TestEstimators:
    def test_straight_finds_prices_of_any_sign(self):
        rows = grid()
        target = 5e4 - 3 * rows["d_in"] + 7 * rows["d_out"] * rows["prec"]
        fitted = synthesis.least_squares(synthesis.bit_counts).fit(rows, target)
        assert fitted.predict(rows) == pytest.approx(target.to_numpy())


class TestTable:
    def test_table_is_whole(self):
        attempts = synthesis.table()
        assert attempts.shape == (2687, 15)
        assert attempts["success"].sum() == 987
        assert not attempts.duplicated(["d_in", "d_out", "prec", "rf", "strategy"]).any()
        designs = synthesis.reused_designs(attempts)
        assert len(designs) == 871
        assert (designs["clock_ns"] == 5).all()
        assert (designs["n"] == designs["d_in"] * designs["d_out"]).all()
        assert (designs["rf"] % designs["d_in"] == 0).all()
        assert designs[[*synthesis.TARGETS]].notna().all(axis=None)

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
        entries = [entry for entry in synthesis.contestants("LUT") if entry.name in names]
        rounds = [
            (100, 0, larger_split(rows, rows.features["n"], 100, 0)),
            (100, 0, shuffle_split(rows, 100, 0)),
        ]
        scores = compete(rows, entries, rounds).set_index(["contestant", "split", "test"])["mape"]
        assert scores["random forest", "larger", "beyond"] > 0.4
        assert scores["random forest", "random", "inside"] < 0.25
        for name in (names[0], names[2]):
            assert scores[name, "larger", "beyond"] < 0.05

    def test_every_family_enters(self):
        for target in synthesis.TARGETS:
            assert {entry.family for entry in synthesis.contestants(target)} == set(FAMILIES)
