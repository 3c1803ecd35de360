"""Six numbers of a card and engine: found again where data determine them, said where not."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.roofline import LLAMA_2_70B
from perfmodel.roofline.blocks import Attention, Block, FeedForward
from perfmodel.roofline.transformer import Decoder
from perfmodel.serving.calibration import shipped
from perfmodel.serving.calibration.token_time import (
    StepTerms,
    TokenTime,
    cross_validated,
    fit_token_time,
    prompt_operations,
    step_terms,
)

TRUE = TokenTime((1.25, 6e-5, 1.2e-5, 2.0, 30.0, 0.0))


def runs(tensors=(1, 2, 4, 8), batches=(1, 4, 16, 64), prompts=(128, 4096)) -> StepTerms:
    """Return the terms of a grid of runs of Llama 2 70B."""
    each = [
        step_terms(
            LLAMA_2_70B,
            weight_bytes=2.0 * LLAMA_2_70B.streamed_parameters,
            bandwidth=3.35e12,
            peak=989e12,
            concurrency=b,
            prompt=n,
            output=512,
            tensor=p,
        )
        for p in tensors
        for b in batches
        for n in prompts
    ]
    return StepTerms(*(np.array(column) for column in zip(*each, strict=True)))


def test_terms_by_hand():
    """Four devices, 16 sequences of 1,000 and on average 250 tokens more."""
    terms = step_terms(
        LLAMA_2_70B, weight_bytes=140e9, bandwidth=2e12, peak=1e15, concurrency=16, prompt=1000,
        output=500, tensor=4,
    )  # fmt: skip
    cache = 16 * 1250 * 2 * 80 * 8 * 128 * 2 / 4
    assert terms.bandwidth == pytest.approx((140e9 / 4 + cache) / 2e12)
    assert (terms.layer, terms.collective) == (80, 160)
    layers = LLAMA_2_70B.layer_parameters
    reading = 2 * layers + 500 * 4 * 80 * 8192
    assert prompt_operations(LLAMA_2_70B, 1000) == pytest.approx(1000 * reading)
    writing = 2 * (layers + 32_000 * 8192) + 1250 * 4 * 80 * 8192
    assert terms.arithmetic == pytest.approx(16 * (2 * reading + writing) / 4 / 1e15)
    assert terms.activation == pytest.approx(16 * 3 * 80 * 8192 * 2 / 2e12)
    assert terms.expert == 0
    alone = step_terms(
        LLAMA_2_70B, weight_bytes=140e9, bandwidth=2e12, peak=1e15, concurrency=1, prompt=1,
        output=1,
    )  # fmt: skip
    assert alone.collective == 0


def test_experts_are_those_that_the_tokens_of_a_step_choose():
    """Two layers of eight experts, two for each token, after a dense one: 2 * 8 (1 - 0.75^4)."""
    attention = Attention(8, 8, 64)
    dense, mixture = FeedForward(1024), FeedForward(1024, experts=8, active=2)
    blocks = (Block(attention, dense), *(Block(attention, mixture),) * 2)
    shape = Decoder(hidden_size=512, vocab_size=1000, blocks=blocks)
    terms = step_terms(
        shape, weight_bytes=1e6, bandwidth=2e12, peak=1e15, concurrency=[1, 4], prompt=10,
        output=10, tensor=2,
    )  # fmt: skip
    assert terms.expert == pytest.approx([4, 16 * (1 - 0.75**4)])


def test_a_window_bounds_what_a_token_attends_to():
    """By summing over the positions of a prompt of 3,000 tokens, and of 1,000 written after it."""
    attention = Attention(8, 8, 64, sliding_window=1024)
    shape = Decoder(
        hidden_size=512, vocab_size=1000, blocks=(Block(attention, FeedForward(1024)),) * 2
    )
    seen = np.minimum(np.arange(3000) + 0.5, 1024)
    each = 2 * attention.pair_operations
    expected = 3000 * 2 * shape.layer_parameters + each * seen.sum()
    assert prompt_operations(shape, 3000) == pytest.approx(expected, rel=1e-6)
    terms = step_terms(
        shape, weight_bytes=1e6, bandwidth=2e12, peak=1e15, concurrency=7, prompt=3000, output=1000,
    )  # fmt: skip
    writing = shape.operations_per_token + each * 1024
    assert terms.arithmetic == pytest.approx(7 * (writing + expected / 1000) / 1e15, rel=1e-6)


def test_the_numbers_are_found_again():
    terms = runs()
    found = fit_token_time(terms, TRUE.seconds(terms))
    assert found.coefficients == pytest.approx(TRUE.coefficients, rel=1e-4)
    assert found.determined == (True,) * 5 + (False,)
    assert found.bandwidth_utilization == pytest.approx(0.8)
    assert found.arithmetic_utilization == pytest.approx(0.5)
    assert sum(found.parts(terms).values()) == pytest.approx(found.seconds(terms))


def test_an_outlier_does_not_move_the_others():
    terms = runs()
    seconds = TRUE.seconds(terms).copy()
    seconds[3] *= 5
    found = fit_token_time(terms, seconds)
    others = np.delete(np.abs(found.seconds(terms) / seconds - 1), 3)
    assert others.max() < 0.01


def test_what_the_runs_do_not_determine_is_said():
    """All on one device: nothing about collectives, and weights and layers cost one constant."""
    one = runs(tensors=(1,))
    assert fit_token_time(one, TRUE.seconds(one)).determined[:3] == (False, False, False)
    load = runs(batches=(16,), prompts=(128,), tensors=(1, 2, 3, 4, 5, 6, 7, 8))
    determined = fit_token_time(load, TRUE.seconds(load)).determined
    assert (determined[1], determined[4]) == (False, False)


def test_rounding_does_not_decide_what_the_runs_leave_open():
    """All on several devices: a layer and its two collectives cost one constant, here halved."""
    rng = np.random.default_rng(2)
    several = runs(tensors=(2, 4, 8))
    seconds = TRUE.seconds(several) * rng.uniform(0.8, 1.25, len(several.layer))
    for _ in range(20):
        order = rng.permutation(len(seconds))
        rounded = StepTerms(*(x[order] * (1 + rng.uniform(-1, 1, x.size) / 1e13) for x in several))
        _, layer, collective, *_ = fit_token_time(rounded, seconds[order]).coefficients
        assert layer == pytest.approx(2 * collective, rel=1e-3)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.floats(1e-4, 1.0), min_size=32, max_size=32))
def test_no_fit_is_faster_than_the_peaks(seconds):
    terms = runs()
    found = fit_token_time(terms, seconds)
    assert 0 < found.bandwidth_utilization <= 1 + 1e-9
    assert 0 < found.arithmetic_utilization <= 1 + 1e-9
    assert (found.seconds(terms) >= terms.bandwidth * (1 - 1e-9)).all()


def test_held_out_groups_are_computed_from_the_others():
    terms = runs()
    groups = ["a", "a", "b", "b"] * 8
    seconds = TRUE.seconds(terms)
    assert cross_validated(terms, seconds, groups) == pytest.approx(seconds, rel=1e-4)
    slow = np.array(groups) == "a"
    odd = np.where(slow, 2 * seconds, seconds)
    computed = cross_validated(terms, odd, groups)
    assert (computed[slow] < odd[slow]).all()
    assert (computed[~slow] > odd[~slow]).all()
    assert np.isnan(cross_validated(terms, seconds, ["a"] * 32)).all()


def test_shipped_calibrations_are_those_of_the_points():
    """One card and engine is fitted again; all are in range and say how far they were off."""
    points = shipped.points()
    assert len(points.card) == len(points.time_per_token) == 2465
    mask = [
        key == ("h100-sxm5-80gb", "vllm", shipped.DENSE)
        for key in zip(points.card, points.engine, points.kind, strict=True)
    ]
    part = points.only(mask)
    again = fit_token_time(part.terms, part.time_per_token)
    known, source = shipped.calibration("h100-sxm5-80gb", "vllm")
    assert again.seconds(part.terms) == pytest.approx(known.seconds(part.terms), rel=0.02)
    assert "135 points of dense models on h100-sxm5-80gb with vllm" in source
    for one in shipped.calibrations().values():
        assert one.points >= 12
        assert one.held_out_quantiles is not None
        assert one.held_out_quantiles[0] < 1 < one.held_out_quantiles[1]
        assert one.validation_error is not None


def test_a_model_is_left_out_with_its_twins():
    """The error of a card and engine is of models that stand under no other name in the fit."""
    points = shipped.points()
    names = dict(zip(points.model, points.architecture, strict=True))
    assert names["deepseek-ai/DeepSeek-R1 fp4"] == names["deepseek-ai/DeepSeek-V3 fp8"]
    assert names["meta-llama/Llama-3.1-70B fp4"] == names["meta-llama/Llama-3.1-70B fp8"]
    mask = [
        key == ("b200-sxm-180gb", "sglang", shipped.MIXTURE)
        for key in zip(points.card, points.engine, points.kind, strict=True)
    ]
    part = points.only(mask)
    computed = cross_validated(part.terms, part.time_per_token, part.architecture)
    error = np.median(np.abs(computed / part.time_per_token - 1))
    known = shipped.calibration("b200-sxm-180gb", "sglang", kind=shipped.MIXTURE)[0]
    assert known.validation_error == pytest.approx(error, rel=0.01)
    with_twins = cross_validated(part.terms, part.time_per_token, part.model)
    assert np.median(np.abs(with_twins / part.time_per_token - 1)) < 0.6 * error


def test_an_error_of_another_fit_has_no_direction():
    """SGLang on an H100 ran one dense model: what fits elsewhere erred by holds up and down."""
    runs = shipped.points()
    ratios = shipped.held_out_ratios(
        runs, ("card", "engine", "kind"), lambda some: some.architecture, ("engine", "kind")
    )
    asked = ("h100-sxm5-80gb", "sglang", shipped.DENSE)
    keys = zip(runs.card, runs.engine, runs.kind, strict=True)
    of_card = ratios[[key == asked for key in keys]]
    assert of_card.max() < 1
    low, high = shipped.calibrations()[asked].held_out_quantiles
    assert low * high == pytest.approx(1, abs=0.01)
    assert np.mean((low <= of_card) & (of_card <= high)) == pytest.approx(0.8, abs=0.02)


def test_own_runs_bring_the_error_down():
    shown, again = shipped.own_runs(), shipped.own_runs_of(shipped.points())
    assert [one.runs for one in shown] == [0, 1, 2, 3, 6]
    for mine, theirs in zip(shown, again, strict=True):
        assert mine.error == pytest.approx(theirs.error, rel=0.01)
        assert mine.quantiles == pytest.approx(theirs.quantiles, rel=0.01)
    errors = [one.error for one in again]
    assert errors == sorted(errors, reverse=True)


def test_a_kind_without_points_on_a_card_takes_those_of_other_cards():
    """No dense model was run on a B300: its numbers come from other cards, never from mixtures."""
    assert "dense models on all cards with vllm" in shipped.calibration("b300-sxm", "vllm")[1]
    mixture = shipped.calibration("b300-sxm", "vllm", kind=shipped.MIXTURE)[1]
    assert "mixtures of experts on b300-sxm with vllm" in mixture


def test_unknown_cards_take_those_of_all():
    assert "all cards with vllm" in shipped.calibration("l40s", "vllm")[1]
    assert "all cards with all engines" in shipped.calibration("l40s")[1]


def test_one_model_of_a_card_and_engine():
    found, source = shipped.calibration("h100-sxm5-80gb", "vllm", "meta-llama/Llama-3.1-70B fp8")
    assert found.points == 45
    assert (
        found.validation_error < shipped.calibration("h100-sxm5-80gb", "vllm")[0].validation_error
    )
    assert "Llama-3.1-70B" in source
    with pytest.raises(ValueError, match="model must be one of h100-sxm5-80gb with vllm: MiniMax"):
        shipped.calibration("h100-sxm5-80gb", "vllm", "unheard-of")


def test_refuses():
    terms = runs()
    with pytest.raises(ValueError, match="7 runs or more"):
        fit_token_time(runs((1,), (1, 2), (8, 9)), [1.0] * 4)
    with pytest.raises(ValueError, match="seconds must be above 0"):
        fit_token_time(terms, np.zeros(32))
    with pytest.raises(ValueError, match="one value for each of 32 runs"):
        fit_token_time(terms, [1.0])
    with pytest.raises(ValueError, match="bandwidth must be 1 or more"):
        TokenTime((0.5, 0, 0, 1, 0, 0))
    with pytest.raises(ValueError, match="coefficients must have one number for each of bandwidth"):
        TokenTime((1.5, 0, 0, 0, 1))
    with pytest.raises(ValueError, match="concurrency must be above 0"):
        step_terms(LLAMA_2_70B, weight_bytes=1, bandwidth=1, peak=1, concurrency=0, prompt=1,
                   output=1)  # fmt: skip
