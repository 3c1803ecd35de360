"""Which layers have windows and which have experts, by the rule of a family."""

from __future__ import annotations

from collections.abc import Callable

from perfmodel.readers.configs.fields import ConfigFields

Windows = list[tuple[int | None, bool]]
"""For each layer its window and whether that is a chunk."""


def no_windows(f: ConfigFields, layers: int) -> Windows:
    """Return no windows, unless the file names a kind for each layer."""
    if (types := f.listed("layer_types", layers)) is not None:
        return typed(f, types)
    return [(None, False)] * layers


def typed(f: ConfigFields, types: list[object]) -> Windows:
    """Return the windows of layers whose kinds the file names."""
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


def everywhere(f: ConfigFields, layers: int) -> Windows:
    """Return the same window in every layer, or none."""
    if (types := f.listed("layer_types", layers)) is not None:
        return typed(f, types)
    window = f.maybe("sliding_window")
    longest = f.maybe("max_position_embeddings")
    if window is not None and longest is not None and window >= longest:
        f.said.append(f"The window of {window} tokens is as long as the longest text: none.")
        window = None
    return [(window, False)] * layers


def named_everywhere(f: ConfigFields, layers: int) -> Windows:
    """Mistral: a missing field means 4,096 to one program and no window to another."""
    if not f.has("sliding_window") and not f.has("layer_types"):
        what = "no sliding_window: transformers makes it 4096, other programs none"
        cure = "say --set sliding_window=null (v0.2 and later) or =4096 (v0.1)"
        raise f.refuse(what, cure)
    return everywhere(f, layers)


def qwen_windows(f: ConfigFields, layers: int) -> Windows:
    """Return the windows of Qwen: only above a given layer, and only if they are used."""
    window, first = f.maybe("sliding_window", low=0), f.maybe("max_window_layers", low=0)
    types = f.listed("layer_types", layers)
    if not f.flag("use_sliding_window", False) or not window:
        if types is not None and any(kind != "full_attention" for kind in types):
            return typed(f, types)
        return [(None, False)] * layers
    if types is not None:
        return typed(f, types)
    if first is None:
        raise f.refuse("use_sliding_window without max_window_layers", "--set max_window_layers=N")
    return [(window if i >= first else None, False) for i in range(layers)]


def every(number: int, field: str = "") -> Callable[[ConfigFields, int], Windows]:
    """Return the rule that each `number`-th layer attends to everything, the others to a window."""

    def windows(f: ConfigFields, layers: int) -> Windows:
        if (types := f.listed("layer_types", layers)) is not None:
            return typed(f, types)
        period = f.whole(field, default=number) if field else number
        window = f.whole("sliding_window")
        return [(None if (i + 1) % period == 0 else window, False) for i in range(layers)]

    return windows


def chunks(f: ConfigFields, layers: int) -> Windows:
    """Return Llama 4's chunks: in every layer that rotates its keys."""
    if (types := f.listed("layer_types", layers)) is not None:
        return typed(f, types)
    chunk = f.maybe("attention_chunk_size")
    turned = f.get("no_rope_layers") or [(i + 1) % 4 for i in range(layers)]
    if len(turned) != layers:
        raise f.refuse(f"no_rope_layers must have {layers} entries, got {len(turned)}")
    return [(chunk, True) if one and chunk else (None, False) for one in turned]


def qwen_sparse(f: ConfigFields, layers: int) -> list[bool]:
    """Return the layers with experts: every n-th, without those named as dense."""
    step = f.whole("decoder_sparse_step", default=1)
    dense = f.get("mlp_only_layers") or []
    return [(i + 1) % step == 0 and i not in dense for i in range(layers)]


def first_dense(f: ConfigFields, layers: int) -> list[bool]:
    """Return the layers with experts: all after the first dense ones."""
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


def interleaved(f: ConfigFields, layers: int) -> list[bool]:
    """Return the layers with experts: every n-th."""
    named = f.get("moe_layers")
    if named is not None:
        return [i in named for i in range(layers)]
    step = f.whole("interleave_moe_layer_step")
    return [(i + 1) % step == 0 for i in range(layers)]


def as_many_shared(f: ConfigFields, hidden: int) -> int:
    """Return the width of the shared experts, each as wide as a routed one."""
    count = f.maybe("n_shared_experts", "num_shared_experts", low=0) or 0
    return count * f.whole("moe_intermediate_size")


def by_frequency(f: ConfigFields, layers: int) -> list[bool]:
    """Return the layers with experts, as the file lists them."""
    return [bool(one) for one in f.listed("moe_layer_freq", layers) or [1] * layers]
