"""The file size of a quantized model, counted from its format and fitted to a table.

llama.cpp stores weights in blocks, each with its own scale, so 4 bits take 4.5. It also gives some
matrices more bits than the file's name says, and always the table of output words.

>>> from perfmodel.roofline.decoder import LLAMA_2_7B
>>> round(file_bytes(LLAMA_2_7B, "q4_k") / 1e9, 2)
4.08
"""

from __future__ import annotations

import numpy as np
from scipy import stats

from perfmodel.labs.roofline.melt.inputs import SIZES
from perfmodel.roofline.transformer import Decoder
from perfmodel.units import amount
from perfmodel.validation import whole

BITS = {"q3_k": 3.4375, "q4_0": 4.5, "q4_k": 4.5, "q5_k": 5.5, "q6_k": 6.5625}
"""Bits a weight with scales: blocks of 110, 144, 176 and 210 bytes for 256 weights, and for q4_0 of
18 bytes for 32 (llama.cpp, definitions of its block types)."""
QUANTIZATIONS = ("q3_k", "q4_0", "q4_k")
"""Of whole files; q3_k and q4_k are llama.cpp's medium recipes."""


def layer_formats(quantization: str, layer: int, layers: int) -> dict[str, str]:
    """Return the formats of a layer's matrices that may differ from the file's.

    These are the values and the output of attention, and the feed-forward network's last matrix.
    Source: llama.cpp's rules by which a tensor gets its type. In q4_k, values and last matrices
    have q6_k in the first and last eighth of the layers and in every third between.

    >>> layer_formats("q4_k", 0, 32)
    {'values': 'q6_k', 'output': 'q4_k', 'last': 'q6_k'}
    """
    _known(quantization)
    if not 0 <= whole("layer", layer) < whole("layers", layers, low=1):
        raise ValueError(f"layer must be below layers = {layers}, got {layer!r}")
    if quantization == "q4_0":
        return dict.fromkeys(("values", "output", "last"), "q4_0")
    if quantization == "q3_k":
        early = {"values": layer < 2, "last": layer < layers // 16}
        named = {matrix: "q5_k" if first else "q4_k" for matrix, first in early.items()}
        return {**named, "output": "q4_k"}
    eighth = layers // 8
    edge = layer < eighth or layer >= 7 * layers // 8
    better = "q6_k" if edge or (layer - eighth) % 3 == 2 else "q4_k"
    return {"values": better, "output": "q4_k", "last": better}


def file_bytes(model: Decoder, quantization: str) -> float:
    """Return the bytes of the file of `model` in a `quantization` that `layer_formats` knows.

    The table of output words has q6_k, norms have 32 bits; the text of the words and the names of
    the matrices, a few MB, are left out.
    """
    base = BITS[_known(quantization)]
    head = model.kv_numbers // (2 * model.layers * model.kv_heads)
    numbers = {
        "values": model.hidden_size * model.kv_numbers // (2 * model.layers),
        "output": model.hidden_size * model.heads * head,
        "last": model.hidden_size * model.feed_forward,
    }
    bits = model.parameters * base + model.vocab_size * model.hidden_size * (BITS["q6_k"] - base)
    for layer in range(model.layers):
        formats = layer_formats(quantization, layer, model.layers)
        bits += sum(numbers[matrix] * (BITS[name] - base) for matrix, name in formats.items())
    norms = (2 * model.layers + 1) * model.hidden_size
    return bits / 8 + 4 * norms


def size_line(quantization: str) -> tuple[float, float]:
    """Fit bits a weight and further bytes to the files of `SIZES` in a `quantization`."""
    line = stats.linregress(*np.array(printed_sizes(quantization)).T)
    return float(8 * line.slope), float(line.intercept)


def printed_sizes(quantization: str) -> list[tuple[float, float]]:
    """Return parameters and bytes of each model that the table has in a `quantization`."""
    _known(quantization)
    return [
        (parameters, amount(files[quantization]).value)
        for parameters, files in SIZES.values()
        if quantization in files
    ]


def _known(quantization: str) -> str:
    if quantization not in QUANTIZATIONS:
        known = ", ".join(QUANTIZATIONS)
        raise ValueError(f"quantization must be one of {known}, got {quantization!r}")
    return quantization
