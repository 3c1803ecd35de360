"""Laws of three batches, prices and caps: the values that the page states, and second ways."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.labs.roofline.energy_per_token.caps import (
    bert,
    busy,
    cap_errors,
    cap_model,
    effect,
    fleet_power,
)
from perfmodel.labs.roofline.energy_per_token.guesses import (
    cap_costs,
    eight_bits_cost,
    falls,
    further_guesses,
    guesses,
    over_cap,
)
from perfmodel.labs.roofline.energy_per_token.inputs import CAPPED, CARDS, caps, runs
from perfmodel.labs.roofline.energy_per_token.sweeps import (
    cheapest,
    energy_models,
    fit_energy_model,
    measured,
    price_errors,
    prices,
    rates,
    shared_step,
    sweep,
    task_errors,
    transferred,
)


def test_energy_is_power_over_throughput_so_that_it_tests_nothing():
    worst = max(abs(run.power / run.rate / run.energy - 1) for run in runs())
    assert worst < 1e-3


def test_three_batches_predict_the_rest_on_one_card():
    found = [round(100 * one.error, 1) for one in energy_models("H100")]
    assert found == [3.0, 2.6, 1.4, 0.9, 1.3, 3.0, 2.5, 1.2]


def test_and_fail_on_the_other():
    errors = [one.error for one in energy_models("B200")]
    assert max(errors) > 0.5
    assert np.median(errors) > 0.1


def test_price_of_a_byte_of_weights():
    found = [1e12 * one.byte for one in energy_models("H100")]
    assert found == pytest.approx([192, 183, 189, 167, 194, 174, 194, 195], abs=0.6)
    assert [1e12 * one.byte for one in energy_models("B200")] == pytest.approx(
        [162, 156, 185, 163, 166, 172, 186, 189], abs=0.6
    )


def test_price_of_an_operation_falls_with_size():
    by_name = {one.model: 1e12 * one.operation for one in energy_models("H100")}
    assert by_name["Llama-3.1-8B-Instruct"] == pytest.approx(4.26, abs=0.01)
    assert by_name["Qwen3-14B"] == pytest.approx(3.04, abs=0.01)
    assert by_name["Llama-3.1-70B-Instruct"] == pytest.approx(2.50, abs=0.01)


def test_three_values_by_hand():
    """Cramer's rule with weights: 3.09 J and 0.0685 J."""
    fit = fit_energy_model(sweep("Llama-3.1-8B-Instruct", "H100"))
    b, y = np.array([7.98, 15.95, 31.91]), np.array([0.45477, 0.26265, 0.16512])
    w = 1 / y**2
    s = [(w / b**2).sum(), (w / b).sum(), w.sum(), (w * y / b).sum(), (w * y).sum()]
    step = (s[3] * s[2] - s[4] * s[1]) / (s[0] * s[2] - s[1] ** 2)
    assert fit.step == pytest.approx(step, rel=2e-3)


@pytest.mark.parametrize(
    ("card", "mean", "worst"), [("H100", 0.112, 0.281), ("B200", 0.190, 0.456)]
)
def test_constants_of_small_models_on_large_ones(card, mean, worst):
    assert transferred(card) == pytest.approx((mean, worst), abs=1e-3)


def test_rates_along_a_sweep():
    first, late = (rates(sweep("Llama-3.1-8B-Instruct", "H100")[i]) for i in (0, -2))
    assert first[:2] == pytest.approx((2.19e12, 21.6e12), rel=3e-3)
    assert late[:2] == pytest.approx((0.692e12, 197e12), rel=3e-3)


def test_the_price_of_a_byte_is_0_because_nothing_determines_it():
    hopper, blackwell = prices("H100"), prices("B200")
    assert hopper.byte == 0
    assert hopper.constant == pytest.approx(424, abs=1)
    assert 1e12 * hopper.operation == pytest.approx(1.29, abs=0.01)
    assert [1e12 * end for end in hopper.byte_range] == pytest.approx([0, 47], abs=0.5)
    assert [1e12 * end for end in blackwell.byte_range] == pytest.approx([71, 123], abs=0.5)
    by_price, by_constant = np.mean(list(price_errors("H100").values()), axis=0)
    assert by_price > by_constant


def test_least_energy_within_a_latency():
    for model, card, expected in [
        ("Llama-3.1-70B-Instruct", "H100", [2.091, 0.479, 0.421]),
        ("Llama-3.1-70B-Instruct", "B200", [1.092, 0.361, 0.271]),
        ("Llama-3.1-8B-Instruct", "H100", [0.0951, 0.0702, 0.0702]),
        ("Llama-3.1-8B-Instruct", "B200", [0.1103, 0.0705, 0.0549]),
    ]:
        found = [cheapest(model, card, limit) for limit in (0.02, 0.05, 0.1)]
        assert found == pytest.approx(expected, rel=2e-3)


def test_caps_of_bert():
    found = [round(run.energy / 1e3) for run in bert("V100", 128)]
    assert found == [773, 730, 724, 783, 840, 868, 919]
    assert [round(run.seconds) for run in bert("A40", 256)] == [8496, 3566, 2254, 2012, 1962]
    assert cap_costs() == pytest.approx(1.64, abs=5e-3)


@pytest.mark.parametrize(
    ("card", "mild", "deep"),
    [
        ("V100", (17.9, 7.9), (25.6, 23.2)),
        ("A40", (18.9, 7.1), (8.9, 47.3)),
        ("RTX6000", (21.1, 8.7), (26.1, 27.7)),
        ("P100", (9.2, 1.7), (22.5, 11.4)),
    ],
)
def test_effects_of_caps(card, mild, deep):
    for fraction, expected in ((0.7, mild), (0.5, deep)):
        assert [100 * part for part in effect(card, fraction)] == pytest.approx(expected, abs=0.06)


@pytest.mark.parametrize("card", CAPPED)
def test_the_law_of_two_caps(card):
    found = cap_errors(card)
    assert found.median <= found.mean + 1e-9
    expected = {"V100": 1.1, "A40": 8.3, "P100": 4.8, "RTX6000": 2.2}[card]
    assert 100 * found.median == pytest.approx(expected, abs=0.06)
    assert all(len(group) == len({run.cap for run in group}) for group in busy(card))


@given(st.floats(0, 100), st.floats(0.1, 1e4), st.floats(0, 50))
def test_law_through_two_points_is_found_again(memory, compute, static):
    power = np.array([90.0, 250.0])
    times = memory + compute * (power - static) ** (-1 / 3)
    fit = cap_model(power, times, static)
    assert float(fit.time(150.0)) == pytest.approx(memory + compute * (150 - static) ** (-1 / 3))


def test_counts_and_a_fleet():
    assert (len(runs()), [len(caps(card)) for card in CAPPED]) == (838, [476, 453, 270, 410])
    assert [round(watts) for watts in fleet_power("kalos")] == [101, 192]
    assert [round(watts) for watts in fleet_power("seren")] == [96, 168]


def test_guesses_are_measured():
    assert [eight_bits_cost(limit) for limit in (8, 64)] == pytest.approx([1.56, 0.88], abs=0.01)
    down, of = falls()
    assert 0.02 < down / of < 0.06
    text = " ".join(row[2] for row in guesses())
    for said in ("56 % more", "64 % more", "0.72 J against 0.43 J", "691 running", "101 W"):
        assert said in text


def test_further_guesses_are_measured():
    text = " ".join(row[2] for row in further_guesses())
    for said in ("33 % more energy", "16 % less time", "1.9 times", "up to 28 %", "27 of 453"):
        assert said in text
    assert over_cap("V100")[0] < over_cap("A40")[0]


def test_the_law_is_one_of_chat_and_of_one_card():
    old, new = task_errors("H100"), task_errors("B200")
    assert set(old) == set(new)
    assert max(old["lm-arena-chat"], old["video-chat"]) < 0.06
    assert min(old["gpqa"], old["sourcegraph-fim"], new["lm-arena-chat"]) > 0.25


@pytest.mark.parametrize("batch", [1, 2, 8, 9, 64, 512])
def test_every_state_can_be_read(batch):
    scene = shared_step(3.09, 0.0685, batch)
    assert scene.faults() == []
    assert scene.values["a token (J)"] == pytest.approx(3.09 / batch + 0.0685)


def test_what_was_not_measured_is_named():
    with pytest.raises(ValueError, match="sweep_ must have batches of"):
        fit_energy_model(sweep("Qwen3-8B", "H100")[3:])
    with pytest.raises(ValueError, match="latency must be met by a run"):
        cheapest("Qwen3-8B", "H100", 1e-4)
    with pytest.raises(ValueError, match="no run has"):
        measured("Qwen3-8B", "H100", 7, 1)
    with pytest.raises(ValueError, match="no runs of BERT have batch 7 on V100"):
        bert("V100", 7)
    with pytest.raises(ValueError, match="two different points"):
        cap_model([100, 100], [1, 2], 20)


def test_both_cards_have_all_models():
    assert [len(energy_models(card)) for card in CARDS] == [8, 8]
