"""Requests, the blocks of their prompts, and the constants of Mooncake's model and servers.

Source: R. Qin et al., "Mooncake: Trading More Storage for Less Computation", FAST 2025: Eq. 1 and 2
and Sec. 2.2 for Llama-3-70B, Sec. 5.3.1 for the cache of a node.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from perfmodel.validation import Floats, at_least, finite, non_negative, one_of

BLOCK_TOKENS: Final = 512
LAYERS: Final = 80
WIDTH: Final = 8192
ATTENTION_FACTOR: Final = 4.0
LINEAR_FACTOR: Final = 22.0
QUERIES_PER_KV_HEAD: Final = 8
NUMBER_BYTES: Final = 2
KV_BYTES: Final = LAYERS * 2 * WIDTH // QUERIES_PER_KV_HEAD * NUMBER_BYTES
"""Bytes of keys and values for a token: 320 KiB."""
NODE_TOKENS: Final = 3_000_000
"""Tokens that the paper takes for a node's 1 TB of memory."""
NODE_BLOCKS: Final = NODE_TOKENS // BLOCK_TOKENS
MANY_TOKENS: Final = 50_000_000
MANY_BLOCKS: Final = MANY_TOKENS // BLOCK_TOKENS
PEAKS: Final = {"8 x A800": 8 * 312e12, "8 x H800": 8 * 989e12}
"""FLOP/s of a server, dense 16-bit."""
REACHED: Final = 0.5
"""Share of the peak that a prefill reaches: an assumption of this lab."""


Ints = NDArray[np.int64]
TRACES = ("conversation", "synthetic")


class Requests(NamedTuple):
    """Requests in the order of their arrival; the first arrays have one value a request."""

    arrival: Floats
    """Seconds."""
    prompt: Ints
    """Tokens."""
    output: Ints
    """Tokens."""
    blocks: Ints
    """Blocks of all prompts one after the other, by number."""
    start: Ints
    """Where each request's blocks begin in `blocks`; one value more for the end."""

    @property
    def lengths(self) -> Ints:
        """Blocks of each request."""
        return np.diff(self.start)

    @property
    def owner(self) -> Ints:
        """Request of each reference to a block."""
        return np.repeat(np.arange(self.prompt.size), self.lengths)

    @property
    def distinct(self) -> int:
        """Different blocks."""
        return int(self.blocks.max()) + 1


@cache
def mooncake(name: str) -> Requests:
    """Return a trace of Mooncake, conversation or synthetic.

    >>> trace = mooncake("conversation")
    >>> trace.prompt.size, trace.blocks.size, trace.distinct
    (12031, 288500, 182790)
    """
    one_of("name", name, TRACES)
    table = pd.read_csv(str(files(__package__) / f"mooncake_{name}.csv"))
    parent: list[int] = []
    paths = []
    for leaf, new in zip(table["reused_leaf"].tolist(), table["new_blocks"].tolist(), strict=True):
        path = []
        block = leaf
        while block >= 0:
            path.append(block)
            block = parent[block]
        path.reverse()
        for _ in range(new):
            parent.append(path[-1] if path else -1)
            path.append(len(parent) - 1)
        paths.append(path)
    columns = ("arrival_ms", "prompt", "output")
    return _requests(paths, *(table[name].to_numpy(float) for name in columns))


def read_requests(path: str | Path) -> Requests:
    """Return the requests of a file in the format in which Mooncake publishes traces.

    JSON lines with `timestamp` (ms, not falling), `input_length` and `output_length` (tokens) and
    `hash_ids`, the blocks of the prompt: each number stands for its tokens and all before them. A
    ValueError says what is missing or can't be so.
    """
    names = ("timestamp", "input_length", "output_length", "hash_ids")
    lines = Path(path).read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines if line.strip()]
    missing = [name for name in names if not all(name in row for row in rows)]
    if missing or not rows:
        raise ValueError(
            f"path must hold requests with {', '.join(names)}, "
            f"got {len(rows)} of which some lack {', '.join(missing) or 'nothing'}"
        )
    columns = (finite(name, [row[name] for row in rows]) for name in names[:3])
    return _requests([row["hash_ids"] for row in rows], *columns)


def requests_of(paths: Sequence[Sequence[int]]) -> Requests:
    """Return requests of full blocks, one a second, from the blocks of each prompt in order.

    >>> requests_of([[7, 1], [7, 2]]).blocks
    array([0, 1, 0, 2])
    """
    tokens = np.array([BLOCK_TOKENS * len(path) for path in paths], np.float64)
    arrival = np.array([1e3 * i for i in range(len(paths))], np.float64)
    return _requests(paths, arrival, tokens, 0 * tokens)


def _requests(
    paths: Sequence[Sequence[int]], arrival_ms: Floats, prompt: Floats, output: Floats
) -> Requests:
    """Return requests with blocks numbered as they appear, or refuse what no cache could hold."""
    lengths = np.array([len(path) for path in paths], np.int64)
    if lengths.size == 0 or (lengths == 0).any():
        raise ValueError("paths must hold one block or more each, got none for some request")
    at_least("prompt", prompt, 1)
    non_negative("output", output)
    if (np.diff(finite("arrival", arrival_ms)) < 0).any():
        raise ValueError("arrival must not fall from request to request")
    given = np.concatenate([np.asarray(path, np.int64) for path in paths])
    _, first, index = np.unique(given, return_index=True, return_inverse=True)
    number = np.empty(first.size, np.int64)
    number[np.argsort(first)] = np.arange(first.size)
    blocks = number[index]
    start = np.concatenate([[0], np.cumsum(lengths)])
    before = np.concatenate([[-1], blocks[:-1]])
    before[start[:-1]] = -1
    parent = np.full(first.size, -2)
    parent[blocks] = before
    if (parent[blocks] != before).any():
        wrong = int(given[np.flatnonzero(parent[blocks] != before)[0]])
        raise ValueError(
            "paths must give each block one predecessor, because its keys and values depend on all "
            f"tokens before it, got two for block {wrong}"
        )
    tokens, answers = (np.asarray(column, np.int64) for column in (prompt, output))
    return Requests(np.asarray(arrival_ms) / 1e3, tokens, answers, blocks, start)


def shuffled(requests: Requests, seed: int = 0) -> Requests:
    """Return the same requests at the same times, in random order."""
    order = np.random.default_rng(seed).permutation(requests.prompt.size)
    pieces = [requests.blocks[requests.start[i] : requests.start[i + 1]] for i in order]
    start = np.concatenate([[0], np.cumsum(requests.lengths[order])])
    return Requests(
        requests.arrival,
        requests.prompt[order],
        requests.output[order],
        np.concatenate(pieces),
        start,
    )


def block_times(requests: Requests) -> Floats:
    """Return the arrival in seconds that each reference to a block belongs to."""
    return requests.arrival[requests.owner]
