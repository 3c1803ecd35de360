"""`perfmodel llm memory`: whether a model fits."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from perfmodel.command.answer import Answer, Quantity, Verdict, exact
from perfmodel.command.language_models.setting import (
    KV_BITS,
    MEMORY,
    Setting,
    context_of,
    model_options,
    setting_of,
    traps_of,
)
from perfmodel.command.options import Assumed, answers


@answers(assume=(*MEMORY, KV_BITS))
@model_options
@click.option("--context", type=int, help="Tokens of each sequence; default: the config's longest.")
@click.option("--concurrency", type=click.IntRange(1), help="Sequences that must fit at once.")
def memory(
    assumed: Assumed,
    config: Path,
    machine: str,
    count: int,
    replaced: tuple[str, ...],
    weight_bits: float | None,
    context: int | None,
    concurrency: int | None,
) -> Answer:
    """Say whether the model fits, and how many sequences fit next to it.

    \b
      perfmodel llm memory config.json --on h100 --context 32768 --concurrency 16

    CONFIG is a model's config.json, as on Hugging Face, or its folder.
    """  # noqa: D301
    from perfmodel.validation import positive, within

    setting = setting_of(config, machine, count, replaced, weight_bits)
    shape, bits = setting.shape, float(positive("kv_bits", assumed["kv_bits"]))
    tokens, noted = context_of(setting, context)
    positive("context", tokens)
    share = float(within("memory_share", assumed["memory_share"], 0.01, 1))
    room = share * setting.machine.memory_capacity - setting.device_weights
    each = setting.cache_bytes(tokens, bits)
    spaces = [float(assumed["workspace"])]
    given = "workspace" in assumed.given
    low, high = (spaces[0], spaces[0]) if given else (6e9, 1.5e9)
    fits = [(room - space) / each for space in (spaces[0], low, high)]
    middle, fewest, most = (max(0, int(one)) for one in fits)
    wanted = concurrency or 1
    verdict: Verdict = "yes" if fewest >= wanted else "no" if most < wanted else "unknown"
    where = f"{setting.count} x {setting.machine.short or setting.machine.id}"
    if room - high < 0:
        summary = f"The weights alone don't fit into {where}."
    else:
        summary = (
            f"{middle:,} sequences of {tokens:,} tokens fit next to the weights on {where}; "
            f"{wanted:,} {'is' if wanted == 1 else 'are'} asked for."
        )
    capacity = setting.machine.memory_capacity
    needed = setting.device_weights + wanted * each + spaces[0]
    smallest = _fewest(setting, share, spaces[0], wanted, tokens, bits)
    total = shape.kv_bytes_per_token(bits / 8)
    quantities = (
        Quantity("parameters", shape.parameters, shape.parameters, shape.parameters, "1",
                 f"{shape.active_parameters:,} active"),
        exact("weights, all devices", setting.weights.bytes_of(shape), "bytes"),
        exact("cache of a token, before windows", total, "bytes", "all layers, one copy"),
        exact(f"cache of a sequence of {tokens:,}", each, "bytes", "on each device"),
        exact("memory of a device", capacity, "bytes"),
        Quantity("needed on a device", needed, needed - spaces[0] + high, needed - spaces[0] + low,
                 "bytes"),
        Quantity("sequences that fit", middle, fewest, most, "1",
                 "by the bytes of the workspace" if not given else ""),
        Quantity("fewest devices", smallest, None, None, "1", "powers of two, for what is asked"),
    )  # fmt: skip
    held = "weights" if setting.device_weights > wanted * each else "cache"
    other = "the cache" if held == "weights" else "the weights"
    copies = [
        "The cache of latent attention is not cut: each device holds all of it."
        for block in shape.blocks[:1]
        if block.attention.kv_parts < count
    ]
    return Answer(
        f"Does {setting.model.name} fit on {where}?",
        verdict,
        summary,
        quantities,
        (*setting.assumed, noted, *assumed.listed()),
        f"device memory, more of it for the {held} than for {other}",
        f"{other}; with all in memory, the bandwidth that reads both in every step",
        (
            "What fragmentation, adapters and vision parts take.",
            "Whether the engine frees the cache behind windows, as counted here.",
        ),
        (*traps_of(setting), *copies),
        (
            f"{shape.parameters:,} parameters make {setting.weights.bytes_of(shape):,.0f} bytes.",
            f"{share:g} x {capacity:,.0f} bytes less {setting.device_weights:,.0f} of weights "
            f"leave {room:,.0f} bytes; {spaces[0]:,.0f} are workspace.",
            f"A sequence takes {each:,.0f} bytes on a device, so {middle:,} fit.",
        ),
        "book/serving.md",
    )


def _fewest(
    setting: Setting, share: float, workspace: float, wanted: int, tokens: int, bits: float
) -> int | None:

    for power in range(11):
        one = replace(setting, count=2**power)
        need = one.device_weights + wanted * one.cache_bytes(tokens, bits) + workspace
        if need <= share * setting.machine.memory_capacity:
            return int(2**power)
    return None
