"""The time per token of a served model from what a step moves and six numbers of the machine.

A step writes a token of each running sequence and reads the prompts that come in between. With Q
bytes moved by each device, L layers, F FLOP of all these tokens, V bytes of their vectors in all
layers, and E experts that the step's tokens choose in all layers, a device of B bytes/s and X
FLOP/s gives

t = Q / (share B) + L (layer + 2 collective [p > 1]) + F / (arithmetic_share X)
    + passes V / B + E expert.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import lsq_linear

from perfmodel.roofline.transformer import Decoder
from perfmodel.validation import Floats, positive, whole

NAMES = ("bandwidth", "layer", "collective", "arithmetic", "activation", "expert")
"""The terms, in order."""
_LOW = np.array([1.0, 0.0, 0.0, 1.0, 0.0, 0.0])
_HIGH = np.array([10.0, 1.0, 1.0, 20.0, 1000.0, 1.0])
"""Bounds of the coefficients: no device moves or computes faster than its peak."""
_LEAST_RUNS = len(NAMES) + 1
_RIDGE = 1e-5
"""Share of the largest column's weight with which all coefficients are drawn to 0. It decides where
the runs leave two of them open, as `layer` and `collective` if all have several devices; else
rounding would, and differently on each processor."""


class StepTerms(NamedTuple):
    """What the steps of some runs ask for, arrays of one shape."""

    bandwidth: Floats
    """Seconds of moving the bytes at the device's full bandwidth."""
    layer: Floats
    """Layers."""
    collective: Floats
    """All-reduces of a step: two a layer where devices share layers."""
    arithmetic: Floats
    """Seconds of the FLOP of the step's tokens at the device's peak: those that are written, and
    those of the prompts that are read in between."""
    activation: Floats
    """Seconds of moving the vectors of the same tokens once a layer at full bandwidth. Devices that
    share layers each move all of them."""
    expert: Floats
    """Experts that a step's tokens choose, all layers together; devices each run a part of all."""

    @property
    def matrix(self) -> Floats:
        """The terms as columns, shape (runs, terms)."""
        return np.stack([np.atleast_1d(term) for term in self], axis=-1)


def device_cache(shape: Decoder, context: float, tensor: int = 1) -> float:
    """Return the numbers of a sequence of `context` tokens in the cache of each of the devices."""
    numbers = 0.0
    for block, count in shape.kinds.items():
        window = block.attention.sliding_window
        seen = context if window is None else min(context, window)
        numbers += count * block.attention.kv_numbers * seen / min(tensor, block.attention.kv_parts)
    return numbers


def prompt_operations(shape: Decoder, prompt: float) -> float:
    """Return the FLOP of reading a prompt of this many tokens, without its first word."""
    table = 2 * shape.vocab_size * shape.hidden_size
    matrices = shape.operations_per_token - table
    return prompt * (matrices + _attention_operations(shape, 0.0, prompt))


def _attention_operations(shape: Decoder, start: float, end: float) -> float:
    """Return the FLOP of a token's attention, the mean over positions from `start` to `end`."""
    total = 0.0
    for block, count in shape.kinds.items():
        window = block.attention.sliding_window or end
        first, last = (min(x, window) * (x - min(x, window) / 2) for x in (start, end))
        total += count * block.attention.pair_operations * (last - first) / (end - start)
    return total


def step_terms(
    shape: Decoder,
    *,
    weight_bytes: ArrayLike,
    bandwidth: float,
    peak: float,
    concurrency: ArrayLike,
    prompt: float,
    output: float,
    tensor: int = 1,
    kv_bytes: float = 2.0,
) -> StepTerms:
    """Return what a step of a model asks for while `concurrency` requests run.

    Weights are in bytes, on all devices together, one number or one for each concurrency;
    `bandwidth` and `peak` are in bytes/s and FLOP/s of one of the `tensor` devices that share each
    layer. A sequence holds its `prompt` and on average half its `output`, in tokens, `kv_bytes` for
    each number.
    """
    p = whole("tensor", tensor, 1)
    b, before = positive("concurrency", concurrency), float(positive("prompt", prompt))
    after = float(positive("output", output))
    cached = device_cache(shape, before + after / 2, p)
    moved = positive("weight_bytes", weight_bytes) / p
    moved = moved + b * cached * float(positive("kv_bytes", kv_bytes))
    writing = _attention_operations(shape, before, before + after) + shape.operations_per_token
    operations = b * (writing + prompt_operations(shape, before) / after) / p
    vectors = b * (1 + before / after) * 2.0 * shape.hidden_size * shape.layers
    feeds = [(block.feed_forward, count) for block, count in shape.kinds.items()]
    experts = [count * feed.touched(b) for feed, count in feeds if feed.experts > 1]
    return StepTerms(
        np.asarray(moved / positive("bandwidth", bandwidth)),
        np.full_like(b, shape.layers),
        np.full_like(b, 2.0 * shape.layers * (p > 1)),
        np.asarray(operations / positive("peak", peak)),
        np.asarray(vectors / bandwidth),
        np.asarray(sum(experts, np.zeros_like(b))),
    )


@dataclass(frozen=True)
class TokenTime:
    """Six numbers of a card and engine, and how far they were off."""

    coefficients: tuple[float, ...]
    """Of the terms: 1 / share of bandwidth, seconds a layer, seconds a collective, 1 / share of the
    peak, passes over a token's vectors a layer, seconds an expert."""
    determined: tuple[bool, ...] = (True,) * len(NAMES)
    """Which of them the points determine; of the others only the sum with their neighbours is."""
    points: int = 0
    fitted_error: float | None = None
    """Median relative error on the points that were fitted."""
    validation_error: float | None = None
    """Median relative error on points that were not."""
    held_out_quantiles: tuple[float, float] | None = None
    """Measured over computed time: its 10 % and 90 % quantiles on points that were not fitted."""

    def __post_init__(self) -> None:
        """Refuse what no machine has."""
        if len(self.coefficients) != len(NAMES):
            raise ValueError(
                f"coefficients must have one number for each of {', '.join(NAMES)}, got "
                f"{len(self.coefficients)}"
            )
        for name, value, low in zip(NAMES, self.coefficients, _LOW, strict=True):
            if not value >= low - 1e-9:
                raise ValueError(f"{name} must be {low:g} or more, got {value!r}")

    @property
    def bandwidth_utilization(self) -> float:
        """Share of the memory's bandwidth that steps reach."""
        return 1 / self.coefficients[0]

    @property
    def arithmetic_utilization(self) -> float:
        """Share of the peak that the step's tokens reach."""
        return 1 / self.coefficients[3]

    def parts(self, terms: StepTerms) -> dict[str, Floats]:
        """Return the seconds of each term."""
        return {
            name: np.asarray(weight * term)
            for name, weight, term in zip(NAMES, self.coefficients, terms, strict=True)
        }

    def seconds(self, terms: StepTerms) -> Floats:
        """Return the seconds a token takes."""
        return np.asarray(sum(self.parts(terms).values()))


def fit_token_time(terms: StepTerms, seconds: ArrayLike) -> TokenTime:
    """Return the six numbers that bring relative errors to their least sum.

    From seven or more runs and their measured `seconds` a token, both of shape (runs,). A number
    that no run depends on, or that changes no prediction when it is moved, is not `determined`.
    """
    measured, columns = positive("seconds", seconds), terms.matrix
    if measured.ndim != 1 or len(measured) != len(columns):
        raise ValueError(f"seconds must have one value for each of {len(columns)} runs")
    if len(measured) < _LEAST_RUNS:
        raise ValueError(
            f"seconds must hold {_LEAST_RUNS} runs or more for {len(NAMES)} numbers, got "
            f"{len(measured)}"
        )
    weights = _least_relative(columns, measured)
    error = float(np.median(np.abs(columns @ weights / measured - 1)))
    return TokenTime(
        tuple(weights), _determined(columns / measured[:, None]), len(measured), error
    )  # fmt: skip


def cross_validated(
    terms: StepTerms,
    seconds: ArrayLike,
    groups: Sequence[object],
    asked: NDArray[np.bool_] | None = None,
) -> Floats:
    """Return the computed seconds (runs,) where each group is computed from the other groups.

    They are nan where the others are fewer than seven runs, and in groups of which no run is
    `asked`; without `asked` all are.
    """
    measured, columns = positive("seconds", seconds), terms.matrix
    names = np.array([str(group) for group in groups])
    computed = np.full(len(measured), np.nan)
    for name in np.unique(names if asked is None else names[asked]):
        test = names == name
        if (~test).sum() >= _LEAST_RUNS:
            computed[test] = columns[test] @ _least_relative(columns[~test], measured[~test])
    return computed


def _least_relative(columns: Floats, measured: Floats) -> Floats:
    """Return the bounded weights of least absolute relative error, by reweighted least squares."""
    scale = columns.max(axis=0)
    scale = np.where(scale > 0, scale, 1.0)
    weights = np.ones(len(measured)) / measured
    found = _LOW.copy()
    for _ in range(15):
        turned, small = np.linalg.qr(columns / scale * weights[:, None])
        ridge = _RIDGE * np.linalg.norm(small, 2) * np.eye(len(scale))
        solved = lsq_linear(
            np.vstack([small, ridge]),
            np.append(turned.T @ (measured * weights), np.zeros(len(scale))),
            bounds=(_LOW * scale, _HIGH * scale),
            method="bvls",
            tol=1e-15,
        )
        found = solved.x / scale
        off = np.abs(columns @ found / measured - 1)
        weights = 1 / measured / np.sqrt(np.maximum(off, 0.02))
    return np.asarray(np.clip(found, _LOW, _HIGH))


def _determined(relative: Floats) -> tuple[bool, ...]:
    """Return for each column whether the others leave more than a fiftieth of it unexplained."""
    known = []
    for i in range(relative.shape[1]):
        column = relative[:, i]
        size = float(np.linalg.norm(column))
        if size == 0:
            known.append(False)
            continue
        others = np.delete(relative, i, axis=1)
        others = others[:, others.any(axis=0)]
        rest = column
        if others.size:
            unit = others / np.linalg.norm(others, axis=0)
            rest = column - unit @ np.linalg.lstsq(unit, column, rcond=1e-9)[0]
        known.append(bool(np.linalg.norm(rest) > 0.02 * size))
    return tuple(known)
