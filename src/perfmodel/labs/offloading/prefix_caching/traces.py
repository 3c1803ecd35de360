"""Requests, the blocks of their prompts, and the constants of Mooncake's model and servers.

Source: R. Qin et al., "Mooncake: Trading More Storage for Less Computation", FAST 2025: Eq. 1 and 2
and Sec. 2.2 for Llama-3-70B, Sec. 5.3.1 for the cache of a node.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from perfmodel.shipped_data import shipped_table
from perfmodel.validation import Floats, finite, one_of, whole

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
    block_tokens: int = BLOCK_TOKENS
    """Tokens of a block."""

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
    table = shipped_table(__package__, f"mooncake_{name}.csv")
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
    prompt, output, arrival = (
        table[name].to_numpy(float) for name in ("prompt", "output", "arrival_ms")
    )
    return _requests(paths, 1e-3 * arrival, prompt, output, BLOCK_TOKENS)


FIELDS = ("timestamp", "input_length", "output_length", "hash_ids")
UNITS: Final = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
"""Seconds of the units in which traces give their times."""


def read_requests(
    path: str | Path, *, block_tokens: int = BLOCK_TOKENS, time_unit: str | None = None
) -> Requests:
    """Return the requests of a file in the format in which Mooncake and Qwen publish traces.

    JSON lines with `timestamp` (not falling), `input_length` (tokens, 1 or more), `output_length`
    (tokens, 0 or more) and `hash_ids`, the blocks of the prompt in order, numbers or text. The last
    block may hold fewer tokens, or be left out if it does.

    Mooncake's blocks have 512 tokens and its times are whole milliseconds; Qwen's blocks have 16
    tokens and its times are seconds with fractions, so they need `block_tokens=16` and
    `time_unit="s"`. Nothing in a file says which. Whole numbers are taken as milliseconds unless
    `time_unit` says otherwise.

    Raises `ValueError` if a field is missing or can't be so, if times have fractions and no unit is
    given, or if the prompts don't have as many blocks as `block_tokens` implies. It names the line.
    """
    rows = _rows(path)
    times, prompt, output = (finite(name, [row[name] for row in rows]) for name in FIELDS[:3])
    if time_unit is None and (times % 1 != 0).any():
        raise ValueError(
            "timestamp has fractions, so it may not be in milliseconds: give time_unit, one of "
            + ", ".join(UNITS)
        )
    seconds = UNITS[one_of("time_unit", time_unit or "ms", UNITS)]
    for name, values, least in (("input_length", prompt, 1), ("output_length", output, 0)):
        if (values < least).any():
            line = int(np.argmax(values < least)) + 1
            raise ValueError(
                f"{name} must be {least} or more, got {values[line - 1]:g} in request {line}: "
                "leave out requests that failed"
            )
    paths = [row["hash_ids"] for row in rows]
    _check_lengths(np.array([len(path) for path in paths]), prompt, block_tokens)
    return _requests(paths, times * seconds, prompt, output, block_tokens)


def _rows(path: str | Path) -> list[dict[str, Any]]:
    """Return the requests of a file of JSON lines, all with all fields."""
    rows = []
    for number, line in enumerate(Path(path).read_text("utf-8").splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except json.JSONDecodeError:
            row = None
        if not isinstance(row, dict):
            raise ValueError(f"path must hold one JSON object a line, line {number} is none")
        missing = [name for name in FIELDS if name not in row]
        if missing:
            raise ValueError(
                f"path must hold requests with {', '.join(FIELDS)}, line {number} lacks "
                + ", ".join(missing)
            )
        if not isinstance(row["hash_ids"], list):
            raise ValueError(f"hash_ids must be a list, got {row['hash_ids']!r} in line {number}")
        rows.append(row)
    if not rows:
        raise ValueError(f"path must hold requests with {', '.join(FIELDS)}, got none")
    return rows


def _check_lengths(blocks: Ints, prompt: Floats, block_tokens: int) -> None:
    """Refuse numbers of blocks that don't follow from the prompts, and say what they fit."""
    size = whole("block_tokens", block_tokens, 1)

    def fits(tokens: int) -> np.ndarray:
        full = prompt // tokens
        return np.asarray((blocks == full) | (blocks == np.ceil(prompt / tokens)))

    wrong = np.flatnonzero(~fits(size))
    if wrong.size:
        other = [tokens for tokens in 2 ** np.arange(13) if fits(int(tokens)).all()]
        cure = f": give block_tokens={other[0]}, which fits all requests" if other else ""
        first = int(wrong[0])
        raise ValueError(
            f"a prompt of {prompt[first]:.0f} tokens must have {np.ceil(prompt[first] / size):.0f} "
            f"blocks of {size}, got {blocks[first]} in request {first + 1}{cure}"
        )


def requests_of(paths: Sequence[Sequence[int]]) -> Requests:
    """Return requests of full blocks, one a second, from the blocks of each prompt in order.

    >>> requests_of([[7, 1], [7, 2]]).blocks
    array([0, 1, 0, 2])
    """
    tokens = np.array([BLOCK_TOKENS * len(path) for path in paths], np.float64)
    arrival = np.arange(len(paths), dtype=np.float64)
    return _requests(paths, arrival, tokens, 0 * tokens, BLOCK_TOKENS)


def _requests(
    paths: Sequence[Sequence[Hashable]],
    arrival: Floats,
    prompt: Floats,
    output: Floats,
    block_tokens: int,
) -> Requests:
    """Return requests with blocks numbered as they appear.

    A block is its tokens and all before them, so one name after two different blocks is two blocks.
    """
    if (np.diff(arrival) < 0).any():
        raise ValueError("arrival must not fall from request to request: sort the requests by time")
    number: dict[tuple[int, Hashable], int] = {}
    blocks = []
    for path in paths:
        before = -1
        for name in path:
            before = number.setdefault((before, name), len(number))
            blocks.append(before)
    if not blocks:
        raise ValueError("paths must hold a block or more, got none")
    start = np.concatenate([[0], np.cumsum([len(path) for path in paths])]).astype(np.int64)
    tokens, answers = (np.asarray(column, np.int64) for column in (prompt, output))
    return Requests(arrival, tokens, answers, np.array(blocks, np.int64), start, block_tokens)


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
        requests.block_tokens,
    )


def block_times(requests: Requests) -> Floats:
    """Return the arrival in seconds that each reference to a block belongs to."""
    return requests.arrival[requests.owner]
