"""What Splitwise and DistServe print, next to the traces, the profile and the fluid limit."""

from __future__ import annotations

from functools import partial

import numpy as np

from perfmodel.labs.serving.disaggregation.inputs import (
    profile,
    prompt_seconds,
    token_seconds,
    trace,
)
from perfmodel.labs.serving.disaggregation.pools import fluid, opt_attainment, work
from perfmodel.ledger import Sheet, re_aggregated, recomputed, same_method, trend

POOLED, LIMIT, BUSY = 40, 0.1, 0.6
"""Servers of the paper's cluster; seconds of an iteration and the usable fraction, our choice."""
POOL_BOUND = 0.15
"""How far a number of prefill servers may be off."""
RUNS = 5
"""Runs of 100 requests whose attainment is averaged."""
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


def _output_tokens(hardware: str) -> float:
    return prompt_seconds("bloom-176b", hardware, 1500) / token_seconds("bloom-176b", hardware, 1)


def _slow_decline() -> tuple[bool, str]:
    shares = [opt_attainment(rate, 100, RUNS) for rate in (1.0, 2.0, 4.0)]
    said = ", ".join(f"{100 * share:.0f} %" for share in shares)
    return shares[0] > shares[1] > shares[2] > 0.2, (
        f"{said} at 1, 2 and 4 requests/s in runs of 100; {100 * opt_attainment(4.0, 4000):.0f} % "
        "of 4,000 at 4"
    )


def _no_limit() -> tuple[bool, str]:
    ratios = []
    for name in ("conversation", "code"):
        capacity = fluid(work(name), 1e6)
        ratios.append(capacity.split / capacity.mixed)
    return max(ratios) <= 1, ", ".join(f"{ratio:.2f} times" for ratio in ratios)


def _cache_bytes() -> float:
    return 2.0 * _LAYERS * _WIDTH * 2 * _TOKENS


_LENGTHS = (
    "The lengths of the paper's requests aren't released as text. Of the chat that stands for them "
    "here, a sixth has prompts that take more than 0.2 s even alone."
)
_FIVE = "The profile of the same machine has 5.2."
_SIX = "The profile has 8.3 on A100 and 5.2 on H100; the text doesn't say which one it means."
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
        *(
            re_aggregated(
                f"output tokens that cost as much as 1,500 prompt tokens, BLOOM-176B on {card}",
                "6",
                "Splitwise, section 3.3",
                partial(_output_tokens, hardware),
                miss=_SIX if card == "A100" else _FIVE,
            )
            for card, hardware in (("H100", "h100-80gb"), ("A100", "a100-80gb"))
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
        trend(
            "attainment of vLLM with OPT-13B above its capacity, other lengths",
            "falls slowly, from 97.0 % at 1 request/s to 23.6 % at 4",
            "DistServe, Table 2",
            _slow_decline,
        ),
        same_method(
            "attainment at 1 request/s, in runs of 100, other lengths",
            "97.0 %",
            "DistServe, Table 2",
            lambda: opt_attainment(1.0, 100, RUNS),
            within=0.1,
            miss=_LENGTHS,
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
    "constants don't give. DistServe's rates, and the other rows of its Table 2, need its samples "
    "of lengths, which aren't released as text. Neither public profile contains an iteration with "
    "a chunk of a prompt and a batch.",
)
