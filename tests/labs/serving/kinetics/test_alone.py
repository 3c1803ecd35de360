"""Runs of one sequence: the form against sums over steps, its fit, and what is held out."""

import numpy as np
import pytest
from scipy.optimize import least_squares

from perfmodel.labs.serving.kinetics.alone import (
    BYTES_ONLY,
    FORMS,
    ONE_RATE,
    TWO_RATES,
    Constants,
    errors,
    fitted,
    predicted,
)
from perfmodel.labs.serving.kinetics.inputs import MODELS, PROMPTS, SPEEDS, WRITTEN, model, runs

ROUND = Constants(layer=5e-5, weights=1e12, cache=2e12, prompt=1e14)


@pytest.mark.parametrize("name", ["0.6B", "14B"])
@pytest.mark.parametrize("prompt", [1, 5000])
def test_seconds_are_the_sum_of_steps_and_of_the_prompts_tokens(name, prompt):
    one = model(name)
    steps = np.arange(WRITTEN) + 0.5
    reading = 2 * one.parameters / 1e12 + 2 * one.kv_numbers * (prompt + steps) / 2e12
    writing = np.sum(5e-5 * one.layers + reading)
    seen = np.arange(prompt) + 0.5
    first = np.sum(2 * one.parameters + 2 * one.group * one.kv_numbers * seen) / 1e14
    assert ROUND.seconds(one, prompt)[0] == pytest.approx(writing + first, rel=1e-9)
    assert ROUND.speed(one, prompt)[0] == pytest.approx((prompt + WRITTEN) / (writing + first))


def test_at_the_even_context_the_cache_takes_as_long_as_the_rest():
    one = model("8B")
    rest = 5e-5 * one.layers + 2 * one.parameters / 1e12
    assert 2 * one.kv_numbers * ROUND.even_context(one) / 2e12 == pytest.approx(rest)


def test_fit_is_that_of_another_solver():
    measured = runs()

    def off(logs):
        layer, rate, prompt = np.exp(logs)
        tried = Constants(layer, rate, rate, prompt)
        pairs = zip(measured.name, measured.prompt, strict=True)
        ours = [tried.seconds(model(name), tokens)[0] for name, tokens in pairs]
        return np.array(ours) / measured.seconds - 1

    found = np.exp(least_squares(off, np.log([1e-4, 1e12, 2e14])).x)
    ours = fitted(ONE_RATE)
    assert found == pytest.approx([ours.layer, ours.weights, ours.prompt], rel=1e-3)
    assert ours.weights == ours.cache


def test_runs_made_of_known_constants_give_them_back(monkeypatch):
    from perfmodel.labs.serving.kinetics import alone

    real = runs()
    pairs = zip(real.name, real.prompt, strict=True)
    made = np.array([ROUND.seconds(model(name), tokens)[0] for name, tokens in pairs])
    monkeypatch.setattr(alone, "runs", lambda: real._replace(seconds=made))
    alone.fitted.cache_clear()
    try:
        assert alone.fitted(TWO_RATES) == pytest.approx(ROUND, rel=1e-6)
        assert alone.fitted(TWO_RATES, "8B") == pytest.approx(ROUND, rel=1e-6)
        assert abs(alone.errors(TWO_RATES)).max() < 1e-6
    finally:
        alone.fitted.cache_clear()


def test_a_held_out_model_tells_nothing(monkeypatch):
    from perfmodel.labs.serving.kinetics import alone

    before = fitted(ONE_RATE, "14B")
    real = runs()
    slow = np.where(np.array(real.name) == "14B", 10.0, 1.0) * real.seconds
    monkeypatch.setattr(alone, "runs", lambda: real._replace(seconds=slow))
    alone.fitted.cache_clear()
    try:
        assert alone.fitted(ONE_RATE, "14B") == pytest.approx(before)
        assert alone.fitted(ONE_RATE, "8B") != pytest.approx(before)
    finally:
        alone.fitted.cache_clear()


def test_errors_are_those_of_the_printed_speeds():
    printed = [speed for speeds in SPEEDS.values() for speed in speeds]
    ours = [
        predicted(ONE_RATE, name, prompt)
        for name, speeds in SPEEDS.items()
        for prompt, _ in zip(PROMPTS, speeds, strict=False)
    ]
    assert errors(ONE_RATE) == pytest.approx(np.array(ours) / printed - 1)


def test_more_constants_fit_better_where_they_are_fitted():
    """By squares of the seconds' relative errors, which is what is minimised."""
    inside = [np.sum((1 / (1 + errors(form, False)) - 1) ** 2) for form in FORMS]
    assert inside[0] > inside[1] > inside[2]
    assert fitted(BYTES_ONLY).layer == 0


def test_list_of_runs():
    measured = runs()
    assert len(measured.name) == sum(map(len, SPEEDS.values())) == 31
    assert set(measured.name) == {m.name for m in MODELS}
    assert measured.seconds[0] == pytest.approx(2049 / 414.17)


def test_refuses():
    with pytest.raises(ValueError, match="form must be one of"):
        fitted("no such form")
    with pytest.raises(ValueError, match="prompt must be 0 or more"):
        ROUND.seconds(model("8B"), -1)
