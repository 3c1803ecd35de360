"""What the authors of Sarathi-Serve measured and printed, and the lengths of their chat.

Source: A. Agrawal and others, "Taming Throughput-Latency Tradeoff in LLM Inference with
Sarathi-Serve", OSDI 2024 (arXiv 2403.02310); times of iterations from its artifact,
github.com/microsoft/sarathi-serve, branch osdi-sarathi-serve, commit ceaa066. All are of Yi-34B on
two A100 of 80 GB, which share each layer.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

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
"""Seconds of an iteration that gives a token to each of so many sequences of about 1,024 tokens.
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
"""Seconds of an iteration that reads one prompt of so many tokens. Artifact,
osdi-experiments/figure-2/prefill.csv, without its row of 256 tokens: it is the run's first
iteration (batch 0) and took longer than that of 512."""

CHUNKED_SECONDS = {2047: 0.43568, 4095: 0.92196, 8191: 1.95853, 16383: 4.51283}
"""Seconds to read one prompt of so many tokens in chunks of 512. Artifact,
osdi-experiments/figure-9/chunking-overhead.csv."""

MIXED_SECONDS = 0.21765
"""Seconds of an iteration of 1,021 prompt tokens and three sequences that decode. Artifact,
osdi-experiments/table-2/results.csv."""

FOUR_SECONDS = 0.06812
"""Seconds of an iteration of four sequences that decode. The same file."""

CHUNK = 512
"""Tokens of an iteration in the scripts of the artifact's ablation (table-6), and under strict
limits in the paper."""
WHOLE = 8192
"""The same where prompts are not cut: no prompt of the chat is longer."""
SEATS = 128
"""Sequences of a batch in these scripts."""
RATE, COUNT = 1.0, 128
"""Requests a second and requests of a run in these scripts, for the chat."""

STRICT = 0.2
"""Seconds between tokens that the 99th percentile may have, at most: about five times an iteration
that decodes, as the paper sets its strict limit."""
SCHEDULED = 2.0
"""Seconds that the median request may wait, at most, for a load to count as sustained."""


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
