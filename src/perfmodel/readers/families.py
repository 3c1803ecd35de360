"""Which field of `config.json` holds what, by family of models.

A family is a `model_type` of Hugging Face transformers. Rules and defaults are those of its classes
(transformers 5.24), never an object's silent answer where a released file may mean another thing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from perfmodel.readers.config_fields import ACTIVE, EXPERTS, HEADS, HIDDEN, LAYERS, ConfigFields
from perfmodel.roofline.decoder import Attention, Block, Decoder, FeedForward, LatentAttention

Windows = list[tuple[int | None, bool]]
"""For each layer its window and whether that is a chunk."""


@dataclass(frozen=True)
class Family:
    """How the layers of a family are made, where files leave it out."""

    tied: bool = False
    """Whether word tables are shared if the file doesn't say."""
    head: Literal["ratio", "file"] = "ratio"
    """Width of a head without `head_dim`: hidden over heads, or refused."""
    kv_missing: Literal["heads", "refuse"] = "heads"
    bias: tuple[str, bool] | None = ("attention_bias", False)
    """The field for biases on queries, keys and values, and its default; None is never."""
    out_bias: tuple[str, bool] | None = ("attention_bias", False)
    qk_norm: Literal["", "head", "row"] = ""
    """Norms on queries and keys: one vector of a head's width, or as wide as all heads."""
    qk_norm_field: str = ""
    norms: int = 2
    """Norms of a layer."""
    norm_rows: int = 1
    """Vectors of a norm: 2 with a bias, 0 without parameters."""
    matrices: int = 3
    feed_bias: tuple[str, bool] | None = None
    windows: Callable[[ConfigFields, int], Windows] | None = None
    experts: Literal["", "moe_intermediate_size", "intermediate_size"] = ""
    """The field of an expert's width; empty is a dense family."""
    dense_width: str = "intermediate_size"
    """The field of the width of layers without experts."""
    sparse: Callable[[ConfigFields, int], list[bool]] | None = None
    """Which layers have experts; all if not given."""
    shared: Callable[[ConfigFields, int], int] | None = None
    """Width of the shared experts."""
    sinks: bool = False
    """Whether each head has a learned sink."""
    router_bias: bool = False
    expert_bias: bool = False
    extra: Callable[[ConfigFields, int, int], int] | None = None
    """Vectors outside the layers beside the last norm, from hidden and vocabulary."""


def grouped(family: Family, f: ConfigFields) -> Decoder:
    """Return the shape of a family with grouped heads."""
    layers, hidden, heads = f.whole(*LAYERS), f.whole(*HIDDEN), f.whole(*HEADS)
    vocabulary = f.whole("vocab_size")
    head = _head_width(family, f, hidden, heads)
    kv = f.maybe("num_key_value_heads")
    if kv is None and family.kv_missing == "refuse":
        cure = "give the released file, or say --set num_key_value_heads=NUMBER"
        raise f.refuse("no num_key_value_heads, and its class assumes a number of its own", cure)
    kv = heads if kv is None else kv
    if heads % kv:
        raise f.refuse(f"num_key_value_heads {kv} does not divide num_attention_heads {heads}")
    windows = (family.windows or _no_windows)(f, layers)
    feeds = _feeds(family, f, layers)
    vectors = family.norms * family.norm_rows * hidden
    vectors += (heads + 2 * kv) * head * _flag(f, family.bias)
    vectors += hidden * _flag(f, family.out_bias)
    if family.qk_norm and (not family.qk_norm_field or f.flag(family.qk_norm_field, False)):
        vectors += 2 * head if family.qk_norm == "head" else (heads + kv) * head
    vectors += heads if family.sinks else 0
    blocks = []
    for (window, chunked), (feed, small) in zip(windows, feeds, strict=True):
        attention = Attention(heads, kv, head, window=window, chunked=chunked)
        blocks.append(Block(attention, feed, vectors + small))
    return _decoder(family, f, hidden, vocabulary, blocks)


def _decoder(
    family: Family, f: ConfigFields, hidden: int, vocabulary: int, blocks: list[Block]
) -> Decoder:
    if f.get("tie_word_embeddings") is None:
        which = "one table" if family.tied else "two tables"
        f.said.append(f"The file has no tie_word_embeddings: its class has {which} of words.")
    tied = f.flag("tie_word_embeddings", family.tied)
    last = family.norm_rows * hidden
    if family.extra:
        last += family.extra(f, hidden, vocabulary)
    return Decoder(
        hidden=hidden, vocabulary=vocabulary, blocks=tuple(blocks), tied=tied, vectors=last
    )


def _head_width(family: Family, f: ConfigFields, hidden: int, heads: int) -> int:
    head = f.maybe("head_dim")
    if head is not None:
        return head
    cure = "give the released file, or say --set head_dim=NUMBER"
    if family.head == "file":
        raise f.refuse("no head_dim, and hidden / heads is not its width in this family", cure)
    if hidden % heads:
        raise f.refuse(f"no head_dim, and hidden {hidden} / heads {heads} is not whole", cure)
    f.said.append(f"The file has no head_dim: hidden / heads = {hidden // heads}.")
    return hidden // heads


def _flag(f: ConfigFields, field: tuple[str, bool] | None) -> bool:
    return False if field is None else f.flag(*field)


def _feeds(family: Family, f: ConfigFields, layers: int) -> list[tuple[FeedForward, int]]:
    """Return each layer's network and the number of its biases."""
    hidden = f.whole(*HIDDEN)
    biased = _flag(f, family.feed_bias)

    def dense(width: int) -> tuple[FeedForward, int]:
        bias = ((family.matrices - 1) * width + hidden) * biased
        return FeedForward(width, family.matrices), bias

    if not family.experts:
        return [dense(_dense_width(family, f, hidden))] * layers
    sparse = family.sparse(f, layers) if family.sparse else [True] * layers
    experts = f.whole(*EXPERTS)
    active = f.whole(*ACTIVE)
    if active > experts:
        raise f.refuse(f"{active} experts for a token are more than the {experts} that there are")
    width = f.whole(family.experts)
    shared = family.shared(f, hidden) if family.shared else 0
    bias = 2 * width + hidden if family.expert_bias else 0
    routed = FeedForward(width, 3, experts, active, shared, bias)
    small = experts if family.router_bias else 0
    small += hidden if f.get("shared_expert_intermediate_size") else 0
    known = (routed, small)
    if all(sparse):
        f.get(family.dense_width)
        return [known] * layers
    narrow = dense(f.whole(family.dense_width))
    return [known if one else narrow for one in sparse]


def _dense_width(family: Family, f: ConfigFields, hidden: int) -> int:
    if family.matrices == 3:
        return f.whole("intermediate_size")
    found = f.maybe("intermediate_size", "n_inner", "ffn_hidden_size", "ffn_dim")
    return 4 * hidden if found is None else found


# --- windows ---------------------------------------------------------------------------------


def _no_windows(f: ConfigFields, layers: int) -> Windows:
    if (types := f.listed("layer_types", layers)) is not None:
        return _typed(f, types)
    return [(None, False)] * layers


def _typed(f: ConfigFields, types: list[object]) -> Windows:
    found: Windows = []
    for kind in types:
        if kind == "full_attention":
            found.append((None, False))
        elif kind == "sliding_attention":
            found.append((f.whole("sliding_window"), False))
        elif kind == "chunked_attention":
            found.append((f.whole("attention_chunk_size"), True))
        else:
            raise f.refuse(f"layers of {kind!r} are not held", "only attention is computed here")
    f.get("sliding_window")
    return found


def _everywhere(f: ConfigFields, layers: int) -> Windows:
    if (types := f.listed("layer_types", layers)) is not None:
        return _typed(f, types)
    window = f.maybe("sliding_window")
    longest = f.maybe("max_position_embeddings")
    if window is not None and longest is not None and window >= longest:
        f.said.append(f"The window of {window} tokens is as long as the longest text: none.")
        window = None
    return [(window, False)] * layers


def _named_everywhere(f: ConfigFields, layers: int) -> Windows:
    """Mistral: a missing field means 4,096 to one program and no window to another."""
    if not f.has("sliding_window") and not f.has("layer_types"):
        what = "no sliding_window: transformers makes it 4096, other programs none"
        cure = "say --set sliding_window=null (v0.2 and later) or =4096 (v0.1)"
        raise f.refuse(what, cure)
    return _everywhere(f, layers)


def _qwen_windows(f: ConfigFields, layers: int) -> Windows:
    window, first = f.maybe("sliding_window", low=0), f.maybe("max_window_layers", low=0)
    types = f.listed("layer_types", layers)
    if not f.flag("use_sliding_window", False) or not window:
        if types is not None and any(kind != "full_attention" for kind in types):
            return _typed(f, types)
        return [(None, False)] * layers
    if types is not None:
        return _typed(f, types)
    if first is None:
        raise f.refuse("use_sliding_window without max_window_layers", "--set max_window_layers=N")
    return [(window if i >= first else None, False) for i in range(layers)]


def _every(number: int, field: str = "") -> Callable[[ConfigFields, int], Windows]:
    """Return the rule that each `number`-th layer attends to everything, the others to a window."""

    def windows(f: ConfigFields, layers: int) -> Windows:
        if (types := f.listed("layer_types", layers)) is not None:
            return _typed(f, types)
        period = f.whole(field, default=number) if field else number
        window = f.whole("sliding_window")
        return [(None if (i + 1) % period == 0 else window, False) for i in range(layers)]

    return windows


def _chunks(f: ConfigFields, layers: int) -> Windows:
    if (types := f.listed("layer_types", layers)) is not None:
        return _typed(f, types)
    chunk = f.maybe("attention_chunk_size")
    turned = f.get("no_rope_layers") or [(i + 1) % 4 for i in range(layers)]
    if len(turned) != layers:
        raise f.refuse(f"no_rope_layers must have {layers} entries, got {len(turned)}")
    return [(chunk, True) if one and chunk else (None, False) for one in turned]


# --- experts ---------------------------------------------------------------------------------


def _qwen_sparse(f: ConfigFields, layers: int) -> list[bool]:
    step = f.whole("decoder_sparse_step", default=1)
    dense = f.get("mlp_only_layers") or []
    return [(i + 1) % step == 0 and i not in dense for i in range(layers)]


def _first_dense(f: ConfigFields, layers: int) -> list[bool]:
    if (kinds := f.listed("mlp_layer_types", layers)) is not None:
        f.get("first_k_dense_replace")
        if set(kinds) - {"dense", "sparse"}:
            raise f.refuse(f"mlp_layer_types must be dense or sparse, got {sorted(set(kinds))}")
        return [kind == "sparse" for kind in kinds]
    if not f.has("first_k_dense_replace"):
        cure = "say --set first_k_dense_replace=NUMBER"
        raise f.refuse("no first_k_dense_replace, so the dense layers are not known", cure)
    first = f.whole("first_k_dense_replace", low=0, default=0)
    if isinstance(f.get("moe_layer_freq"), list):
        return [bool(one) for one in f.listed("moe_layer_freq", layers) or ()]
    step = f.whole("moe_layer_freq", default=1)
    return [i >= first and i % step == 0 for i in range(layers)]


def _interleaved(f: ConfigFields, layers: int) -> list[bool]:
    named = f.get("moe_layers")
    if named is not None:
        return [i in named for i in range(layers)]
    step = f.whole("interleave_moe_layer_step")
    return [(i + 1) % step == 0 for i in range(layers)]


def _as_many_shared(f: ConfigFields, hidden: int) -> int:
    count = f.maybe("n_shared_experts", "num_shared_experts", low=0) or 0
    return count * f.whole("moe_intermediate_size")


# --- families of their own -------------------------------------------------------------------


def latent(f: ConfigFields) -> Decoder:
    """Return the shape of DeepSeek V2 and V3, Kimi K2, GLM-4.7-Flash, DeepSeek V3.2 and GLM-5."""
    layers, hidden, heads = f.whole(*LAYERS), f.whole(*HIDDEN), f.whole(*HEADS)
    rank, kv_rank = f.maybe("q_lora_rank"), f.whole("kv_lora_rank")
    rope, nope = f.whole("qk_rope_head_dim"), f.whole("qk_nope_head_dim")
    value = f.whole("v_head_dim")
    for ignored in ("num_key_value_heads", "head_dim", "qk_head_dim", "moe_layer_freq"):
        f.get(ignored)
    index, index_heads = f.maybe("index_head_dim"), f.maybe("index_n_heads")
    kinds = f.listed("indexer_types", layers)
    for detail in ("index_topk", "index_topk_freq", "index_topk_pattern"):
        f.get(detail)
    types = set(f.listed("layer_types", layers) or ())
    if types - {"full_attention", "deepseek_sparse_attention"}:
        raise f.refuse(f"layers of {sorted(types)} are not held")
    if (index is None) != (index_heads is None):
        raise f.refuse("index_head_dim and index_n_heads must stand together")
    if kinds is not None and set(kinds) - {"full", "shared"}:
        raise f.refuse(f"indexer_types must be full or shared, got {sorted(set(kinds))}")
    if index and kinds is None and (f.get("index_topk_freq") or 1) > 1:
        raise f.refuse("index_topk_freq without indexer_types", "give the released file")
    if index and rank is None:
        raise f.refuse("an indexer without q_lora_rank")
    sparse = [False] * layers
    if f.maybe(*EXPERTS) is not None:
        sparse = _first_dense(f, layers)
    routed = None
    if any(sparse):
        width, experts, active = (
            f.whole("moe_intermediate_size"),
            f.whole(*EXPERTS),
            f.whole(*ACTIVE),
        )
        if active > experts:
            raise f.refuse(f"{active} experts for a token are more than all {experts}")
        routed = FeedForward(width, 3, experts, active, _as_many_shared(f, hidden))
    dense = FeedForward(f.whole("intermediate_size")) if not all(sparse) else routed
    f.get("intermediate_size")
    vectors = 2 * hidden + kv_rank + (rank or 0)
    if f.flag("attention_bias", False):
        vectors += (rank or 0) + kv_rank + rope + hidden
    blocks = []
    for i in range(layers):
        own = bool(index) and (kinds is None or kinds[i] == "full")
        attention = LatentAttention(
            *(heads, kv_rank, rope, nope, value, rank),
            index_heads=(index_heads or 0) if own else 0,
            index_width=(index or 0) if own else 0,
        )
        feed = routed if sparse[i] else dense
        assert feed is not None
        blocks.append(Block(attention, feed, vectors + (2 * (index or 0) if own else 0)))
    return _decoder(Family(), f, hidden, f.whole("vocab_size"), blocks)


def falcon(f: ConfigFields) -> Decoder:
    """Return the shape of Falcon: one head of keys, or groups in the newer layers."""
    heads = f.whole(*HEADS)
    newer = f.flag("new_decoder_architecture", False)
    groups = f.maybe("num_kv_heads", "num_key_value_heads")
    if newer and groups is None:
        raise f.refuse("new_decoder_architecture without num_kv_heads", "--set num_kv_heads=N")
    one = f.flag("multi_query", True)
    f.content["num_key_value_heads"] = groups if newer else 1 if one else heads
    double = newer and (f.maybe("num_ln_in_parallel_attn") or 2) == 2
    parallel = f.flag("parallel_attn", True)
    if f.flag("alibi", False) or not parallel:
        double = True
    family = Family(
        tied=True, norms=2 if double else 1, norm_rows=2, matrices=2, bias=("bias", False),
        out_bias=("bias", False), feed_bias=("bias", False),
    )  # fmt: skip
    return grouped(family, f)


def gpt2(f: ConfigFields) -> Decoder:
    """Return the shape of GPT-2 and its like, with a learned table of positions."""
    family = Family(
        tied=True, norm_rows=2, matrices=2, bias=_ALWAYS, out_bias=_ALWAYS, feed_bias=_ALWAYS,
        extra=lambda f, hidden, words: hidden * f.whole("n_positions", "n_ctx", default=1024),
    )  # fmt: skip
    return grouped(family, f)


def opt(f: ConfigFields) -> Decoder:
    """Return the shape of OPT."""
    if f.maybe("word_embed_proj_dim") not in (None, f.whole(*HIDDEN)):
        raise f.refuse("word_embed_proj_dim differs from hidden_size, which is not held")
    family = Family(
        tied=True, norm_rows=2, matrices=2, bias=_ALWAYS, out_bias=_ALWAYS, feed_bias=_ALWAYS,
        extra=lambda f, hidden, words: hidden * (f.whole("max_position_embeddings") + 2),
    )  # fmt: skip
    return grouped(family, f)


def mimo(f: ConfigFields) -> Decoder:
    """Return the shape of MiMo-V2-Flash: values narrower than keys, more heads in windows."""
    layers, hidden = f.whole(*LAYERS), f.whole(*HIDDEN)
    pattern = f.listed("hybrid_layer_pattern", layers)
    if pattern is None:
        raise f.refuse("no hybrid_layer_pattern, so the windowed layers are not known")
    window = f.whole("sliding_window", "sliding_window_size")
    full = Attention(
        f.whole(*HEADS), f.whole("num_key_value_heads"), f.whole("head_dim"), f.whole("v_head_dim")
    )
    windowed = Attention(
        f.whole("swa_num_attention_heads"), f.whole("swa_num_key_value_heads"),
        f.whole("swa_head_dim"), f.whole("swa_v_head_dim"), window,
    )  # fmt: skip
    feeds = _feeds(
        Family(experts="moe_intermediate_size", sparse=_by_frequency, shared=_as_many_shared),
        *(f, layers),
    )
    blocks = []
    for i, (feed, small) in enumerate(feeds):
        attention = windowed if pattern[i] else full
        sinks = f.flag(
            "add_swa_attention_sink_bias" if pattern[i] else "add_full_attention_sink_bias", False
        )
        vectors = 2 * hidden + small + (attention.heads if sinks else 0)
        blocks.append(Block(attention, feed, vectors))
    return _decoder(Family(), f, hidden, f.whole("vocab_size"), blocks)


def _by_frequency(f: ConfigFields, layers: int) -> list[bool]:
    return [bool(one) for one in f.listed("moe_layer_freq", layers) or [1] * layers]


def gemma4(f: ConfigFields) -> Decoder:
    """Return the shape of Gemma 4: full layers have heads of their own, whose keys are values."""
    layers, hidden, heads = f.whole(*LAYERS), f.whole(*HIDDEN), f.whole(*HEADS)
    types = f.listed("layer_types", layers)
    if types is None:
        raise f.refuse("no layer_types, so the windowed layers are not known")
    for unheld in ("num_kv_shared_layers", "hidden_size_per_layer_input"):
        if f.get(unheld):
            raise f.refuse(f"{unheld} {f.get(unheld)} is not held")
    if f.flag("use_double_wide_mlp", False):
        raise f.refuse("use_double_wide_mlp is not held")
    width, kv = f.whole("head_dim"), f.whole("num_key_value_heads")
    same = f.flag("attention_k_eq_v", False)
    full = Attention(
        heads,
        f.whole("num_global_key_value_heads") if same else kv,
        f.maybe("global_head_dim") or width,
        value_matrix=not same,
    )
    mixed = f.flag("enable_moe_block", False)
    dense = f.whole("intermediate_size")
    if mixed:
        feed = FeedForward(
            f.whole("moe_intermediate_size"), 3, f.whole(*EXPERTS), f.whole(*ACTIVE), dense
        )
    else:
        feed = FeedForward(dense)
    blocks = []
    for window, _ in _typed(f, types):
        attention = full if window is None else Attention(heads, kv, width, window=window)
        vectors = 4 * hidden + 2 * attention.head_width
        if mixed:
            vectors += 3 * hidden + hidden + feed.experts
        blocks.append(Block(attention, feed, vectors))
    return _decoder(Family(tied=True), f, hidden, f.whole("vocab_size"), blocks)


_ALWAYS = ("", True)
_QWEN_BIAS = Family(bias=_ALWAYS, out_bias=None, windows=_qwen_windows)
_QWEN3 = Family(qk_norm="head", head="file", kv_missing="refuse", windows=_qwen_windows)
_QWEN3_MOE = Family(
    qk_norm="head", head="file", kv_missing="refuse", windows=_qwen_windows,
    experts="moe_intermediate_size", sparse=_qwen_sparse,
)  # fmt: skip
_LLAMA = Family(feed_bias=("mlp_bias", False))

FAMILIES: dict[str, Family | Callable[[ConfigFields], Decoder]] = {
    "llama": _LLAMA,
    "llama4_text": Family(
        head="file", kv_missing="refuse", windows=_chunks, experts="intermediate_size",
        dense_width="intermediate_size_mlp", sparse=_interleaved,
        shared=lambda f, hidden: f.whole("intermediate_size"),
    ),
    "mistral": Family(
        bias=None, out_bias=None, kv_missing="refuse", windows=_named_everywhere, head="ratio"
    ),
    "mixtral": Family(
        bias=None, out_bias=None, kv_missing="refuse", windows=_everywhere,
        experts="intermediate_size",
    ),
    "qwen2": _QWEN_BIAS,
    "qwen2_moe": Family(
        bias=("qkv_bias", True), out_bias=None, windows=_qwen_windows,
        experts="moe_intermediate_size", sparse=_qwen_sparse,
        shared=lambda f, hidden: f.whole("shared_expert_intermediate_size"),
    ),
    "qwen3": _QWEN3,
    "qwen3_vl_text": _QWEN3,
    "qwen3_moe": _QWEN3_MOE,
    "qwen3_vl_moe_text": _QWEN3_MOE,
    "gemma": Family(tied=True, head="file", kv_missing="refuse"),
    "gemma2": Family(tied=True, head="file", kv_missing="refuse", norms=4, windows=_every(2)),
    "gemma3_text": Family(
        tied=True, head="file", kv_missing="refuse", norms=4, qk_norm="head",
        windows=_every(6, "sliding_window_pattern"),
    ),
    "gemma4_text": gemma4,
    "gpt_oss": Family(
        head="file", kv_missing="refuse", bias=("attention_bias", True),
        out_bias=("attention_bias", True), windows=_every(2), experts="intermediate_size",
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
        qk_norm_field="use_qk_norm", experts="moe_intermediate_size", sparse=_first_dense,
        shared=_as_many_shared,
    ),
    "phi": Family(
        bias=_ALWAYS, out_bias=_ALWAYS, feed_bias=_ALWAYS, norms=1, norm_rows=2, matrices=2,
        extra=lambda f, hidden, words: words,
    ),
    "phi3": Family(bias=None, out_bias=None, windows=_everywhere),
    "phimoe": Family(
        kv_missing="refuse", norm_rows=2, windows=_everywhere, experts="intermediate_size",
        extra=lambda f, hidden, words: words if f.flag("lm_head_bias", False) else 0,
    ),
    "olmo": Family(norm_rows=0),
    "olmo2": Family(qk_norm="row"),
    "olmo3": Family(qk_norm="row", windows=_every(4)),
    "olmoe": Family(qk_norm="row", experts="intermediate_size"),
    "minimax_m2": Family(
        head="file", kv_missing="refuse", bias=None, out_bias=None, qk_norm="row",
        experts="intermediate_size",
    ),
    "mimo_v2_flash": mimo,
    "falcon": falcon,
    "gpt2": gpt2,
    "gpt_neox": Family(
        bias=("attention_bias", True), out_bias=("attention_bias", True), feed_bias=_ALWAYS,
        norm_rows=2, matrices=2,
    ),
    "gptj": Family(
        bias=None, out_bias=None, feed_bias=_ALWAYS, norms=1, norm_rows=2, matrices=2,
        extra=lambda f, hidden, words: words,
    ),
    "opt": opt,
    "bloom": Family(
        tied=True, bias=_ALWAYS, out_bias=_ALWAYS, feed_bias=_ALWAYS, norm_rows=2, matrices=2,
        extra=lambda f, hidden, words: 2 * hidden,
    ),
    "starcoder2": Family(
        tied=True, kv_missing="refuse", bias=("use_bias", True), out_bias=("use_bias", True),
        feed_bias=("use_bias", True), norm_rows=2, matrices=2, windows=_everywhere,
    ),
    "stablelm": Family(bias=("use_qkv_bias", False), out_bias=None, norm_rows=2),
    "granite": _LLAMA,
    "smollm3": Family(
        tied=True, kv_missing="refuse", feed_bias=("mlp_bias", False), windows=_qwen_windows
    ),
    "cohere": Family(tied=True, norms=1),
    "cohere2": Family(tied=True, norms=1, windows=_every(4, "sliding_window_pattern")),
}  # fmt: skip
"""The rule for each `model_type` that is read."""

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
}
"""Why a `model_type` is refused."""
