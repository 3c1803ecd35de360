"""The shape of a family with grouped heads, from what its rule says about layers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from perfmodel.readers.configs.fields import ACTIVE, EXPERTS, HEADS, HIDDEN, LAYERS, ConfigFields
from perfmodel.readers.configs.layers import Windows, no_windows
from perfmodel.roofline.blocks import Attention, Block, FeedForward
from perfmodel.roofline.transformer import Decoder


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
    """Vectors outside the layers besides the last norm, from hidden and vocabulary."""


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
    windows = (family.windows or no_windows)(f, layers)
    feeds = layer_networks(family, f, layers)
    vectors = family.norms * family.norm_rows * hidden
    vectors += (heads + 2 * kv) * head * _flag(f, family.bias)
    vectors += hidden * _flag(f, family.out_bias)
    if family.qk_norm and (not family.qk_norm_field or f.flag(family.qk_norm_field, False)):
        vectors += 2 * head if family.qk_norm == "head" else (heads + kv) * head
    vectors += heads if family.sinks else 0
    blocks = []
    for (window, chunked), (feed, small) in zip(windows, feeds, strict=True):
        attention = Attention(heads, kv, head, sliding_window=window, chunked=chunked)
        blocks.append(Block(attention, feed, vectors + small))
    return whole_model(family, f, hidden, vocabulary, blocks)


def whole_model(
    family: Family, f: ConfigFields, hidden: int, vocabulary: int, blocks: list[Block]
) -> Decoder:
    """Return the decoder of blocks, with word tables and the last norm as the family has them."""
    if f.get("tie_word_embeddings") is None:
        which = "one table" if family.tied else "two tables"
        f.said.append(f"The file has no tie_word_embeddings: its class has {which} of words.")
    tied = f.flag("tie_word_embeddings", family.tied)
    last = family.norm_rows * hidden
    if family.extra:
        last += family.extra(f, hidden, vocabulary)
    return Decoder(
        hidden_size=hidden, vocab_size=vocabulary, blocks=tuple(blocks), tied=tied, vectors=last
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


def layer_networks(family: Family, f: ConfigFields, layers: int) -> list[tuple[FeedForward, int]]:
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
