"""Azure's traces, the measured times of iterations, and what the papers print.

Sources: P. Patel and others, "Splitwise", ISCA 2024; its simulator and Azure's traces (README.md).
Y. Zhong and others, "DistServe", OSDI 2024.
"""

from __future__ import annotations

import csv
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from perfmodel.serving import StepPieces
from perfmodel.validation import Floats, finite, one_of

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


_TABLES = (
    ("TIMESTAMP", "ContextTokens", "GeneratedTokens"),
    ("Timestamp", "Request tokens", "Response tokens"),
    ("arrived_at", "num_prefill_tokens", "num_decode_tokens"),
    ("arrival_s", "prompt", "output"),
)
"""Columns of Azure's traces, of BurstGPT, of Vidur's copies, and of this lab."""


def read_trace(path: str | Path, *, drop_failed: bool = False) -> Trace:
    """Return the requests of a CSV file of Azure (2023, 2024), BurstGPT, Vidur or this lab.

    Times are seconds, Azure's are dates. Requests are sorted by time. One without prompt or answer
    has failed; `drop_failed` leaves these out.

    Raises `ValueError` if the columns are of none of these, a value is missing, or a request has
    failed.
    """
    table = pd.read_csv(path)
    columns = next((list(names) for names in _TABLES if set(names) <= set(table)), None)
    if columns is None:
        known = "; ".join(", ".join(names) for names in _TABLES)
        raise ValueError(f"path must have the columns of one of: {known}; got {', '.join(table)}")
    first, *others = columns
    if first == "TIMESTAMP":
        when = pd.to_datetime(table[first], format="ISO8601", utc=True)
        table[first] = (when - when.min()).dt.total_seconds()
    arrival, prompt, output = (finite(name, table[name].to_numpy()) for name in columns)
    failed = (prompt < 1) | (output < 1)
    if failed.any() and not drop_failed:
        raise ValueError(
            f"{' and '.join(others)} must be 1 or more, got less in {failed.sum()} of {failed.size}"
            " requests, which failed: set drop_failed=True to leave them out"
        )
    order = np.argsort(arrival, kind="stable")
    order = order[~failed[order]]
    if order.size == 0:
        raise ValueError("path must hold a request that didn't fail, got none")
    tokens, answers = (column[order].astype(np.int64) for column in (prompt, output))
    return Trace(arrival[order] - arrival[order[0]], tokens, answers)


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


VLLM_OPT_13B = StepPieces(
    fixed=[22.0522e-3, 23.4750e-3, 20.2064e-3],
    prompt_token=[140.509e-6, 0, 0],
    sequence=[0, 60.7269e-6, 120.003e-6],
    cache_token=[0, 592.934e-9, 490.773e-9],
    prompt_pair=[16.1532e-9, 0, 0],
)
"""Iterations of vLLM with OPT-13B on one A100: prompts; small batches; large batches. From the
coefficients in github.com/LLMServe/DistServe (Apache-2.0), simdistserve, at 82831f1; a pair counts
half of their squared length."""
OPT_LIMITS = 0.2, 0.1
"""Seconds to the first token and a token: DistServe, Table 1, chat with OPT-13B."""
OPT_TOKENS = 2048
"""Of prompt and answer together: the context of OPT."""
