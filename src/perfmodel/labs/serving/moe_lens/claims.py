"""Published numbers, one row each, and the computed values."""

from __future__ import annotations

from collections.abc import Callable

from perfmodel.labs.serving.moe_lens.inputs import (
    CACHE,
    DEVICES,
    FULL,
    GENERATED,
    KV_BYTES,
    LARGE_CACHE,
    LINK,
    MEMORY,
    MIXTRAL,
    PROMPT,
    SHARE,
    cache_tokens,
    server,
)
from perfmodel.ledger import Claim, Sheet, recomputed
from perfmodel.serving import overlap_capacity_gain, pass_efficiency, saturating_tokens

TERA, GIGA = 1024e9, 1000 * 2**20
"""FLOP/s and bytes that a T and a GB would stand for if Table 2 were exact: 1,024 G and 1,000 MiB.

Nothing that was read of the paper says so, and both were found by trying. The rows below have SI.
"""
TABLE_2_TOKENS = 19_200
"""Tokens that saturate an A40, as printed."""


def device_tokens(device: str, tera: float = 1e12) -> float:
    """Return the tokens of a pass that saturate a device, over the link on paper.

    >>> device_tokens("A40"), device_tokens("A40", TERA)
    (18750.0, 19200.0)
    """
    return float(saturating_tokens(DEVICES[device] * tera, LINK, SHARE))


def device_memory(device: str, context: int, tera: float = 1e12, giga: float = 1e9) -> float:
    """Return the GB of cache if each of those tokens belongs to a sequence of `context` tokens.

    >>> round(device_memory("A40", 256), 1), device_memory("A40", 256, TERA, GIGA)
    (629.1, 614.4)
    """
    return device_tokens(device, tera) * context * KV_BYTES / giga


def stage_bytes(tokens: float) -> float:
    """Return the bytes between GPU and host in a stage: queries, keys, values, or their outcome.

    >>> round(stage_bytes(18_500) / 1e6)
    227
    """
    return 2 * tokens * (MIXTRAL.hidden + 2 * MIXTRAL.hidden / MIXTRAL.group)


def utilization(
    size: float, full: float, prompt: int = PROMPT, generated: int = GENERATED
) -> float:
    """Return the share of a `full` pass that a cache of `size` bytes makes room for, 1 at most.

    >>> round(utilization(CACHE, TABLE_2_TOKENS), 3)
    0.961
    """
    return min(1.0, float(pass_efficiency(prompt, generated)) * cache_tokens(size) / full)


def _memory_seconds() -> float:
    """Return the seconds for which the memory is busy with weights and the largest cache."""
    return float(server().channels(0, cache_tokens(LARGE_CACHE))[-1])


def _tokens(device: str, printed: str) -> Claim:
    return recomputed(
        f"tokens of a pass that saturate an {device}, {DEVICES[device]} TFLOP/s over 32 GB/s",
        f"{printed}e3 tokens",
        "Table 2 and equation 2",
        lambda: device_tokens(device),
        miss=f"With a T of 1,024 G it would be {device_tokens(device, TERA):,.0f}. The parts that "
        "we could read don't say so.",
    )


def _memory(device: str, printed: int) -> Claim:
    return recomputed(
        f"cache for them, 256 tokens a sequence, {device}",
        f"{printed} GB",
        "Table 2",
        lambda: 1e9 * device_memory(device, 256),
        miss="With a T of 1,024 G, and a GB of 1,000 MiB on top of that, it would be "
        f"{device_memory(device, 256, TERA, GIGA):,.2f}; the printed number is this without its "
        "decimals. The parts that we could read don't say so.",
    )


def _row(name: str, printed: str, where: str, compute: Callable[[], float], miss: str) -> Claim:
    return recomputed(name, printed, where, compute, miss=miss)


_BANDWIDTH = f"{MEMORY / 1e9:.0f} GB/s"

SHEET = Sheet(
    "Y. Yuan, L. Ma and N. Talati, 'MoE-Lens: Towards the Hardware Limit of High-Throughput MoE "
    "LLM Serving Under Resource Constraints', arXiv:2504.09345, 2025",
    [
        _tokens("A40", "19.2"),
        _tokens("L40", "23.2"),
        _tokens("A100", "40.0"),
        _memory("A40", 614),
        _memory("L40", 741),
        _memory("A100", 1277),
        _row(
            "sequences that fit, all ages over one age, p = 98, g = 256",
            "1.57",
            "equation 7",
            lambda: float(overlap_capacity_gain(98, 256)),
            "",
        ),
        _row(
            "bytes between GPU and host in a stage, 18,500 tokens",
            "200 MB",
            "text on the pipeline, 'about'",
            lambda: stage_bytes(FULL),
            f"The paper's formula 2n(d + 2d/s) gives {stage_bytes(FULL) / 1e6:.0f} MB; its text "
            "says 'about'.",
        ),
        _row(
            "share of the time for which an A40 computes, 70 GB of cache, g = 32",
            "90 %",
            "evaluation",
            lambda: utilization(CACHE, TABLE_2_TOKENS),
            "Our value is the bound of an endless stream without lost room, relative to the 19,200 "
            "tokens of Table 2. Partly used blocks and a batch that begins and ends lower it; we "
            "couldn't read how large the authors' blocks and batches were, nor what their "
            f"percentage is of. Of {FULL:,.0f} tokens the bound would be "
            f"{100 * utilization(CACHE, FULL):.1f} %.",
        ),
        _row(
            "time of a sweep beside the reading of a cache of 210 GB, g = 256",
            "6 s",
            "evaluation, 'from about 5'",
            lambda: float(server().seconds(0, cache_tokens(LARGE_CACHE))),
            f"Weights and cache together take {_memory_seconds():.1f} s of the memory at "
            f"{_BANDWIDTH}, so the link stays the limit in the model. The model doesn't know that "
            "two readers slow each other down before the memory is fully used.",
        ),
    ],
    unheld="Table 2's memory for 512 tokens per sequence is twice its memory for 256, so it is no "
    "further number. Speedups over MoE-Lightning (4.6 on average, 25.5 at most) and its "
    "utilizations would need a model of that system. The accuracy of 94 % belongs to the authors' "
    "equations for batches, which we couldn't read; this lab's are a reconstruction. Speedups of "
    "the CPU's attention (4.7 and 3.1) belong to code.",
)
