"""What the authors of Sarathi-Serve measured and printed, and the lengths of their chat.

Source: A. Agrawal and others, "Taming Throughput-Latency Tradeoff in LLM Inference with
Sarathi-Serve", OSDI 2024 (arXiv 2403.02310); times of iterations from its artifact,
github.com/microsoft/sarathi-serve, branch osdi-sarathi-serve, commit ceaa066. All are of Yi-34B on
two A100 of 80 GB, which share each layer.
"""

from __future__ import annotations

import math
import random
from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from perfmodel.serving import Requests
from perfmodel.validation import positive, whole

DECODE_SECONDS = {
    1: 0.04680,
    2: 0.04750,
    4: 0.04885,
    8: 0.06968,
    16: 0.07725,
    32: 0.08790,
    64: 0.12781,
    128: 0.18933,
}
"""Seconds of an iteration that gives a token to each of this many sequences of about 1,024 tokens.
Artifact, osdi-experiments/figure-2/decode.csv."""

PROMPT_SECONDS = {
    128: 0.04809,
    512: 0.10558,
    1024: 0.21430,
    2048: 0.36603,
    4096: 0.75760,
    8192: 1.86326,
    16384: 4.40750,
}
"""Seconds of an iteration that reads one prompt of this many tokens. Artifact,
osdi-experiments/figure-2/prefill.csv, without its row of 256 tokens: it is the run's first
iteration (batch 0) and took longer than that of 512."""

CHUNKED_SECONDS = {2047: 0.43568, 4095: 0.92196, 8191: 1.95853, 16383: 4.51283}
"""Seconds to read one prompt of this many tokens in chunks of 512. Artifact,
osdi-experiments/figure-9/chunking-overhead.csv."""

UNCUT_SECONDS = {2047: 0.37813, 4095: 0.77544, 8191: 1.75416, 16383: 4.53500}
"""The same in one piece. The same file, chunks of 16,384."""

MIXED_SECONDS = 0.21765
"""Seconds of an iteration of 1,021 prompt tokens and three sequences that decode. Artifact,
osdi-experiments/table-2/results.csv."""

FOUR_SECONDS = 0.06812
"""Seconds of an iteration of four sequences that decode. The same file."""

CHUNK = 512
"""Tokens of an iteration in the scripts of the artifact's ablation (table-6), and under strict
limits in the paper (section 5.1)."""
WHOLE = 8192
"""The same where prompts are not cut: no prompt of the chat is longer."""
SEATS = 128
"""Sequences of a batch in these scripts."""
RATE, COUNT = 1.0, 128
"""Requests a second and requests of a run in these scripts, for the chat."""

SEED = 42
"""Of the random numbers, in the scripts' default settings."""
_LONGEST_GAP = 3.0

STRICT = 0.2
"""Seconds between tokens that the 99th percentile may have, at most: the paper's strict limit for
this model (Table 3), about five times an iteration that decodes."""
SCHEDULED = 2.0
"""Seconds that the median request may wait, at most, for a load to count as sustained (section
5.1)."""
SEARCHED, PATIENCE = 2048, 1800
"""Requests of a run, and seconds after which it ends, in the search for the load that is sustained
(osdi-experiments/figure-5-6)."""


@cache
def chat_lengths() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the tokens of prompts and answers of the chat, in pairs.

    >>> prompt, output = chat_lengths()
    >>> np.median(prompt), np.median(output)
    (np.float64(1730.0), np.float64(415.0))
    """
    with (files("perfmodel.labs.serving.continuous_batching") / "lengths.csv").open() as file:
        table = np.loadtxt(file, delimiter=",", skiprows=1, dtype=np.int64)
    return table[:, 0], table[:, 1]


@cache
def _order() -> NDArray[np.int64]:
    """Return the order into which pandas' `sample(frac=1, random_state=42)` puts the trace."""
    shuffler = np.random.RandomState(SEED)
    return shuffler.permutation(len(chat_lengths()[0]))


def sent_requests(rate: float, count: int) -> Requests:
    """Return the requests that the artifact's scripts send: their random numbers, their order.

    By sarathi/benchmark/request_generator: the trace is shuffled by seed 42; gaps are exponential
    by Python's `random` from the same seed, and cut off at three times their mean, so that `rate`
    (1/s) is that before the cut. They are the authors' own if the trace had this order then.

    >>> requests = sent_requests(1.0, 128)
    >>> requests.prompt[:3], float(requests.arrival[0].round(2))
    (array([ 997, 1028,   79]), 1.02)
    """
    per_second = float(positive("rate", rate))
    chosen = _order()[: whole("count", count, low=1)]
    prompt, output = chat_lengths()
    numbers = random.Random(SEED)
    gaps = [min(-math.log(1 - numbers.random()), _LONGEST_GAP) for _ in range(chosen.size)]
    return Requests(np.cumsum(gaps) / per_second, prompt[chosen], output[chosen])
