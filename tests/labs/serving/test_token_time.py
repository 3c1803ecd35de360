"""Held-out errors of the five numbers, and what the page says of them."""

from __future__ import annotations

import numpy as np
import pytest

from perfmodel.labs.serving.token_time import claims, holdouts
from perfmodel.labs.serving.token_time.sweeps import sweeps
from perfmodel.serving.calibration.shipped import own_runs, points
from perfmodel.serving.calibration.token_time import StepTerms, fit_token_time


def test_the_less_is_known_the_larger_the_error():
    errors = [holdouts.held_out(name).error for name in holdouts.LEFT_OUT]
    assert errors == sorted(errors)
    assert np.round(errors, 2) == pytest.approx([0.07, 0.12, 0.16, 0.18, 0.19], abs=0.006)


def test_a_model_is_computed_without_its_own_runs():
    """One card and engine, by a fit of everything but DeepSeek's shape."""
    runs, left = points(), holdouts.held_out(holdouts.TWINS)
    key = ("b200-sxm-180gb", "trtllm")
    here = [i for i, k in enumerate(zip(runs.card, runs.engine, strict=True)) if k == key]
    train = np.array([i for i in here if "DeepSeek" not in runs.model[i]])
    fit = fit_token_time(StepTerms(*(t[train] for t in runs.terms)), runs.time_per_token[train])
    test = np.array([i for i in here if "DeepSeek" in runs.model[i]])
    computed = fit.seconds(StepTerms(*(t[test] for t in runs.terms)))
    ratio = dict(zip(left.runs.tolist(), left.ratio, strict=True))
    assert [ratio[i] for i in test.tolist()] == pytest.approx(
        runs.time_per_token[test] / computed, rel=1e-6
    )


def test_repeats_agree_or_differ_widely():
    same = holdouts.repeats()
    assert same.settings == 401
    assert same.median < 0.005
    assert 0.3 < same.high < 0.45


def test_no_reading_predicts_the_first_token():
    alone, every = (
        holdouts.first_token_ratios()[name] for name in ("its own prompt", "all prompts")
    )
    assert np.median(alone) == pytest.approx(43, abs=1)
    low, high = np.quantile(every, [0.1, 0.9])
    assert high / low > 40
    batch = points().terms.sequence / points().terms.layer
    assert alone / every == pytest.approx(batch)


def test_sweeps_hold_one_server_each_and_rise_in_load():
    for name, one in sweeps().items():
        assert name == one.name
        assert (np.diff(one.batch) > 0).all()
        assert len({points().setting[i] for i in one.runs}) == 1
    odd = sweeps()["gpt-oss-120b (fp4), 2 x H100, vllm"]
    assert odd.measured[list(odd.batch).index(512)] < odd.measured[list(odd.batch).index(8)]


def test_parts_add_up_to_the_fit_of_all_runs():
    one = sweeps()["Llama-3.1-70B (fp8), 2 x H100, vllm"]
    total = sum(one.parts.values())
    assert np.abs(total / one.measured - 1).max() < 0.25
    assert (one.parts["bandwidth"] < one.measured).all()


def test_a_run_under_two_names_is_one_row():
    measured = [claim.printed for claim in claims.SHEET.claims if "B200, sglang" in claim.quantity]
    assert len(measured) == len(set(measured))


def test_the_page_says_what_the_runs_show():
    """Median errors of 7 and 18 %; the first own run lowers it most; eleven names, nine shapes."""
    same, new = (next(iter(holdouts.LEFT_OUT)), holdouts.TWINS)
    errors = [holdouts.held_out(same).error, *(one.error for one in own_runs())]
    assert [round(100 * error) for error in errors[:3]] == [7, 18, 14]
    assert errors[1] == pytest.approx(holdouts.held_out(new).error, rel=0.01)
    gains = -np.diff(errors[1:]) / np.diff([one.runs for one in own_runs()])
    assert gains.argmax() == 0
    names = {model.split()[0] for model in points().model}
    assert (len(names), len(set(points().architecture))) == (11, 9)


def test_llama_is_the_only_dense_model_of_its_card_and_engine():
    """The figure's line that is far too high, and its largest miss at 64 requests."""
    runs = points()
    here = {
        model.split()[0].split("/")[-1]
        for card, engine, model in zip(runs.card, runs.engine, runs.model, strict=True)
        if (card, engine) == ("h200-sxm-141gb", "trtllm")
    }
    assert here == {"DeepSeek-R1", "DeepSeek-V3", "Llama-3.1-70B", "gpt-oss-120b"}
    one = sweeps()["Llama-3.1-70B (fp8), H200, trtllm"]
    assert (one.computed > 1.2 * one.measured).all()
