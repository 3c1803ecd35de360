"""Sizes of quantized files: counted, and fitted to the table."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.labs.roofline.melt import quantized_files
from perfmodel.labs.roofline.melt.inputs import SIZES
from perfmodel.roofline.transformer import Decoder
from perfmodel.units import amount

TINY = Decoder.uniform(8, 256, 512, 8, 8, 1000, head_width=32)
SHAPES = st.builds(
    lambda layers, heads, groups, feed, words, tied: Decoder.uniform(
        *[layers, 256 * heads, 256 * feed, heads * groups, heads, 256 * words],
        head_width=256 // groups,
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
    norms = 32 * (2 * model.layers + 1) * model.hidden / model.parameters
    assert 3.4375 < three < even + norms
    assert 4.5 < even <= four < 6.5625 + norms


@pytest.mark.parametrize(
    ("model", "bits"),
    [("Mistral 7B", (4.541, 4.829, 3.890)), ("Llama 2 7B", (4.546, 4.843, 3.917))],
)
def test_bits_by_hand(model, bits):
    parameters, files = SIZES[model]
    ours = [
        float(quantized_files.bits_per_weight(amount(size).value, parameters))
        for size in files.values()
    ]
    assert ours == pytest.approx(bits, abs=5e-4)


def test_line_through_the_sizes_has_the_residuals_of_least_squares():
    bits, rest = quantized_files.size_line("q4_0")
    parameters, sizes = np.array(quantized_files.printed_sizes("q4_0")).T
    residual = sizes - (bits / 8 * parameters + rest)
    assert abs(residual.sum()) < 1
    assert abs(residual @ (parameters / 1e9)) < 10
    assert 4.5 < bits < 4.7


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: quantized_files.bits_per_weight(1, 0), "parameters must be above 0"),
        (lambda: quantized_files.size_line("q9"), "one of q3_k, q4_0, q4_k, got 'q9'"),
        (lambda: quantized_files.file_bytes(TINY, "q6_k"), "one of q3_k, q4_0, q4_k, got 'q6_k'"),
        (lambda: quantized_files.layer_formats("q4_k", 8, 8), "layer must be below layers = 8"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
