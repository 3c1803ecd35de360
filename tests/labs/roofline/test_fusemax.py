"""The chip's drawing: readable in every design, filled as far as the model says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.stats import gmean

from perfmodel.labs.roofline.fusemax import cascades
from perfmodel.labs.roofline.fusemax.cascades import (
    DEFERRED,
    ONE_PASS,
    SCALED,
    THREE_PASS,
    TWO_PASS,
    cascade,
    passes,
    touched,
)
from perfmodel.labs.roofline.fusemax.inputs import (
    ATTENTION_ENERGY,
    BERT,
    FUSEMAX_CHIP,
    LENGTHS,
    LINEAR_ENERGY,
    MODELS,
    T5,
    XLM,
    Chip,
    Transformer,
)
from perfmodel.labs.roofline.fusemax.latency import (
    DESIGNS,
    busy_arrays,
    energy_ratios,
    fusemax_latency,
    intensity,
    latency,
    linear_latency,
    slots,
    speedups,
    spills,
    traffic,
    utilization,
)
from perfmodel.labs.roofline.fusemax.passes import (
    TiledRows,
    one_pass,
    reference,
    three_pass,
    two_pass,
)
from perfmodel.live.drawing import Box


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("model", [BERT, XLM])
def test_arrays_can_be_read_and_are_filled_to_their_share(design, model):
    scene = busy_arrays(design, model, 1024)
    assert scene.faults() == []
    fills = [s.height for s in scene.shapes if isinstance(s, Box) and not s.label]
    assert fills == pytest.approx([100 * share for share in utilization(design, model, 1024)])
    busier = "vector" if fills[1] > fills[0] else "matrix"
    assert f"The {busier} array is the busier one" in scene.says


# Counting passes: the paper's examples, what lowers the count, and cascades that are wrong.


class TestPasses:
    def test_attention(self) -> None:
        counts = [passes(THREE_PASS, "m"), passes(TWO_PASS, "m1 m0"), passes(ONE_PASS, "m1 m0")]
        assert counts == [3, 2, 1]

    def test_scaling_by_a_dot_product(self) -> None:
        carried = cascade("RY[k] = RY[k] A[k] B[k]\nRZ[k] = RZ[k] RY[k] A[k]\nZ[] = RZ[k]")
        assert [passes(c, "k") for c in (SCALED, DEFERRED, carried)] == [2, 1, 1]

    def test_dividing_at_the_end_saves_a_pass(self) -> None:
        late = cascade("""
            QK[m,p] = Q[e,p] K[e,m]
            GM[p] = QK[m,p]
            SN[m,p] = QK[m,p] GM[p]
            SD[p] = SN[m,p]
            SNV[f,p] = SN[m,p] V[f,m]
            AV[f,p] = SNV[f,p] SD[p]
        """)
        assert passes(late, "m") == 2

    def test_other_ranks_are_passed_once(self) -> None:
        assert passes(THREE_PASS, "e") == 1
        assert passes(THREE_PASS, "p") == 1

    def test_a_reduction_of_one_part_of_a_split_rank_is_no_barrier(self) -> None:
        einsums = cascade("LM[m1] = A[m1,m0]\nB[m1,m0] = A[m1,m0] LM[m1]")
        assert passes(einsums, "m1 m0") == 1
        assert passes(einsums, "m0") == 2

    @pytest.mark.parametrize("barriers", range(6))
    def test_each_barrier_adds_a_pass(self, barriers: int) -> None:
        lines = ["X0[k] = A[k]"]
        for i in range(barriers):
            lines += [f"S{i}[] = X{i}[k]", f"X{i + 1}[k] = X{i}[k] S{i}[]"]
        assert passes(cascade("\n".join(lines)), "k") == barriers + 1


class TestTouched:
    def test_one_pass_keeps_nothing(self) -> None:
        assert set(touched(ONE_PASS, "m1 m0").values()) == {(0,)}

    def test_two_pass_keeps_what_the_correction_needs(self) -> None:
        kept = {k for k, v in touched(TWO_PASS, "m1 m0").items() if len(v) > 1}
        assert kept == {"LM", "SLN", "SLD"}

    def test_values_wait_for_the_last_pass(self) -> None:
        assert touched(THREE_PASS, "m")["V"] == (2,)


class TestRefusedCascades:
    @pytest.mark.parametrize("line", ["Z[p] A[m,p]", "Z = A[m]", "Z[p] =", "Z[p] = A[m,p] +"])
    def test_no_equation(self, line: str) -> None:
        with pytest.raises(ValueError, match="an equation must look like"):
            cascade(line)

    def test_made_twice(self) -> None:
        with pytest.raises(ValueError, match="made once, got 'Z' twice"):
            cascade("Z[] = A[k]\nZ[] = B[k]")

    def test_read_before_made(self) -> None:
        with pytest.raises(ValueError, match="made before it is read, got 'Y'"):
            cascade("Z[] = Y[k]\nY[k] = A[k]")

    @pytest.mark.parametrize("rank", ["x", "", "m x"])
    def test_unknown_rank(self, rank: str) -> None:
        with pytest.raises(ValueError, match=r"rank must be among e, f, m, p, got"):
            passes(THREE_PASS, rank)


# Latency and traffic of five designs: rows of the authors' artifact, hand values and limits.

SHAPES = st.builds(
    Transformer,
    st.just("any"),
    st.sampled_from([512, 1024]),
    st.sampled_from([32, 64, 128]),
    st.integers(1, 32),
    st.just(4096),
    st.integers(1, 64),
)
TOKENS = st.integers(1, 4096).map(lambda tiles: 256 * tiles)


# Artifact rows with all digits: model, tokens, latency of the five designs in s.
ROWS = [
    (BERT, 1024, 0.02182357659574468, 0.013386076595744681, 0.015333855319148937,
     0.005987131914893616, 0.002013140425531915),
    (T5, 65536, 57.072913157446806, 36.55291315744681, 41.30943237446808,
     16.34886154893617, 4.935000238297873),
    (XLM, 16384, 7.169114144680851, 4.569114144680851, 5.742626859574469,
     2.900316595744681, 1.1958228425531914),
    (XLM, 1048576, None, 22283.52, 23485.817842927663, 11879.696776170213, 4862.10858920851),
]  # fmt: skip


class TestLatency:
    @pytest.mark.parametrize("row", ROWS, ids=lambda r: f"{r[0].name}-{r[1]}")
    def test_artifact(self, row) -> None:
        model, length, *printed = row
        for design, seconds in zip(DESIGNS, printed, strict=True):
            if seconds is not None:
                assert latency(design, model, length) == pytest.approx(seconds, rel=1e-12)

    def test_unfused_is_close_where_the_artifact_moves_more(self) -> None:
        assert latency("unfused", XLM, 262144) == pytest.approx(1830.4932210382979, rel=0.003)

    def test_the_better_algorithm_alone_is_slower(self) -> None:
        assert latency("FLAT", BERT, 1024) / latency("+cascade", BERT, 1024) == pytest.approx(
            0.873, abs=0.0005
        )

    @settings(max_examples=30, deadline=None)
    @given(SHAPES, st.sampled_from([16, 64, 512]))
    def test_an_array_of_twice_the_side_is_four_times_as_fast_but_for_divisions(
        self, model, side
    ) -> None:
        small, large = (fusemax_latency(model, 65_536, Chip(side=s)) for s in (side, 2 * side))
        assert 2 < small / large <= 4 * (1 + 1e-12)

    def test_vector_array_bounds_fusemax_by_hand(self) -> None:
        score = slots(XLM, 1024).matrix
        assert latency("FuseMax", XLM, 1024) == pytest.approx((10 + 256 + 32) * score, rel=1e-12)
        assert latency("FLAT", BERT, 4096) / latency("FuseMax", BERT, 4096) == pytest.approx(
            1024 / 142, rel=1e-12
        )

    @settings(max_examples=30, deadline=None)
    @given(SHAPES, TOKENS)
    def test_each_step_after_the_cascade_helps(self, model, length) -> None:
        times = [latency(design, model, length) for design in DESIGNS]
        assert times[4] < times[3]
        assert times[4] <= times[2]
        assert times[4] < times[1]

    @settings(max_examples=30, deadline=None)
    @given(SHAPES, TOKENS)
    def test_twice_the_batch_takes_twice_as_long(self, model, length) -> None:
        double = Transformer(
            "any", model.width, model.head_width, model.heads, 4096, 2 * model.batch
        )
        for design in DESIGNS:
            assert latency(design, double, length) == pytest.approx(
                2 * latency(design, model, length)
            )


class TestUtilization:
    @settings(max_examples=30, deadline=None)
    @given(SHAPES, TOKENS)
    def test_no_array_is_busier_than_the_clock(self, model, length) -> None:
        for design in DESIGNS:
            assert all(0 < share <= 1 + 1e-12 for share in utilization(design, model, length))

    def test_artifact(self) -> None:
        assert utilization("FuseMax", XLM, 4096)[0] == pytest.approx(0.9671532846715328)
        assert utilization("+architecture", BERT, 1024) == pytest.approx(
            (0.2991266375545852, 0.3362445414847162)
        )
        assert utilization("+cascade", BERT, 1024) == pytest.approx((0.10912190963341858, 1.0))
        assert utilization("unfused", BERT, 1024) == pytest.approx(
            (0.0766721058359586, 0.6133768466876688)
        )


class TestTraffic:
    @pytest.mark.parametrize(
        ("design", "model", "length", "bytes_moved"),
        [
            ("unfused", BERT, 1024, 6845104128),
            ("FLAT", BERT, 262144, 435458144206848),
            ("FLAT", XLM, 1048576, 9570698963976192),
            ("+cascade", BERT, 65536, 115964116992),
            ("FuseMax", XLM, 262144, 2336462209024),
        ],
    )
    def test_artifact(self, design, model, length, bytes_moved) -> None:
        assert traffic(design, model, length) == bytes_moved

    def test_one_pass_moves_inputs_and_outputs_once_where_they_fit(self) -> None:
        words = 4 * BERT.batch * BERT.heads * 1024 * 64
        assert traffic("FuseMax", BERT, 1024) == 2 * words

    def test_flat_says_nothing_where_it_does_not_spill(self) -> None:
        with pytest.raises(ValueError, match="length must be 131072 or more .* got 65536"):
            traffic("FLAT", BERT, 65536)

    @settings(max_examples=30, deadline=None)
    @given(SHAPES, TOKENS)
    def test_never_below_the_inputs_and_outputs(self, model, length) -> None:
        least = 2 * 4 * model.batch * model.heads * length * model.head_width
        for design in ("unfused", "+cascade", "FuseMax"):
            assert traffic(design, model, length) >= least

    def test_spill_begins_beyond_a_full_buffer(self) -> None:
        assert [spills(length) for length in LENGTHS] == [False] * 4 + [True] * 2
        assert spills(65536, FUSEMAX_CHIP)


class TestLinearLatency:
    def test_bound_by_arithmetic_or_by_memory(self) -> None:
        tokens, chip = 64 * 1024, FUSEMAX_CHIP
        peak = chip.side**2 * chip.clock
        assert linear_latency(BERT, 1024) == pytest.approx(
            tokens * (4 * 768**2 + 2 * 768 * 3072) / peak
        )
        assert linear_latency(T5, 4096) == pytest.approx(0.013928933876329787, rel=1e-12)
        assert linear_latency(T5, 1024) > tokens * (4 * 512**2 + 2 * 512 * 2048) / peak

    @pytest.mark.parametrize("model", MODELS, ids=lambda m: m.name)
    def test_faster_memory_never_hurts(self, model) -> None:
        assert linear_latency(model, 1024, Chip(bandwidth=1e15)) <= linear_latency(model, 1024)


class TestTiles:
    def test_length_that_fills_no_tiles(self) -> None:
        for call in (
            lambda: latency("FLAT", BERT, 1000),
            lambda: traffic("FuseMax", BERT, 1000),
            lambda: linear_latency(BERT, 1000),
        ):
            with pytest.raises(ValueError, match="length must be a multiple of 256, got 1000"):
                call()


# Three algorithms, one result, and as many passes as their cascades say.

ALGORITHMS = [
    (three_pass, cascades.THREE_PASS, "m"),
    (two_pass, cascades.TWO_PASS, "m1 m0"),
    (one_pass, cascades.ONE_PASS, "m1 m0"),
]
each = pytest.mark.parametrize(("algorithm", "einsums", "rank"), ALGORITHMS)


def arrays(seed: int, spread: float = 1.0, rows: int = 24):
    rng = np.random.default_rng(seed)
    return rng.normal(0, spread, (5, 4)), rng.normal(size=(rows, 4)), rng.normal(size=(rows, 3))


@each
class TestAttention:
    @settings(max_examples=15, deadline=None)
    @given(st.integers(0, 10**6), st.integers(1, 30), st.floats(0.01, 300))
    def test_is_softmax_attention(self, algorithm, einsums, rank, seed, tile, spread) -> None:
        queries, keys, values = arrays(seed, spread)
        output = algorithm(queries, TiledRows(keys, tile), TiledRows(values, tile))
        assert output == pytest.approx(reference(queries, keys, values), rel=1e-9, abs=1e-12)

    def test_reads_the_keys_as_often_as_its_cascade_says(self, algorithm, einsums, rank) -> None:
        queries, keys, values = arrays(1)
        streams = TiledRows(keys, 7), TiledRows(values, 7)
        algorithm(queries, *streams)
        assert streams[0].passes == cascades.passes(einsums, rank)
        assert streams[1].passes == 1

    def test_large_scores_do_not_overflow(self, algorithm, einsums, rank) -> None:
        queries, keys, values = arrays(2, spread=1e4)
        output = algorithm(queries, TiledRows(keys, 4), TiledRows(values, 4))
        assert np.isfinite(output).all()

    def test_equal_scores_give_the_mean(self, algorithm, einsums, rank) -> None:
        _, keys, values = arrays(3)
        output = algorithm(np.zeros((2, 4)), TiledRows(keys, 5), TiledRows(values, 5))
        assert output == pytest.approx(np.tile(values.mean(axis=0), (2, 1)))

    def test_shapes_that_do_not_fit(self, algorithm, einsums, rank) -> None:
        queries, keys, values = arrays(4)
        with pytest.raises(ValueError, match=r"queries must have 4 columns, got shape \(5, 3\)"):
            algorithm(queries[:, :3], TiledRows(keys, 4), TiledRows(values, 4))
        with pytest.raises(ValueError, match="values must have 24 rows, got 23"):
            algorithm(queries, TiledRows(keys, 4), TiledRows(values[:-1], 4))


class TestTiledRows:
    def test_counts_tiles_read(self) -> None:
        stream = TiledRows(np.ones((10, 2)), 4)
        iterator = iter(stream)
        assert len(next(iterator)) == 4
        assert stream.passes == 0.4
        assert [len(tile) for tile in iterator] == [4, 2]
        assert stream.passes == 1

    def test_vectors_are_no_rows(self) -> None:
        with pytest.raises(ValueError, match=r"rows must be a matrix with elements, got \(3,\)"):
            TiledRows(np.ones(3), 1)


# Means over the 24 rows, and what they hide.


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
