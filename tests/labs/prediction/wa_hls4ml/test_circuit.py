"""Rules of synthesised layers: by hand, on the pilot's table, and against learners beyond it."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

from perfmodel.labs.prediction.wa_hls4ml import circuit, extrapolation, synthesis
from perfmodel.labs.prediction.wa_hls4ml.circuit import (
    Cost,
    dsp_slices,
    feasible,
    interval,
    latency,
    smape,
)

ATTEMPTS = synthesis.table()
PARALLEL = ATTEMPTS[(ATTEMPTS["strategy"] == "resource") & (ATTEMPTS["rf"] == 1)]


@pytest.fixture
def designs():
    return synthesis.reused(ATTEMPTS)


class TestRules:
    def test_worked_layer(self):
        assert interval(1024).item() == 1024
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
        assert dsp_slices(d_in, d_out, prec, reuse) * interval(reuse) == d_in * d_out

    def test_bad_input_is_named(self):
        with pytest.raises(ValueError, match=r"reuse must divide the products .*, got 7"):
            dsp_slices(128, 96, 10, 7)
        with pytest.raises(ValueError, match="reuse must be 1 or more"):
            interval(0)
        with pytest.raises(ValueError, match="prec must be 1 or more"):
            latency(128, 0, 1024)

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

    def test_network_needs_two_sizes(self):
        with pytest.raises(ValueError, match=r"sizes must have 2 or more values, got \[14\]"):
            circuit.pipeline([14], 10, 32)


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
        assert (interval(reuse) == designs["interval"]).all()
        assert (latency(d_in, prec, reuse) == designs["best_cycles"]).all()
        assert (dsp_slices(d_in, d_out, prec, reuse) == designs["DSP"]).all()
        assert (designs["best_cycles"] == reuse).sum() == 41

    def test_fully_parallel_layers_succeed_only_when_small(self):
        assert (len(PARALLEL), PARALLEL["success"].sum()) == (448, 35)
        assert PARALLEL.loc[PARALLEL["success"], "n"].max() == 3072 < circuit.LARGEST_PARALLEL

    @pytest.mark.parametrize(("target", "r2"), [("FF", 0.99), ("LUT", 0.54)])
    def test_counts_of_bits_fit_all_designs_so_well(self, designs, target, r2):
        fitted = synthesis.straight(synthesis.bit_counts).fit(designs, designs[target])
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
        ours = [scores[name].r2 for name in names[:4]]
        assert ours == pytest.approx([forest, inputs, linear, added], abs=0.05)
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

    def test_way_of_folding_is_named(self, designs):
        with pytest.raises(ValueError, match="by must be one of design, layer, precision, got 'n'"):
            extrapolation.cross_validated(designs, "LUT", "n")

    def test_rule_foretells_success_no_worse_than_learners(self):
        scores = extrapolation.success_rates(ATTEMPTS)
        assert scores["always the same"] < 0.65
        assert min(scores["rule"], scores["forest"], scores["logistic regression"]) > 0.95
        assert scores["rule"] >= scores["logistic regression"]
