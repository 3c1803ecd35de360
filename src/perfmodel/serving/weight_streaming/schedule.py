"""Passes simulated one by one: sequences that take part, fit into the cache, and are evicted.

The rule of each pass is that of MoE-Lens (Yuan and others, arXiv:2504.09345, 2025). All sequences
that have their prompt behind them come first, one token each. Then tokens of prompts, from the head
of the queue, fill the pass up. If the cache has no blocks left for a sequence that grows, the
latest ones are preempted: their blocks are freed, and they go back to the queue's head as prompts
of all tokens that they had.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from perfmodel.serving.weight_streaming.steady import StreamedPass
from perfmodel.validation import Floats, positive, whole, whole_numbers

Counts = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class WeightStreamingRun:
    """What happened in each pass, arrays of shape (passes,), and to each request."""

    seconds: Floats
    """Of each pass."""
    prompt_tokens: Counts
    """Tokens of prompts, those of preempted sequences among them."""
    decoded: Counts
    """Sequences that went through with one token."""
    cached: Counts
    """Tokens in the cache, at the pass's end."""
    blocks: Counts
    """Blocks given out, at the pass's end."""
    preempted: Counts
    """Sequences thrown out at the pass's start."""
    finish: Floats
    """Seconds after which each request is done, shape (requests,)."""
    prompts: int
    """Tokens of all prompts as they came."""
    token_rate: float
    """Tokens/s of the device."""

    @property
    def makespan(self) -> float:
        """Seconds until all are done."""
        return float(self.seconds.sum())

    @property
    def throughput(self) -> float:
        """Generated tokens/s; what was generated once counts once."""
        return float(self.decoded.sum()) / self.makespan

    @property
    def tokens(self) -> Counts:
        """Tokens that went through in each pass."""
        return np.asarray(self.prompt_tokens + self.decoded)

    @property
    def device(self) -> float:
        """Share of the time for which the device computes."""
        return float(self.tokens.sum()) / self.token_rate / self.makespan

    @property
    def repeated(self) -> float:
        """Share of the device's tokens that had gone through before, and were thrown out."""
        return float((self.prompt_tokens.sum() - self.prompts) / self.tokens.sum())


@dataclass
class _State:
    """Sequences that decode, in the order in which they began, and those that wait."""

    block: int
    free: int
    waiting: deque[list[int]]
    """Request, tokens of its prompt, tokens left to generate, tokens gone through."""
    request: Counts = field(default_factory=lambda: np.zeros(0, np.int64))
    length: Counts = field(default_factory=lambda: np.zeros(0, np.int64))
    left: Counts = field(default_factory=lambda: np.zeros(0, np.int64))

    def make_room(self) -> int:
        """Preempt until every sequence left can grow by a token; return how many."""
        grows = self.length % self.block == 0
        need = int(grows.sum())
        preempted = 0
        if need > self.free and self.waiting and self.waiting[0][3]:
            self.free += -(-self.waiting[0][3] // self.block)
            self.waiting[0][3] = 0
            preempted = 1
        if need > self.free:
            given = -(-self.length // self.block) + grows
            most = np.cumsum(given[::-1])
            out = int(np.searchsorted(most, need - self.free)) + 1
            keep = self.length.size - out
            gone = np.stack([self.request, self.length, self.left, 0 * self.left], axis=-1)[keep:]
            self.waiting.extendleft(gone[::-1].tolist())
            self.free += int((-(-self.length[keep:] // self.block)).sum())
            self._keep(np.arange(self.length.size) < keep)
            preempted += out
        return preempted

    def decode(self) -> None:
        """Let every sequence grow by a token."""
        self.free -= int((self.length % self.block == 0).sum())
        self.length = self.length + 1
        self.left = self.left - 1

    def begin(self, budget: int, most: int) -> tuple[int, list[list[int]]]:
        """Put tokens of prompts through; return how many, and the sequences that are done."""
        taken, begun, done = 0, 0, []
        while self.waiting and taken < budget:
            head = self.waiting[0]
            if begun == most and not head[3]:
                break
            slack = -head[3] % self.block
            count = min(head[1] - head[3], budget - taken, self.free * self.block + slack)
            if count <= 0:
                break
            begun += not head[3]
            self.free -= max(0, -(-(count - slack) // self.block))
            head[3] += count
            taken += count
            if head[3] == head[1]:
                done.append(self.waiting.popleft())
        return taken, done

    def join(self, done: list[list[int]]) -> None:
        """Let sequences whose prefill is complete decode in the next pass."""
        if done:
            new = np.array(done, np.int64)
            self.request = np.concatenate([self.request, new[:, 0]])
            self.length = np.concatenate([self.length, new[:, 1]])
            self.left = np.concatenate([self.left, new[:, 2]])

    def leave(self) -> Counts:
        """Free the blocks of sequences that are done, and return their requests."""
        over = self.left == 0
        gone = self.request[over]
        self.free += int((-(-self.length[over] // self.block)).sum())
        self._keep(~over)
        return np.asarray(gone)

    def _keep(self, mask: NDArray[np.bool_]) -> None:
        self.request, self.length, self.left = (
            self.request[mask],
            self.length[mask],
            self.left[mask],
        )


def simulate_weight_streaming(
    prompt: ArrayLike,
    generated: ArrayLike,
    cache: float,
    times: StreamedPass,
    *,
    tokens: int | None = None,
    block: int = 16,
    admitted: int | None = None,
) -> WeightStreamingRun:
    """Play a batch of requests, all there from the start, until the last is done.

    Parameters
    ----------
    prompt, generated : array_like of int, shape (requests,)
        Tokens of each, 1 or more, in the order of the queue. A request's prompt takes one pass, or
        several where the pass or the cache is full, and each generated token one pass more.
    cache : float
        Tokens that the cache can hold; parts of a block are lost.
    times : StreamedPass
        What takes time in a pass; its memory reads the cache as it is at the pass's end.
    tokens : int, optional
        That a pass is filled up to, 1 or more; without it, what keeps the device busy for a sweep.
        Sequences that decode go through even if they are more.
    block : int
        Tokens of the cache that are given out at once.
    admitted : int, optional
        Sequences that may begin in a pass, 1 or more; without it, all that fit. With
        `even_batch(...).admitted` none is ever preempted.

    Returns
    -------
    PassRun
        Where the source leaves a choice: the latest are preempted first, and a pass that preempts
        begins no prompt.

    Raises
    ------
    ValueError
        If an argument is out of range, or the cache can't hold one of the requests.

    Examples
    --------
    >>> times = StreamedPass(100.0, 100.0, token_rate=8.0)
    >>> run = simulate_weight_streaming([4, 4, 4], [3, 3, 3], 12, times, block=1)
    >>> run.prompt_tokens, run.decoded
    (array([8, 2, 0, 0, 8, 2, 0, 0, 0]), array([0, 2, 2, 1, 0, 1, 1, 1, 1]))
    >>> run.preempted, run.finish
    (array([0, 0, 1, 1, 0, 0, 0, 0, 0]), array([4., 6., 9.]))
    """
    first, more = _counts("prompt", prompt), _counts("generated", generated)
    first, more = np.broadcast_arrays(first, more)
    if first.ndim != 1 or not first.size:
        raise ValueError(f"prompt must have shape (requests,), got {first.shape}")
    size = whole("block", block, 1)
    room = int(float(positive("cache", cache)) // size)
    if (most := -int((-(first + more) // size).min())) > room:
        raise ValueError(
            f"cache must hold the longest request, {most} blocks of {size} tokens, got {cache!r}"
        )
    fill = times.fill if tokens is None else whole("tokens", tokens, 1)
    begin = first.size if admitted is None else whole("admitted", admitted, 1)
    state = _State(
        size,
        room,
        deque(np.stack([np.arange(first.size), first, more, 0 * first], axis=-1).tolist()),
    )
    durations: list[float] = []
    rows: list[tuple[int, int, int, int, int]] = []
    finish, clock = np.zeros(first.size), 0.0
    while state.waiting or state.request.size:
        preempted = state.make_room()
        decoding = state.request.size
        state.decode()
        taken, done = (0, []) if preempted else state.begin(fill - decoding, begin)
        partial = state.waiting[0][3] if state.waiting else 0
        cached = int(state.length.sum()) + sum(row[1] for row in done) + partial
        seconds = float(times.seconds(taken + decoding, cached))
        clock += seconds
        durations.append(seconds)
        rows.append((taken, decoding, cached, room - state.free, preempted))
        finish[state.leave()] = clock
        state.join(done)
    through, decoded, held, blocks, out = np.array(rows, np.int64).T
    return WeightStreamingRun(
        np.array(durations),
        through,
        decoded,
        held,
        blocks,
        out,
        finish,
        int(first.sum()),
        times.token_rate,
    )


def _counts(name: str, value: ArrayLike) -> Counts:
    return whole_numbers(name, value, 1).astype(np.int64)
