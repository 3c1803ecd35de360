"""A model's `config.json` as a shape, and what a checkpoint's index says about it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from perfmodel.readers.configs.families import FAMILIES, UNHELD
from perfmodel.readers.configs.fields import ConfigFields
from perfmodel.readers.configs.grouped import grouped
from perfmodel.readers.configs.weight_formats import WeightFormat, weight_format
from perfmodel.readers.refusal import UnreadableFileError, json_of
from perfmodel.roofline.transformer import Decoder

_TEXT_PARTS = ("text_config", "llm_config", "language_config")
_QUANTISED = re.compile(r"nvfp4|mxfp4|fp8|fp4|awq|gptq|int[48]|w[48]a\d+|[48][-_]?bit", re.I)
"""What a model's name holds where its weights are stored in few bits."""
_MARKED = ("num_hidden_layers", "n_layer", "num_layers")


@dataclass(frozen=True)
class ModelFile:
    """A model as its file gives it."""

    name: str
    """The file's name for it, or the file's own."""
    family: str
    shape: Decoder
    weights: WeightFormat
    longest: int | None
    """Tokens of the longest text, if the file says."""
    said: tuple[str, ...]
    """What the file left to its class."""
    traps: tuple[str, ...]
    """What else to know about the numbers."""

    @property
    def weight_bytes(self) -> float:
        """Bytes of all weights as they are stored."""
        return self.weights.bytes_of(self.shape)


def is_config(text: str) -> bool:
    """Return whether a text is a model's `config.json`."""
    try:
        content = json.loads(text)
    except json.JSONDecodeError:
        return False
    if not isinstance(content, dict):
        return False
    return any(name in _text_part(content)[0] for name in _MARKED)


def read_config(path: Path | str, replaced: Mapping[str, Any] | None = None) -> ModelFile:
    """Return the model of a `config.json`, or of the folder that holds one.

    `replaced`: fields to take instead of the file's. Raises `UnreadableFileError` if the family is
    unknown or not held, a field that sizes the model is missing, contradicts another or can mean
    two things; names the field and the cure.
    """
    path = Path(path)
    if path.is_dir():
        path = path / "config.json"
    content = json_of(path)
    if not isinstance(content, dict):
        raise UnreadableFileError(path, 1, "no JSON object", "give a model's config.json")
    part, inner = _text_part(content)
    if "model_type" not in part and not any(name in part for name in _MARKED):
        what = "no number of layers: this is no model's config.json"
        if "weight_map" in content:
            what = "this is a checkpoint's index; it has no shapes"
        raise UnreadableFileError(path, None, what, "give the config.json from the same folder")
    fields = ConfigFields(path, {**part, **(replaced or {})})
    fields.said += [f"{name} is {value!r}, as given." for name, value in (replaced or {}).items()]
    family = _family(fields, content)
    if fields.get("is_encoder_decoder"):
        raise fields.refuse("an encoder with a decoder is not held", "give a decoder-only model")
    rule = FAMILIES[family]
    shape = rule(fields) if callable(rule) else grouped(rule, fields)
    fields.check_unused(family)
    longest = fields.maybe("max_position_embeddings", "n_positions")
    weights = weight_format(fields, content, _beside(path))
    traps = list(_traps(fields, shape, family))
    if inner:
        traps.append(f"Only the text part, {inner}, is counted; what sees or hears is not.")
    name = str(content.get("_name_or_path") or path.parent.name or path.stem)
    name = name if path.name == "config.json" else path.stem
    if weights.certain and (found := _QUANTISED.search(name)):
        weights = replace(weights, certain=False)
        traps.append(
            f"The name holds {found[0]}, but the config gives all weights as {weights.name}. If "
            "they are stored in fewer bits, put hf_quant_config.json beside config.json, or add "
            "--weight-bits."
        )
    return ModelFile(
        name,
        *(family, shape, weights, longest, tuple(fields.said), tuple(traps)),
    )


def _beside(path: Path) -> Mapping[str, Any] | None:
    """Return the number formats from ModelOpt's own file in the same folder."""
    own = path.parent / "hf_quant_config.json"
    if path.name != "config.json" or not own.exists():
        return None
    content = json_of(own)
    found = content.get("quantization") if isinstance(content, dict) else None
    if not isinstance(found, dict):
        raise UnreadableFileError(own, None, "no quantization", "give it as it was released")
    return {"quant_method": "modelopt", **found}


FORMATS = {"model config.json": is_config}
"""Each format and the test of a file's text."""


def _text_part(content: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    for name in _TEXT_PARTS:
        if isinstance(content.get(name), dict):
            part = dict(content[name])
            for outer in ("tie_word_embeddings", "torch_dtype", "dtype"):
                if part.get(outer) is None and content.get(outer) is not None:
                    part[outer] = content[outer]
            if "model_type" not in part and "model_type" in content:
                part["model_type"] = f"{content['model_type']}_text"
            return part, name
    return dict(content), ""


def _family(fields: ConfigFields, content: Mapping[str, Any]) -> str:
    named = fields.get("model_type")
    if named is None:
        fields.said.append(
            "The file has no model_type: its layers are taken for Llama's, with two norms and no "
            "biases; the cache does not depend on that."
        )
        return "llama"
    if not isinstance(named, str):
        raise fields.refuse(f"model_type {named!r} is no name", "give the file as it was released")
    for one in (named, f"{named}_text"):
        if one in FAMILIES:
            return one
    for one in (named, f"{named}_text", str(content.get("model_type"))):
        if one in UNHELD:
            cure = "the shapes held here are those of attention with a growing cache"
            raise fields.refuse(f"model_type {named!r} has {UNHELD[one]}, not held", cure)
    cure = f"if it is built as one of these, say --set model_type=NAME: {', '.join(FAMILIES)}"
    raise fields.refuse(f"model_type {named!r} is not known", cure)


def _traps(fields: ConfigFields, shape: Decoder, family: str) -> Sequence[str]:
    found = []
    if further := fields.get("num_nextn_predict_layers") or fields.get("num_mtp_modules"):
        found.append(
            f"A checkpoint may hold {further} layer(s) more for predicting further tokens, which "
            "are not counted."
        )
    windows = [
        block.attention.sliding_window for block in shape.blocks if block.attention.sliding_window
    ]
    if windows:
        kind = "chunks" if family == "llama4_text" else "windows"
        found.append(
            f"{len(windows)} of {shape.layers} layers attend in {kind} of {min(windows)} tokens: "
            "their cache stops growing there, if the engine frees what lies behind."
        )
    head = shape.blocks[0].attention
    ratio = shape.hidden_size / head.num_heads
    width = getattr(head, "head_dim", None)
    if width is not None and abs(ratio - width) > 1e-9:
        found.append(f"A head is {width} numbers wide; hidden / heads = {ratio:g} would be wrong.")
    if family in ("deepseek_v2", "deepseek_v3", "deepseek_v32", "kimi_k2", "glm_moe_dsa"):
        found.append(
            "The cache holds a latent vector a layer, whatever num_key_value_heads and head_dim "
            "say."
        )
    return found


@dataclass(frozen=True)
class CheckpointIndex:
    """What `model.safetensors.index.json` says."""

    total_bytes: int
    tensors: int
    shards: int
    layers: int
    """Numbered layers with weights, those for further tokens included."""
    output_table: bool
    """Whether it stores an output table of its own."""


def read_index(path: Path | str) -> CheckpointIndex:
    """Return what the index of a checkpoint in shards says.

    Raises `UnreadableFileError` if it is no such index, or names no size.
    """
    content = json_of(path)
    cure = "give model.safetensors.index.json as it was released"
    if not isinstance(content, dict) or not isinstance(content.get("weight_map"), dict):
        raise UnreadableFileError(path, None, "no weight_map: no index of a checkpoint", cure)
    names: dict[str, str] = content["weight_map"]
    size = (content.get("metadata") or {}).get("total_size")
    if isinstance(size, bool) or not isinstance(size, int | float) or size <= 0 or not names:
        raise UnreadableFileError(path, None, f"total_size is {size!r}, no number of bytes", cure)
    numbered = [re.search(r"(?:layers|h|blocks)\.(\d+)\.", name) for name in names]
    layers = {int(found[1]) for found in numbered if found}
    output = any(re.search(r"(lm_head|embed_out|output)\.weight$", name) for name in names)
    return CheckpointIndex(int(size), len(names), len(set(names.values())), len(layers), output)


def index_findings(model: ModelFile, index: CheckpointIndex) -> tuple[str, ...]:
    """Return sentences on where a checkpoint's index and a config agree or don't."""
    shape, found = model.shape, []
    expected = model.weight_bytes
    ratio = index.total_bytes / expected
    found.append(
        f"The checkpoint has {index.total_bytes:,} bytes, {ratio:.4f} times the {expected:,.0f} of "
        f"the config's parameters; that is {index.total_bytes / shape.parameters:.4f} bytes each."
    )
    if index.layers and index.layers != shape.layers:
        found.append(f"The checkpoint has {index.layers} layers, the config {shape.layers}.")
    if shape.tied and index.output_table:
        found.append("The checkpoint stores an output table though the config shares one table.")
    if not shape.tied and not index.output_table:
        found.append("The checkpoint stores no output table though the config has two tables.")
    return tuple(found)
