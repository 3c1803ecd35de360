"""Bytes of a stored weight, by the number formats in `config.json`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.readers.configs.fields import ConfigFields
from perfmodel.roofline.transformer import Decoder
from perfmodel.validation import Floats, positive

_BYTES = {"float32": 4.0, "bfloat16": 2.0, "float16": 2.0, "float8_e4m3fn": 1.0}


@dataclass(frozen=True)
class WeightFormat:
    """Bytes a weight takes, scales included."""

    name: str
    tables: float
    """Bytes of a number in the tables of words."""
    experts: float
    """Bytes of a number in routed experts."""
    others: float
    """Bytes of a number in all else."""
    certain: bool = True
    """False where parts of the model may be stored otherwise."""

    def __post_init__(self) -> None:
        """Refuse a size that is none."""
        for name in ("tables", "experts", "others"):
            positive(name, getattr(self, name))

    def bytes_of(self, shape: Decoder) -> float:
        """Return the bytes of all weights of a shape."""
        rest = shape.parameters - shape.word_tables - shape.routed_parameters
        return float(
            self.tables * shape.word_tables
            + self.experts * shape.routed_parameters
            + self.others * rest
        )

    def read_bytes(self, shape: Decoder, tokens: ArrayLike) -> Floats:
        """Return the bytes of the weights that a step of `tokens` reads, experts by even choice."""
        routed = shape.parameters_read(tokens) - (
            shape.streamed_parameters - shape.routed_parameters
        )
        rest = shape.layer_parameters - shape.routed_parameters
        table = shape.vocab_size * shape.hidden_size
        return np.asarray(self.tables * table + self.experts * routed + self.others * rest)


def uniform_format(bits: float) -> WeightFormat:
    """Return a format in which every number of the model takes `bits`."""
    size = float(positive("bits", bits)) / 8
    return WeightFormat(f"{bits:g} bits", size, size, size)


def weight_format(
    fields: ConfigFields, content: Mapping[str, Any], beside: Mapping[str, Any] | None = None
) -> WeightFormat:
    """Return the format that a config names, or a file next to it, `beside`.

    Raises `UnreadableFileError` if it names a method or type of number that is not known here.
    """
    named = fields.get("torch_dtype") or fields.get("dtype")
    if named is None:
        fields.said.append("The file has no dtype: 16 bits a weight.")
    kind = str(named or "bfloat16").removeprefix("torch.")
    if kind not in _BYTES:
        raise fields.refuse(f"dtype {kind!r} is not known", f"--set dtype={', '.join(_BYTES)}")
    plain = _BYTES[kind]
    quantised = fields.get("quantization_config")
    if "quantization_config" not in fields.content:
        quantised = content.get("quantization_config") or beside
    if not quantised:
        return WeightFormat(kind, plain, plain, plain)
    if not isinstance(quantised, Mapping):
        raise fields.refuse("quantization_config is no object")
    stored = _stored(quantised)
    if stored is None:
        method = quantised.get("quant_method") or quantised.get("quant_algo")
        cure = "say --weight-bits NUMBER, or --set quantization_config=null for 16 bits"
        raise fields.refuse(f"quantisation by {method!r} is not known here", cure)
    name, each = stored
    listed = [quantised.get(key) or () for key in _LEFT_OUT]
    attention_plain = name == "mxfp4" or any(
        "attn" in str(one) for names in listed for one in names
    )
    return WeightFormat(name, plain, each, plain if attention_plain else each, certain=False)


_LEFT_OUT = ("ignore", "exclude_modules", "modules_to_not_convert")
"""Where the methods list the modules that keep their type."""


def _stored(config: Mapping[str, Any]) -> tuple[str, float] | None:
    """Return a method's name and the bytes of one of its weights, scales included."""
    method = str(config.get("quant_method") or "").lower()
    if not method and config.get("quant_algo"):
        method = "modelopt"
    bits, group = config.get("bits"), config.get("group_size")
    block = config.get("weight_block_size")
    if method == "mxfp4":
        return "mxfp4", 4.25 / 8
    if method == "fp8" or (not method and config.get("fmt") == "e4m3"):
        return "fp8", 1 + (4 / (block[0] * block[1]) if isinstance(block, list) else 0.0)
    if method in ("gptq", "awq") and isinstance(bits, int) and bits > 0:
        size = group if isinstance(group, int) and group > 0 else 4096
        return f"{method} {bits} bits", bits / 8 + (2 + bits / 8) / size
    if method == "bitsandbytes" and config.get("load_in_4bit"):
        return "bitsandbytes 4 bits", 0.5 + 4 / 64
    if method == "bitsandbytes" and config.get("load_in_8bit"):
        return "bitsandbytes 8 bits", 1.0
    if method == "modelopt":
        algorithm = str(config.get("quant_algo") or "").upper()
        return {"NVFP4": ("nvfp4", 0.5 + 1 / 16), "FP8": ("fp8", 1.0)}.get(algorithm)
    groups = config.get("config_groups")
    if method == "compressed-tensors" and isinstance(groups, Mapping) and len(groups) == 1:
        weights = next(iter(groups.values())).get("weights") or {}
        bits, group = weights.get("num_bits"), weights.get("group_size")
        if isinstance(bits, int) and bits > 0:
            scales = 2 / group if isinstance(group, int) and group > 0 else 0.0
            return f"{bits} bits", bits / 8 + scales
    return None
