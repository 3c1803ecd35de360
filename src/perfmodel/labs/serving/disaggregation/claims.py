"""What Splitwise and DistServe print, next to the traces, the profile and the fluid limit."""

from __future__ import annotations

from functools import partial

import numpy as np

from perfmodel.labs.serving.disaggregation.inputs import profile, token_seconds, trace
from perfmodel.labs.serving.disaggregation.pools import fluid, work
from perfmodel.ledger import Sheet, re_aggregated, recomputed, same_method, trend

POOLED, LIMIT, BUSY = 40, 0.1, 0.6
"""Servers of the paper's cluster; seconds of an iteration and the usable fraction, our choice."""
POOL_BOUND = 0.15
"""How far a number of prefill servers may be off."""
_LAYERS, _WIDTH, _TOKENS = 64, 9216, 512
"""OPT-66B, and a prompt of DistServe's example."""


def _median(name: str, column: int) -> float:
    return float(np.median(trace(name)[column]))


def _slower(model: str, hardware: str) -> float:
    return token_seconds(model, hardware, 64) / token_seconds(model, hardware, 1)


def _knee() -> tuple[bool, str]:
    runs = profile("llama2-70b", "h100-80gb")
    alone = (runs.batch == 1) & (runs.output == 128)
    rate = dict(zip(runs.prompt[alone], (runs.prompt / runs.prompt_seconds)[alone], strict=True))
    said = ", ".join(f"{rate[n]:,.0f}/s at {n:,}" for n in (1024, 2048, 4096))
    return rate[2048] > rate[1024] and rate[2048] > rate[4096], said


def _no_limit() -> tuple[bool, str]:
    ratios = []
    for name in ("conversation", "code"):
        capacity = fluid(work(name), 1e6)
        ratios.append(capacity.split / capacity.mixed)
    return max(ratios) <= 1, ", ".join(f"{ratio:.2f} times" for ratio in ratios)


def _cache_bytes() -> float:
    return 2.0 * _LAYERS * _WIDTH * 2 * _TOKENS


_MIXED_UNITS = (
    "The keys and values take 1.208e9 bytes, which are 1.125 GiB. The print calls this GB, and "
    "the bandwidth of ten such prompts a second is 96.6 Gbit/s, not 90."
)

SHEET = Sheet(
    "P. Patel and others, 'Splitwise: efficient generative LLM inference using phase splitting', "
    "ISCA 2024; Y. Zhong and others, 'DistServe', OSDI 2024",
    [
        re_aggregated(
            "median prompt, coding",
            "1,500",
            "Splitwise, section 3.1",
            partial(_median, "code", 1),
            miss="The released trace has 1,469; the text rounds to hundreds.",
        ),
        re_aggregated(
            "median answer, coding", "13", "Splitwise, section 3.1", partial(_median, "code", 2)
        ),
        re_aggregated(
            "median prompt, conversation",
            "1,020",
            "Splitwise, section 3.1",
            partial(_median, "conversation", 1),
        ),
        re_aggregated(
            "median answer, conversation",
            "129",
            "Splitwise, section 3.1",
            partial(_median, "conversation", 2),
        ),
        re_aggregated(
            "token time of 64 requests over that of one, BLOOM-176B on A100",
            "2",
            "Splitwise, section 3.3",
            partial(_slower, "bloom-176b", "a100-80gb"),
        ),
        re_aggregated(
            "token time of 64 requests over that of one, Llama-2-70B on H100",
            "2",
            "Splitwise, section 3.3",
            partial(_slower, "llama2-70b", "h100-80gb"),
        ),
        re_aggregated(
            "prompt tokens a second by the length of the prompt, Llama-2-70B on H100",
            "throughput falls above 2,048 tokens",
            "Splitwise, section 3.4",
            _knee,
        ),
        *(
            same_method(
                f"prefill servers of 40, {name}: iterations of 0.1 s, usable for 60 %",
                str(printed),
                f"Splitwise, section 6.2, {name}",
                partial(lambda name: fluid(work(name), LIMIT, POOLED, BUSY).prefill, name),
                within=POOL_BOUND,
            )
            for name, printed in (("code", 35), ("conversation", 25))
        ),
        trend(
            "split over mixed throughput without any limit, fluid limit",
            "batch jobs gain nothing from splitting",
            "Splitwise, section 6.5",
            _no_limit,
        ),
        recomputed(
            "bytes of keys and values of 512 tokens, OPT-66B",
            "1.13 GB",
            "DistServe, section 3.3",
            _cache_bytes,
            miss=_MIXED_UNITS,
        ),
        recomputed(
            "bits a second of ten such prompts",
            "90e9",
            "DistServe, section 3.3",
            lambda: 10 * 8 * _cache_bytes(),
            miss=_MIXED_UNITS,
        ),
    ],
    unheld="The papers compare throughputs of clusters with equal power or cost, which the public "
    "constants don't give. DistServe's rates need its samples of lengths, which aren't released as "
    "text. Neither public profile contains an iteration with a chunk of a prompt and a batch.",
)
