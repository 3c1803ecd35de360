"""Azure's traces, the measured times of iterations, and what the papers print.

Sources: P. Patel and others, "Splitwise", ISCA 2024; its simulator and Azure's traces (README.md).
Y. Zhong and others, "DistServe", OSDI 2024.
"""

from __future__ import annotations

import csv
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from perfmodel.validation import Floats, one_of

Ints = NDArray[np.int64]
TRACES = ("conversation", "code")
MODELS = ("llama2-70b", "bloom-176b")
HARDWARE = ("h100-80gb", "a100-80gb")
KV_TOKEN = 2 * 80 * 8 * 128 * 2
"""Bytes of keys and values of a token: Llama-2-70B, 80 layers, 8 heads of 128 numbers."""
LINK = 25e9
"""Bytes/s of the link that sends them, 200 Gb/s; our example."""
SERVERS = 8
PROMPT_LIMIT = 2048
"""Prompt tokens of an iteration above which throughput falls; Splitwise, section 3.4."""


class Trace(NamedTuple):
    """Requests as they were recorded."""

    arrival: Floats
    """Seconds since the first."""
    prompt: Ints
    output: Ints


@cache
def trace(name: str) -> Trace:
    """Return a trace.

    >>> [int(np.median(trace("code")[i])) for i in (1, 2)]
    [1469, 13]
    """
    one_of("name", name, TRACES)
    with (files("perfmodel.labs.serving.disaggregation") / f"{name}.csv").open() as lines:
        table = np.loadtxt(lines, delimiter=",", skiprows=1)
    return Trace(table[:, 0], table[:, 1].astype(np.int64), table[:, 2].astype(np.int64))


class Profile(NamedTuple):
    """Medians of measured runs."""

    prompt: Floats
    """Tokens of each prompt."""
    batch: Floats
    output: Floats
    """Tokens of each answer."""
    prompt_seconds: Floats
    token_seconds: Floats


@cache
def profile(model: str, hardware: str) -> Profile:
    """Return the runs of a model cut over eight devices.

    >>> profile("llama2-70b", "h100-80gb").prompt.size
    19
    """
    one_of("model", model, MODELS)
    one_of("hardware", hardware, HARDWARE)
    with (files("perfmodel.labs.serving.disaggregation") / "profile.csv").open() as lines:
        rows = [
            row
            for row in csv.DictReader(lines)
            if (row["model"], row["hardware"], row["tensor_parallel"]) == (model, hardware, "8")
        ]
    names = ("prompt_size", "batch_size", "token_size", "prompt_ms", "token_ms")
    table = np.array([[float(row[name]) for name in names] for row in rows]).T
    return Profile(*table[:3], *(1e-3 * table[3:]))


def prompt_seconds(model: str, hardware: str, tokens: float) -> float:
    """Return the seconds to prefill one prompt, interpolated linearly between measured lengths.

    >>> round(1e3 * prompt_seconds("llama2-70b", "h100-80gb", 1024), 1)
    77.9
    """
    runs = profile(model, hardware)
    alone = (runs.batch == 1) & (runs.output == 128)
    order = np.argsort(runs.prompt[alone])
    at, seconds = runs.prompt[alone][order], runs.prompt_seconds[alone][order]
    if not at[0] <= tokens <= at[-1]:
        raise ValueError(f"tokens must be between {at[0]:g} and {at[-1]:g}, got {tokens!r}")
    return float(np.interp(tokens, at, seconds))


def token_seconds(model: str, hardware: str, batch: int) -> float:
    """Return the seconds of a token of a batch, prompts of 512 and answers of 128 tokens."""
    runs = profile(model, hardware)
    matching = (runs.batch == batch) & (runs.prompt == 512) & (runs.output == 128)
    if not matching.any():
        raise ValueError(f"batch must be one of {sorted(set(runs.batch))}, got {batch!r}")
    return float(runs.token_seconds[matching][0])
