"""The fields of a model's `config.json`: taken by name, checked, and remembered as used."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from perfmodel.readers.refusal import UnreadableFileError

_MOST, _MOST_LAYERS = 10**12, 10**5
"""Larger numbers than any model has: the file is damaged."""
LAYERS = ("num_hidden_layers", "n_layer", "num_layers")
HIDDEN = ("hidden_size", "n_embd")
HEADS = ("num_attention_heads", "n_head")
EXPERTS = ("num_local_experts", "num_experts", "n_routed_experts")
ACTIVE = ("num_experts_per_tok", "experts_per_token", "num_experts_per_token", "top_k_experts")
"""Names of one thing in different families."""
_SHAPING = re.compile(
    r"(num|n|moe_num)_(local_|routed_|shared_|fused_shared_)?experts|.*_lora_rank|index_.*_dim|"
    r"sliding_window|attention_chunk_size|layer_types|hybrid_.*pattern|layers_block_type|"
    r"(linear|mamba|ssm|conv|swa|moe|rwkv|lru|block_configs|cross_attention_(layers|freq))(_.*)?|"
    r"num_kv_shared_layers|(global_|v_|qk_)?head_dim|head_dim|num_global_key_value_heads|"
    r"shared_expert_intermediate_size|first_k_dense_replace|is_encoder_decoder|"
    r"add_cross_attention|expert_.*_size|attn_layer_.*|full_attention_interval|"
    r"hidden_size_per_layer_input|use_double_wide_mlp|num_key_value_heads|num_kv_heads"
)
"""Fields that change layers or cache: one that a family's rule did not use is no detail."""
_HARMLESS = re.compile(
    r"moe_router_.*|moe_aux_.*|moe_layer_freq|qk_head_dim|attention_chunk_size|head_dim|"
    r"moe_routed_scaling_.*|moe_token_.*|conv_bias|moe_apply_.*|moe_renormalize|swa_rope_.*"
)
"""Those of them that say nothing about sizes where a rule does not use them."""


class ConfigFields:
    """The fields of one model's text part.

    `path`: for refusals. `content`: of the JSON file.
    """

    def __init__(self, path: Path | str, content: Mapping[str, Any]) -> None:
        self.path = Path(path)
        self.content = dict(content)
        self.used: set[str] = set()
        self.said: list[str] = []

    def refuse(self, what: str, cure: str = "give the file as it was released") -> Exception:
        """Return the refusal to raise."""
        return UnreadableFileError(self.path, None, what, cure)

    def has(self, name: str) -> bool:
        """Return whether the file names a field, be it null."""
        return name in self.content

    def get(self, name: str) -> Any:
        """Return a field, None if it is missing or null."""
        self.used.add(name)
        return self.content.get(name)

    def whole(self, *names: str, default: int | None = None, low: int = 1) -> int:
        """Return a whole number that the file calls by one of `names`.

        Raises `UnreadableFileError` if it is missing without a `default`, no whole number from
        `low` up, or two names differ.
        """
        found = {name: self.get(name) for name in names if self.get(name) is not None}
        if not found:
            if default is not None:
                return default
            cure = f"give the released file, or say --set {names[0]}=NUMBER"
            raise self.refuse(f"no {' or '.join(names)}", cure)
        most = _MOST_LAYERS if names == LAYERS else _MOST
        for name, value in found.items():
            if isinstance(value, int) and value > most:
                what = f"{name} must be at most {most:,}, got one of {len(str(value))} digits"
                raise self.refuse(what, f"say --set {name}=NUMBER")
            if isinstance(value, bool) or not isinstance(value, int) or value < low:
                what = f"{name} must be a whole number from {low} up, got {value!r}"
                raise self.refuse(what, f"say --set {name}=NUMBER")
        if len(set(found.values())) > 1:
            listed = ", ".join(f"{name} {value}" for name, value in found.items())
            raise self.refuse(
                f"{listed} contradict each other", "set all except one of them to null"
            )
        return int(next(iter(found.values())))

    def maybe(self, *names: str, low: int = 1) -> int | None:
        """Return the number of the first of `names` that has one, or None."""
        if all(self.get(name) is None for name in names):
            return None
        return self.whole(*names, low=low)

    def flag(self, name: str, default: bool) -> bool:
        """Return a truth value."""
        value = self.get(name)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise self.refuse(f"{name} must be true or false, got {value!r}", f"set {name}")
        return value

    def listed(self, name: str, length: int) -> list[Any] | None:
        """Return a list with an entry for each layer, or None."""
        value = self.get(name)
        if value is None:
            return None
        if not isinstance(value, list) or len(value) != length:
            size = len(value) if isinstance(value, list) else repr(value)
            raise self.refuse(f"{name} must have one entry for each of {length} layers, got {size}")
        return value

    def check_unused(self, family: str) -> None:
        """Refuse fields that shape a model and that the family's rule did not use."""
        for name, value in self.content.items():
            telling = value not in (None, False, 0, 1, [], {})
            if name in self.used or not telling or not _SHAPING.fullmatch(name):
                continue
            if not _HARMLESS.fullmatch(name):
                what = f"{name} is {_short(value)}, which the rule for {family} doesn't know"
                cure = f"if it has no effect on layers and cache, say --set {name}=null"
                raise self.refuse(what, cure)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
