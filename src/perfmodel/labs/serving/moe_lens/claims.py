"""What the paper prints, beside ours: one row a number, as it is printed."""

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
    MIXTRAL,
    PROMPT,
    SHARE,
    cache_tokens,
    server,
)
from perfmodel.ledger import Claim, Sheet, recomputed
from perfmodel.serving import overlap_capacity_gain, pass_efficiency, saturating_tokens

TERA = 1024e9
"""FLOP/s that a T stands for, so that the printed tokens come out: 1,024 G."""
GIGA = 1000 * 2**20
"""Bytes that a GB stands for, so that the printed memory comes out: 1,000 MiB."""
_CUT = "The paper cut the decimals off instead of rounding."
_MISS = {
    ("A100", 0): "312 of 1,024 G each, over 32, times 4 is 39,936; the next row, 1,277 GB, is "
    "39,936 tokens too, not 40,000.",
    ("A100", 256): _CUT,
    ("A40", 512): "The paper doubled what it printed for 256 tokens, where decimals are cut off.",
    ("L40", 512): "The paper doubled what it printed for 256 tokens, where decimals are cut off.",
    ("A100", 512): "The paper doubled what it printed for 256 tokens, where decimals are cut off.",
}


def device_tokens(device: str, tera: float = TERA) -> float:
    """Return the tokens of a pass that saturate a device, over the link on paper.

    >>> device_tokens("A40"), device_tokens("A40", 1e12)
    (19200.0, 18750.0)
    """
    return float(saturating_tokens(DEVICES[device] * tera, LINK, SHARE))


def device_memory(device: str, context: int, tera: float = TERA, giga: float = GIGA) -> float:
    """Return the GB of cache if each of those tokens belongs to a sequence of `context` tokens.

    >>> device_memory("A40", 256), round(device_memory("A40", 256, 1e12, 1e9), 1)
    (614.4, 629.1)
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

    >>> round(utilization(CACHE, device_tokens("A40")), 3)
    0.961
    """
    return min(1.0, float(pass_efficiency(prompt, generated)) * cache_tokens(size) / full)


def _tokens(device: str, printed: str) -> Claim:
    return recomputed(
        f"tokens of a pass that saturate an {device}, {DEVICES[device]} TFLOP/s",
        f"{printed}e3 tokens",
        "Table 2 and equation 2, a T being 1,024 G",
        lambda: device_tokens(device),
        miss=_MISS.get((device, 0), ""),
    )


def _memory(device: str, context: int, printed: int) -> Claim:
    return recomputed(
        f"cache for them, {context} tokens a sequence, {device}",
        f"{printed} GB",
        "Table 2, a GB being 1,000 MiB",
        lambda: 1e9 * device_memory(device, context),
        miss=_MISS.get((device, context), ""),
    )


def _row(name: str, printed: str, where: str, compute: Callable[[], float], miss: str) -> Claim:
    return recomputed(name, printed, where, compute, miss=miss)


SHEET = Sheet(
    "Y. Yuan, L. Ma and N. Talati, 'MoE-Lens: Towards the Hardware Limit of High-Throughput MoE "
    "LLM Serving Under Resource Constraints', arXiv:2504.09345, 2025",
    [
        _tokens("A40", "19.2"),
        _tokens("L40", "23.2"),
        _tokens("A100", "40.0"),
        _memory("A40", 256, 614),
        _memory("L40", 256, 741),
        _memory("A100", 256, 1277),
        _memory("A40", 512, 1228),
        _memory("L40", 512, 1482),
        _memory("A100", 512, 2554),
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
            "The formula beside it, 2n(d + 2d/s), gives 227 MB; the text says 'about'.",
        ),
        _row(
            "share of the time for which an A40 computes, 70 GB of cache, g = 32",
            "90 %",
            "evaluation",
            lambda: utilization(CACHE, device_tokens("A40")),
            "Ours is the bound of an endless stream in which no room is lost, of 19,200 tokens. "
            "Blocks that aren't full, and a batch that begins and ends, lower it; how large the "
            "authors' were was not read. Nor was what their share is of: of 18,500 tokens the "
            "bound would be 99.8 %.",
        ),
        _row(
            "time of a sweep beside the reading of a cache of 210 GB, g = 256",
            "6 s",
            "evaluation, 'from about 5'",
            lambda: float(server().seconds(0, cache_tokens(LARGE_CACHE))),
            "Weights and cache together take 2 s of the memory at 150 GB/s, so that in the model "
            "the link remains the limit. That two readers slow each other down before the memory "
            "is full isn't in it.",
        ),
    ],
    unheld="Speedups over MoE-Lightning (4.6 on average, 25.5 at most) would need a model of that "
    "system, as would its utilizations (link 23.9 % in prompts, GPU 16.5 % in answers; memory "
    "52.0, 56.2 and 35.0 %): how it splits its batches was not read. The 94 % accuracy is of the "
    "authors' own equations for batches, which were not available; this lab's are a "
    "reconstruction. Speedups of the CPU's attention (4.7 and 3.1) are of code.",
)
