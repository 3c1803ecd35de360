"""Latency and traffic of five designs: rows of the authors' artifact, hand values and limits."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.labs.roofline.fusemax.inputs import (
    BERT,
    FUSEMAX_CHIP,
    LENGTHS,
    MODELS,
    T5,
    XLM,
    Chip,
    Transformer,
)
from perfmodel.labs.roofline.fusemax.latency import (
    DESIGNS,
    fusemax_latency,
    latency,
    linear_latency,
    slots,
    spills,
    traffic,
    utilization,
)

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


class TestBadInput:
    def test_length_that_fills_no_tiles(self) -> None:
        for call in (
            lambda: latency("FLAT", BERT, 1000),
            lambda: traffic("FuseMax", BERT, 1000),
            lambda: linear_latency(BERT, 1000),
        ):
            with pytest.raises(ValueError, match="length must be a multiple of 256, got 1000"):
                call()

    def test_unknown_design(self) -> None:
        for call in (latency, utilization, traffic):
            with pytest.raises(ValueError, match="design must be one of .*, got 'fast'"):
                call("fast", BERT, 1024)

    def test_empty_shapes(self) -> None:
        with pytest.raises(ValueError, match="heads must be a whole number, 1 or more, got 0"):
            Transformer("none", 64, 64, 0, 64)
        with pytest.raises(ValueError, match=r"clock must be above 0, got -1\.0"):
            Chip(clock=-1.0)
