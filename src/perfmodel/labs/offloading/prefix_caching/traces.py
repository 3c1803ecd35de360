"""Requests, and the blocks of their prompts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from perfmodel.labs.offloading.prefix_caching.inputs import BLOCK_TOKENS
from perfmodel.validation import Floats, one_of

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
    blocks: list[int] = []
    start = [0]
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
        blocks += path
        start.append(len(blocks))
    return Requests(
        table["arrival_ms"].to_numpy(float) / 1e3,
        table["prompt"].to_numpy(np.int64),
        table["output"].to_numpy(np.int64),
        np.array(blocks, np.int64),
        np.array(start, np.int64),
    )


def requests_of(paths: Sequence[Sequence[int]]) -> Requests:
    """Return requests of full blocks, one a second, from the blocks of each prompt in order.

    >>> requests_of([[0, 1], [0, 2]]).prompt
    array([1024, 1024])
    """
    lengths = np.array([len(path) for path in paths], np.int64)
    if lengths.size == 0 or (lengths == 0).any():
        raise ValueError(f"paths must hold one block or more each, got {paths!r}")
    blocks = np.array([block for path in paths for block in path], np.int64)
    start = np.concatenate([[0], np.cumsum(lengths)])
    tokens = BLOCK_TOKENS * lengths
    return Requests(np.arange(lengths.size, dtype=float), tokens, 0 * tokens, blocks, start)


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
