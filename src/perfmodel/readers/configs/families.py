"""Which rule reads which family of models.

A family is a `model_type` of Hugging Face transformers. Rules and defaults are those of its classes
(transformers 5.24), never an object's silent answer where a released file may mean another thing.
"""

from __future__ import annotations

from collections.abc import Callable

from perfmodel.readers.configs.fields import ConfigFields
from perfmodel.readers.configs.grouped import Family
from perfmodel.readers.configs.layers import (
    as_many_shared,
    chunks,
    every,
    everywhere,
    first_dense,
    interleaved,
    named_everywhere,
    qwen_sparse,
    qwen_windows,
)
from perfmodel.readers.configs.own_shapes import ALWAYS, falcon, gemma4, gpt2, latent, mimo, opt
from perfmodel.roofline.transformer import Decoder

_QWEN_BIAS = Family(bias=ALWAYS, out_bias=None, windows=qwen_windows)
_QWEN3 = Family(qk_norm="head", head="file", kv_missing="refuse", windows=qwen_windows)
_QWEN3_MOE = Family(
    qk_norm="head", head="file", kv_missing="refuse", windows=qwen_windows,
    experts="moe_intermediate_size", sparse=qwen_sparse,
)  # fmt: skip
_LLAMA = Family(feed_bias=("mlp_bias", False))

FAMILIES: dict[str, Family | Callable[[ConfigFields], Decoder]] = {
    "llama": _LLAMA,
    "llama4_text": Family(
        head="file", kv_missing="refuse", windows=chunks, experts="intermediate_size",
        dense_width="intermediate_size_mlp", sparse=interleaved,
        shared=lambda f, hidden: f.whole("intermediate_size"),
    ),
    "mistral": Family(
        bias=None, out_bias=None, kv_missing="refuse", windows=named_everywhere, head="ratio"
    ),
    "mixtral": Family(
        bias=None, out_bias=None, kv_missing="refuse", windows=everywhere,
        experts="intermediate_size",
    ),
    "qwen2": _QWEN_BIAS,
    "qwen2_moe": Family(
        bias=("qkv_bias", True), out_bias=None, windows=qwen_windows,
        experts="moe_intermediate_size", sparse=qwen_sparse,
        shared=lambda f, hidden: f.whole("shared_expert_intermediate_size"),
    ),
    "qwen3": _QWEN3,
    "qwen3_vl_text": _QWEN3,
    "qwen3_moe": _QWEN3_MOE,
    "qwen3_vl_moe_text": _QWEN3_MOE,
    "gemma": Family(tied=True, head="file", kv_missing="refuse"),
    "gemma2": Family(tied=True, head="file", kv_missing="refuse", norms=4, windows=every(2)),
    "gemma3_text": Family(
        tied=True, head="file", kv_missing="refuse", norms=4, qk_norm="head",
        windows=every(6, "sliding_window_pattern"),
    ),
    "gemma4_text": gemma4,
    "gpt_oss": Family(
        head="file", kv_missing="refuse", bias=("attention_bias", True),
        out_bias=("attention_bias", True), windows=every(2), experts="intermediate_size",
        sinks=True, router_bias=True, expert_bias=True,
    ),
    "deepseek_v2": latent,
    "deepseek_v3": latent,
    "deepseek_v32": latent,
    "kimi_k2": latent,
    "glm_moe_dsa": latent,
    "glm4_moe_lite": latent,
    "glm": Family(
        head="file", kv_missing="refuse", bias=("attention_bias", True), out_bias=None
    ),
    "glm4": Family(
        head="file", kv_missing="refuse", bias=("attention_bias", True), out_bias=None, norms=4
    ),
    "glm4_moe": Family(
        head="file", kv_missing="refuse", out_bias=None, qk_norm="head",
        qk_norm_field="use_qk_norm", experts="moe_intermediate_size", sparse=first_dense,
        shared=as_many_shared,
    ),
    "phi": Family(
        bias=ALWAYS, out_bias=ALWAYS, feed_bias=ALWAYS, norms=1, norm_rows=2, matrices=2,
        extra=lambda f, hidden, words: words,
    ),
    "phi3": Family(bias=None, out_bias=None, windows=everywhere),
    "phimoe": Family(
        kv_missing="refuse", norm_rows=2, windows=everywhere, experts="intermediate_size",
        extra=lambda f, hidden, words: words if f.flag("lm_head_bias", False) else 0,
    ),
    "olmo": Family(norm_rows=0),
    "olmo2": Family(qk_norm="row"),
    "olmo3": Family(qk_norm="row", windows=every(4)),
    "olmoe": Family(qk_norm="row", experts="intermediate_size"),
    "minimax_m2": Family(
        head="file", kv_missing="refuse", bias=None, out_bias=None, qk_norm="row",
        experts="intermediate_size",
    ),
    "mimo_v2_flash": mimo,
    "falcon": falcon,
    "gpt2": gpt2,
    "gpt_neox": Family(
        bias=("attention_bias", True), out_bias=("attention_bias", True), feed_bias=ALWAYS,
        norm_rows=2, matrices=2,
    ),
    "gptj": Family(
        bias=None, out_bias=None, feed_bias=ALWAYS, norms=1, norm_rows=2, matrices=2,
        extra=lambda f, hidden, words: words,
    ),
    "opt": opt,
    "bloom": Family(
        tied=True, bias=ALWAYS, out_bias=ALWAYS, feed_bias=ALWAYS, norm_rows=2, matrices=2,
        extra=lambda f, hidden, words: 2 * hidden,
    ),
    "starcoder2": Family(
        tied=True, kv_missing="refuse", bias=("use_bias", True), out_bias=("use_bias", True),
        feed_bias=("use_bias", True), norm_rows=2, matrices=2, windows=everywhere,
    ),
    "stablelm": Family(bias=("use_qkv_bias", False), out_bias=None, norm_rows=2),
    "granite": _LLAMA,
    "smollm3": Family(
        tied=True, kv_missing="refuse", feed_bias=("mlp_bias", False), windows=qwen_windows
    ),
    "cohere": Family(tied=True, norms=1),
    "cohere2": Family(tied=True, norms=1, windows=every(4, "sliding_window_pattern")),
}  # fmt: skip
"""The rule for each `model_type` that is read."""

_ENCODERS = (
    "albert", "bert", "camembert", "deberta", "deberta-v2", "distilbert", "electra", "longformer",
    "modernbert", "mpnet", "nomic_bert", "roberta", "xlm-roberta",
)  # fmt: skip
_PAIRS = (
    "bart", "blenderbot", "m2m_100", "marian", "mbart", "mt5", "pegasus", "seamless_m4t", "t5",
    "t5gemma", "umt5", "whisper",
)  # fmt: skip
UNHELD = {
    "deepseek_v4": "one key that is its own value, with compressed layers",
    "longcat_flash": "two attentions in each layer",
    "kimi_linear": "layers of linear attention",
    "qwen3_next": "layers of linear attention",
    "qwen3_5_text": "layers of linear attention",
    "qwen3_5_moe_text": "layers of linear attention",
    "nemotron_h": "layers with a state space",
    "jamba": "layers with a state space",
    "bamba": "layers with a state space",
    "falcon_h1": "layers with a state space",
    "granitemoehybrid": "layers with a state space",
    "zamba": "layers with a state space",
    "zamba2": "layers with a state space",
    "mamba": "a state of fixed size and no cache",
    "mamba2": "a state of fixed size and no cache",
    "falcon_mamba": "a state of fixed size and no cache",
    "rwkv": "a state of fixed size and no cache",
    "recurrent_gemma": "recurrent layers",
    "minimax": "layers of linear attention",
    "lfm2": "layers of convolutions",
    "gemma3n_text": "keys and values shared between layers",
    "nemotron-nas": "layers without attention",
    "minimax_m3": "an indexer whose cache is not confirmed",
    "minimax_m3_vl_text": "an indexer whose cache is not confirmed",
    **dict.fromkeys(_ENCODERS, "an encoder that reads a text at once and keeps no cache"),
    **dict.fromkeys(_PAIRS, "an encoder beside the decoder, with a cache for each"),
}
"""Why a `model_type` is refused."""
