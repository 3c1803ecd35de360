"""Descent by forward passes alone, with the noise replayed from its seed, in three orders of work.

A step moves all weights by eps z and by - eps z and takes the difference of the losses; z is never
stored but drawn again from the step's seed. A block comes to the fast memory by a load and leaves
by a store. The orders differ in how often that happens, and in nothing else: the weights agree to
the last bit. Source: S. Malladi and others, "Fine-tuning language models with just forward passes",
NeurIPS 2023; the deferred update is ZO2's (see `inputs`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from perfmodel.validation import Floats, positive, whole

Block = list[Floats]
"""The matrices of a block."""
EPS, RATE = 1e-3, 5e-3


class Task(NamedTuple):
    """Points with their classes."""

    points: Floats
    """Shape (points, inputs)."""
    classes: NDArray[np.int64]
    """Shape (points,)."""


class Training(NamedTuple):
    """Weights after some steps; each step's mean of both losses, and slope along its noise.

    `loads` counts the blocks that were brought to the fast memory; as many go back.
    """

    blocks: list[Block]
    losses: Floats
    slopes: Floats
    loads: int


def small_net(blocks: int = 6, inputs: int = 8, width: int = 16, seed: int = 0) -> list[Block]:
    """Return a net with residual blocks, drawn at random; the first reads, the last decides.

    >>> [block[0].shape for block in small_net(3)]
    [(8, 16), (16, 32), (16, 3)]
    """
    rng, h = np.random.default_rng(seed), whole("width", width, 1)
    shapes: list[list[tuple[int, int]]] = [[(whole("inputs", inputs, 1), h)]]
    shapes += [[(h, 2 * h), (2 * h, h)]] * (whole("blocks", blocks, 3) - 2)
    shapes += [[(h, 3)]]
    return [[rng.normal(size=s) / np.sqrt(s[0]) for s in block] for block in shapes]


def three_classes(points: int = 192, inputs: int = 8, seed: int = 1) -> Task:
    """Return points at random and the nearest in direction of three random vectors for each."""
    rng = np.random.default_rng(seed)
    drawn = rng.normal(size=(whole("points", points, 3), whole("inputs", inputs, 1)))
    return Task(drawn, np.argmax(drawn @ rng.normal(size=(inputs, 3)), axis=1))


def plain_steps(
    blocks: Sequence[Block],
    task: Task,
    seeds: Sequence[int],
    eps: float = EPS,
    rate: float = RATE,
) -> Training:
    """Train in the usual order: forward, forward, then restore and update, three sweeps a step.

    One seed a step; weights are moved by `eps`, and a step is `rate` times the slope. The blocks
    given stay as they are.
    """
    positive("eps", eps)
    weights, records, loads = _copied(blocks), [], 0
    for seed in seeds:
        losses = []
        for factor in (1.0, -2.0):
            noise, passed = np.random.default_rng(seed), task.points
            for index, block in enumerate(weights):
                loads += 1
                _move(block, noise, factor * eps)
                passed = _forward(index, len(weights), block, passed)
            losses.append(_loss(passed, task))
        slope = (losses[0] - losses[1]) / (2 * eps)
        records.append((sum(losses) / 2, slope))
        restoring, updating = np.random.default_rng(seed), np.random.default_rng(seed)
        for block in weights:
            loads += 1
            _move(block, restoring, eps)
            _move(block, updating, -rate * slope)
    return _training(weights, records, loads)


def paired_steps(
    blocks: Sequence[Block],
    task: Task,
    seeds: Sequence[int],
    eps: float = EPS,
    rate: float = RATE,
) -> Training:
    """Train with both forward passes while a block is there, and a second sweep to update.

    Parameters and result as in `plain_steps`.
    """
    positive("eps", eps)
    weights, records, loads = _copied(blocks), [], 0
    for seed in seeds:
        slope, loss = _paired_sweep(weights, task, seed, eps)
        records.append((loss, slope))
        updating = np.random.default_rng(seed)
        for block in weights:
            _move(block, updating, -rate * slope)
        loads += 2 * len(weights)
    return _training(weights, records, loads)


def deferred_steps(
    blocks: Sequence[Block],
    task: Task,
    seeds: Sequence[int],
    eps: float = EPS,
    rate: float = RATE,
) -> Training:
    """Train in one sweep a step: a block gets the update of the step before when it is visited.

    That update needs two numbers of the step before, its seed and its slope. One more sweep at the
    end brings the last update. Parameters and result as in `plain_steps`.
    """
    positive("eps", eps)
    weights, records, loads = _copied(blocks), [], 0
    before: tuple[int, float] | None = None
    for seed in seeds:
        slope, loss = _paired_sweep(weights, task, seed, eps, before, rate)
        records.append((loss, slope))
        before = seed, slope
        loads += len(weights)
    if before is not None:
        updating = np.random.default_rng(before[0])
        for block in weights:
            _move(block, updating, -rate * before[1])
        loads += len(weights)
    return _training(weights, records, loads)


def restoring_error(kind: type, eps: float = EPS, size: int = 100_000, seed: int = 0) -> float:
    """Return the root mean square by which weights miss where they were, over eps.

    They are moved by eps z, - 2 eps z and eps z, with z drawn again each time, from a standard
    deviation of 0.02.

    >>> restoring_error(np.float64) < 1e-13 < restoring_error(np.float16)
    True
    """
    rng = np.random.default_rng(seed)
    start: NDArray[Any] = (0.02 * rng.normal(size=whole("size", size, 1))).astype(kind)
    weights, step = start.copy(), float(positive("eps", eps))
    for factor in (1, -2, 1):
        noise: NDArray[Any] = np.random.default_rng(seed + 1).normal(size=size).astype(kind)
        weights += kind(factor * step) * noise
    off = weights.astype(np.float64) - start.astype(np.float64)
    return float(np.sqrt((off**2).mean())) / step


def _paired_sweep(
    weights: list[Block],
    task: Task,
    seed: int,
    eps: float,
    before: tuple[int, float] | None = None,
    rate: float = 0.0,
) -> tuple[float, float]:
    """Visit each block once: its last update, both passes; return slope and mean loss."""
    noise = np.random.default_rng(seed)
    updating = np.random.default_rng(before[0] if before else 0)
    high, low = task.points, task.points
    for index, block in enumerate(weights):
        if before:
            _move(block, updating, -rate * before[1])
        state = noise.bit_generator.state
        _move(block, noise, eps)
        high = _forward(index, len(weights), block, high)
        noise.bit_generator.state = state
        _move(block, noise, -2.0 * eps)
        low = _forward(index, len(weights), block, low)
        noise.bit_generator.state = state
        _move(block, noise, eps)
    above, below = _loss(high, task), _loss(low, task)
    return (above - below) / (2 * eps), (above + below) / 2


def _move(block: Block, noise: np.random.Generator, length: float) -> None:
    for matrix in block:
        matrix += length * noise.normal(size=matrix.shape)


def _forward(index: int, blocks: int, block: Block, passed: Floats) -> Floats:
    if index in (0, blocks - 1):
        return np.asarray(passed @ block[0])
    return np.asarray(passed + np.tanh(passed @ block[0]) @ block[1])


def _loss(logits: Floats, task: Task) -> float:
    """Return the mean cross-entropy, nats."""
    shifted = logits - logits.max(1, keepdims=True)
    right = shifted[np.arange(len(shifted)), task.classes]
    return float((np.log(np.exp(shifted).sum(1)) - right).mean())


def _copied(blocks: Sequence[Block]) -> list[Block]:
    return [[matrix.copy() for matrix in block] for block in blocks]


def _training(weights: list[Block], records: list[tuple[float, float]], loads: int) -> Training:
    losses, slopes = np.array(records).reshape(-1, 2).T
    return Training(weights, losses, slopes, loads)
