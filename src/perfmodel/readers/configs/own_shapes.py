"""Shapes of families that no common rule describes."""

from __future__ import annotations

from perfmodel.readers.configs.fields import ACTIVE, EXPERTS, HEADS, HIDDEN, LAYERS, ConfigFields
from perfmodel.readers.configs.grouped import Family, grouped, layer_networks, whole_model
from perfmodel.readers.configs.layers import as_many_shared, by_frequency, first_dense, typed
from perfmodel.roofline.blocks import Attention, Block, FeedForward, LatentAttention
from perfmodel.roofline.transformer import Decoder

ALWAYS = ("", True)
"""Biases that no field can take away."""


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
        sparse = first_dense(f, layers)
    routed = None
    if any(sparse):
        width, experts, active = (
            f.whole("moe_intermediate_size"),
            f.whole(*EXPERTS),
            f.whole(*ACTIVE),
        )
        if active > experts:
            raise f.refuse(f"{active} experts for a token are more than all {experts}")
        routed = FeedForward(width, 3, experts, active, as_many_shared(f, hidden))
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
            index_num_heads=(index_heads or 0) if own else 0,
            index_head_dim=(index or 0) if own else 0,
        )
        feed = routed if sparse[i] else dense
        assert feed is not None
        blocks.append(Block(attention, feed, vectors + (2 * (index or 0) if own else 0)))
    return whole_model(Family(), f, hidden, f.whole("vocab_size"), blocks)


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
    """Return the shape of GPT-2 and similar models, with a learned table of positions."""
    family = Family(
        tied=True, norm_rows=2, matrices=2, bias=ALWAYS, out_bias=ALWAYS, feed_bias=ALWAYS,
        extra=lambda f, hidden, words: hidden * f.whole("n_positions", "n_ctx", default=1024),
    )  # fmt: skip
    return grouped(family, f)


def opt(f: ConfigFields) -> Decoder:
    """Return the shape of OPT."""
    if f.maybe("word_embed_proj_dim") not in (None, f.whole(*HIDDEN)):
        raise f.refuse("word_embed_proj_dim differs from hidden_size, which is not held")
    family = Family(
        tied=True, norm_rows=2, matrices=2, bias=ALWAYS, out_bias=ALWAYS, feed_bias=ALWAYS,
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
    feeds = layer_networks(
        Family(experts="moe_intermediate_size", sparse=by_frequency, shared=as_many_shared),
        *(f, layers),
    )
    blocks = []
    for i, (feed, small) in enumerate(feeds):
        attention = windowed if pattern[i] else full
        sinks = f.flag(
            "add_swa_attention_sink_bias" if pattern[i] else "add_full_attention_sink_bias", False
        )
        vectors = 2 * hidden + small + (attention.num_heads if sinks else 0)
        blocks.append(Block(attention, feed, vectors))
    return whole_model(Family(), f, hidden, f.whole("vocab_size"), blocks)


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
    for window, _ in typed(f, types):
        attention = full if window is None else Attention(heads, kv, width, sliding_window=window)
        vectors = 4 * hidden + 2 * attention.head_dim
        if mixed:
            vectors += 3 * hidden + hidden + feed.experts
        blocks.append(Block(attention, feed, vectors))
    return whole_model(Family(tied=True), f, hidden, f.whole("vocab_size"), blocks)
