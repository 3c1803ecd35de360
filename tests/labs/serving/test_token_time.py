"""Held-out errors of the six numbers, and what the page says of them."""

from __future__ import annotations

import numpy as np
import pytest

from perfmodel.labs.serving.token_time import claims, holdouts, peers
from perfmodel.labs.serving.token_time.sweeps import sweeps
from perfmodel.machines import get
from perfmodel.serving.calibration.shipped import DENSE, MIXTURE, calibration, own_runs, points
from perfmodel.serving.calibration.token_time import StepTerms, fit_token_time


def test_the_less_is_known_the_larger_the_error():
    errors = [holdouts.held_out(name).error for name in holdouts.LEFT_OUT]
    assert errors[:4] == sorted(errors[:4])
    assert np.round(errors, 3) == pytest.approx([0.053, 0.078, 0.137, 0.143, 0.129], abs=0.0015)


def test_a_model_is_computed_without_its_own_runs():
    """One card and engine, by a fit of all mixtures of experts but DeepSeek's shape."""
    runs, left = points(), holdouts.held_out(holdouts.TWINS)
    key = ("b200-sxm-180gb", "trtllm")
    here = [i for i, k in enumerate(zip(runs.card, runs.engine, strict=True)) if k == key]
    others = [i for i in here if "DeepSeek" not in runs.model[i]]
    train = np.array([i for i in others if runs.kind[i] == MIXTURE])
    fit = fit_token_time(StepTerms(*(t[train] for t in runs.terms)), runs.time_per_token[train])
    test = np.array([i for i in here if "DeepSeek" in runs.model[i]])
    computed = fit.seconds(StepTerms(*(t[test] for t in runs.terms)))
    ratio = dict(zip(left.runs.tolist(), left.ratio, strict=True))
    assert [ratio[i] for i in test.tolist()] == pytest.approx(
        runs.time_per_token[test] / computed, rel=1e-6
    )


def test_repeats_differ_since_copies_of_a_run_are_no_repeats():
    same = holdouts.repeats()
    assert same.settings == 296
    assert same.median == pytest.approx(0.052, abs=0.002)
    assert same.high == pytest.approx(0.55, abs=0.01)


def test_no_reading_predicts_the_first_token():
    alone, every = (
        holdouts.first_token_ratios()[name] for name in ("its own prompt", "all prompts")
    )
    assert np.median(alone) == pytest.approx(34, abs=1)
    low, high = np.quantile(every, [0.1, 0.9])
    assert high / low > 30
    assert alone / every == pytest.approx(points().concurrency)


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
    """Median errors of 5 and 14 %; own runs lower it; eleven names, nine shapes."""
    same, new = (next(iter(holdouts.LEFT_OUT)), holdouts.TWINS)
    errors = [holdouts.held_out(same).error, *(one.error for one in own_runs())]
    assert [round(100 * error) for error in errors[:3]] == [5, 14, 12]
    assert round(100 * holdouts.held_out(new).error) == 14
    assert errors[1:] == sorted(errors[1:], reverse=True)
    names = {model.split()[0] for model in points().model}
    assert (len(names), len(set(points().architecture))) == (11, 9)


def test_a_dense_model_is_computed_from_dense_models():
    """Llama has the card and engine to itself among dense models: other cards give its numbers."""
    runs = points()
    here = {
        (model.split()[0].split("/")[-1], kind)
        for card, engine, model, kind in zip(
            runs.card, runs.engine, runs.model, runs.kind, strict=True
        )
        if (card, engine) == ("h200-sxm-141gb", "trtllm")
    }
    mixtures = ("DeepSeek-R1", "DeepSeek-V3", "gpt-oss-120b")
    assert here == {("Llama-3.1-70B", DENSE), *((name, MIXTURE) for name in mixtures)}
    one = sweeps()["Llama-3.1-70B (fp8), H200, trtllm"]
    assert np.abs(one.computed / one.measured - 1).max() == pytest.approx(0.127, abs=0.001)
    other = calibration("h200-sxm-141gb", "trtllm", kind=MIXTURE)[0]
    high = other.seconds(StepTerms(*(term[one.runs] for term in runs.terms))) / one.measured - 1
    assert np.round([high.min(), high.max()], 2) == pytest.approx([0.30, 0.82])


def test_cells_are_computed_from_runs_of_the_card_and_the_memory():
    """A cell by hand: Llama 8B on an H100 with 1,000 tokens in and out."""
    cell = next(one for one in peers.cells() if (one.model, one.prompt) == ("8B", 1000))
    assert cell.name == "Llama 8B, H200, 1000/1000 tokens"
    weights = 8.03e9 + 2 * 128_256 * 4096
    free = 0.9 * get(cell.card).memory_capacity - 3e9 - weights
    running, rate = cell.plan
    assert running == pytest.approx(free / (2000 * 2 * 32 * 8 * 128), abs=2)
    assert 0.5 < rate / cell.measured < 2
    assert len(peers.cells()) == 60


def test_the_page_compares_what_nobody_fitted():
    """Median errors: 9 % on the cells, and the peers' on the same runs."""
    here, theirs = peers.cell_ratios().values()
    assert np.median(np.abs(here - 1)) == pytest.approx(0.092, abs=0.002)
    assert np.median(np.abs(theirs - 1)) == pytest.approx(2.23, abs=0.01)
    left = holdouts.held_out(holdouts.TWINS)
    assert peers.errors_beside(left) == (
        469,
        pytest.approx(
            {"equation (1)": 0.141, "mlsysim": 0.555, "aiconfigurator": 0.152}, abs=0.001
        ),
    )
    assert sum("tokens/s" in one.quantity and not one.miss for one in claims.SHEET.claims) == 32
