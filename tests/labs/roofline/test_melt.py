"""How sure a share of right answers is."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, strategies as st
from statsmodels.stats.proportion import proportions_ztest

from perfmodel.labs.roofline.melt import accuracy, battery, inputs, quantized_files
from perfmodel.labs.roofline.melt.inputs import SIZES
from perfmodel.labs.roofline.melt.power_trace import Session, energy, meter_samples
from perfmodel.roofline.transformer import Decoder
from perfmodel.units import amount


@given(share=st.floats(0.05, 0.95), n=st.integers(2, 200))
def test_standard_error_is_that_of_a_sample_of_zeros_and_ones(share, n):
    right = round(share * n)
    answers = np.r_[np.ones(right), np.zeros(n - right)]
    expected = answers.std(ddof=1) / np.sqrt(n)
    assert float(accuracy.standard_error(right / n, n)) == pytest.approx(expected)


def test_z_agrees_with_statsmodels():
    z, _ = proportions_ztest([511, 499], [1172, 1172])
    assert accuracy.z_score(511 / 1172, 499 / 1172, 1172) == pytest.approx(z, rel=2e-3)


@given(st.integers(10, 100_000))
def test_smallest_difference_is_just_significant(n):
    gap = accuracy.smallest_difference(0.5, n)
    assert gap / (np.sqrt(2) * float(accuracy.standard_error(0.5, n))) == pytest.approx(1.959964)


def test_differences_by_hand():
    """Llama 2 7B at 3 and 4 bits; two tasks."""
    assert float(accuracy.standard_error(0.4360, 1172)) == pytest.approx(0.01449, abs=5e-6)
    assert accuracy.z_score(0.4360, 0.4257, 1172) == pytest.approx(0.50, abs=0.005)
    assert accuracy.smallest_difference(0.4360, 1172) == pytest.approx(0.040, abs=5e-4)
    assert accuracy.smallest_difference(0.57, 10_042) == pytest.approx(0.014, abs=5e-4)


# What a token costs a battery.

MILLIWATT_HOUR = 1e-3 * battery.WATT_HOUR


def test_battery_by_hand():
    stored = inputs.GALAXY_S23.energy
    assert stored / battery.WATT_HOUR == pytest.approx(15.14, abs=0.005)
    assert stored / (0.16 * MILLIWATT_HOUR) == pytest.approx(94_625, abs=0.5)


def test_answers_share_the_charge():
    one = float(battery.prompts_per_charge(inputs.PIXEL_6A, 0.5, 1))
    assert one == inputs.PIXEL_6A.energy / 0.5
    assert float(battery.prompts_per_charge(inputs.PIXEL_6A, 0.5, 150)) == pytest.approx(one / 150)


@pytest.mark.parametrize(("energy", "rate", "watts"), [(0.16, 13.6, 7.83), (0.21, 13.2, 9.98)])
def test_power_by_hand(energy, rate, watts):
    power = float(battery.mean_power(energy * MILLIWATT_HOUR, rate))
    assert power == pytest.approx(watts, abs=0.005)


# The drawn meter: readable, misled in step with the tokens, and right when it is fast.

OFFSETS = (0.1, 0.3, 0.5, 0.7, 0.9)


@pytest.mark.parametrize(("frequency", "offset"), list(product((13.6, 50, 100), OFFSETS)))
def test_every_state_can_be_read(frequency, offset):
    assert meter_samples(frequency, offset).faults() == []


@pytest.mark.parametrize("offset", OFFSETS)
def test_in_step_a_meter_sees_one_level(offset):
    session = Session()
    seen = meter_samples(session.rate, offset).values["mean seen (W)"]
    level = session.plateau + session.spike * (offset < session.duty)
    assert seen == pytest.approx(level)


def test_a_fast_meter_is_right_on_average():
    values = [meter_samples(1000, offset).values for offset in OFFSETS]
    seen = np.mean([value["mean seen (W)"] for value in values])
    assert seen == pytest.approx(values[0]["true mean (W)"], rel=0.02)


# Energy from samples of power.


def test_exact_energy_is_the_integral():
    session = Session(tokens=20)
    edges = session.generating + np.arange(21) / session.rate
    cuts = np.sort([session.started, session.generating, *edges, *(edges + 0.45 / 13.6)])
    pieces = [0.0, *cuts[cuts < session.duration], session.duration]
    middle = (np.array(pieces[1:]) + pieces[:-1]) / 2
    assert session.energy() == pytest.approx(float(np.diff(pieces) @ session.power(middle)))


@given(st.lists(st.floats(0.01, 5), min_size=2, max_size=20), st.integers(0, 99))
def test_trapezoid_is_the_mean_of_the_two_rectangles(steps, seed):
    times = np.cumsum(steps)
    power = np.sort(np.random.default_rng(seed).random(len(steps)))
    middle = energy(times, power, "trapezoid")
    left = float(np.diff(times) @ power[:-1])
    assert middle == pytest.approx((left + energy(times, power)) / 2)


def test_faster_sampling_is_nearer_and_sampling_at_the_tokens_rate_is_not():
    session = Session()
    error = {f: abs(energy(*session.sampled(f)) / session.energy() - 1) for f in (1, 100, 5000)}
    assert error[5000] < 1e-3 < error[1]
    assert error[5000] < error[100]
    in_step, between = (
        energy(*session.sampled(session.rate, session.generating % (1 / session.rate) + shift))
        for shift in (0.1 / session.rate, 0.7 / session.rate)
    )
    truth = session.energy()
    assert in_step > 1.1 * truth
    assert between < 0.9 * truth


def test_times_must_increase_and_match():
    with pytest.raises(ValueError, match="one length, got 2 and 3"):
        energy([0, 1], [1, 2, 3])
    with pytest.raises(ValueError, match="times must increase"):
        energy([0, 0], [1, 2])


# Sizes of quantized files: counted, and fitted to the table.

TINY = Decoder.uniform(8, 256, 512, 8, 8, 1000, head_dim=32)
SHAPES = st.builds(
    lambda layers, heads, groups, feed, words, tied: Decoder.uniform(
        *[layers, 256 * heads, 256 * feed, heads * groups, heads, 256 * words],
        head_dim=256 // groups,
        tied=tied,
    ),
    *[st.integers(1, 40), st.integers(1, 8), st.sampled_from([1, 2, 4])],
    *[st.integers(1, 60), st.integers(1, 200), st.booleans()],
)


def test_file_by_hand():
    """Every weight at 4.5 bits, 256,000 of output words at 6.5625, 17 norms of 256 numbers."""
    weights = 8 * (4 * 256**2 + 3 * 256 * 512) + 2 * 256_000
    expected = (weights * 4.5 + 256_000 * 2.0625) / 8 + 4 * 17 * 256
    assert quantized_files.file_bytes(TINY, "q4_0") == expected


def test_better_layers_by_hand():
    """Of eight layers the first, the last, and of those between the third and sixth."""
    formats = [quantized_files.layer_formats("q4_k", i, 8)["last"] for i in range(8)]
    assert [i for i, name in enumerate(formats) if name == "q6_k"] == [0, 3, 6, 7]
    more = 4 * (256**2 + 256 * 512) * (6.5625 - 4.5) / 8
    plain = quantized_files.file_bytes(TINY, "q4_0")
    assert quantized_files.file_bytes(TINY, "q4_k") - plain == more


@given(model=SHAPES)
def test_files_lie_between_their_formats(model):
    three, even, four = (
        8 * quantized_files.file_bytes(model, q) / model.parameters
        for q in ("q3_k", "q4_0", "q4_k")
    )
    norms = 32 * (2 * model.layers + 1) * model.hidden_size / model.parameters
    assert 3.4375 < three < even + norms
    assert 4.5 < even <= four < 6.5625 + norms


@pytest.mark.parametrize(
    ("model", "bits"),
    [("Mistral 7B", (4.541, 4.829, 3.890)), ("Llama 2 7B", (4.546, 4.843, 3.917))],
)
def test_bits_by_hand(model, bits):
    parameters, files = SIZES[model]
    ours = [8 * amount(size).value / parameters for size in files.values()]
    assert ours == pytest.approx(bits, abs=5e-4)


def test_line_through_the_sizes_has_the_residuals_of_least_squares():
    bits, rest = quantized_files.size_line("q4_0")
    parameters, sizes = np.array(quantized_files.printed_sizes("q4_0")).T
    residual = sizes - (bits / 8 * parameters + rest)
    assert abs(residual.sum()) < 1
    assert abs(residual @ (parameters / 1e9)) < 10
    assert 4.5 < bits < 4.7


def test_a_layer_beyond_the_last_is_refused():
    with pytest.raises(ValueError, match="layer must be below layers = 8"):
        quantized_files.layer_formats("q4_k", 8, 8)
