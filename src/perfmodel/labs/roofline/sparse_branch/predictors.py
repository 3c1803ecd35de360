"""Branch predictors of three families on one made trace, each tested before it is trained.

The trace is a branch that depends on two old outcomes of other branches. A table of counters, a
perceptron and a linear model learn it online: predict, compare, update.

>>> trace = synthetic_trace(4000, seed=1)
>>> sparse = sgd(trace, penalty=0.03)
>>> sparse.support
(37, 71)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from perfmodel.live.drawing import Cells, Fill, Scene, Shape, Text
from perfmodel.live.drawing.chart import legend
from perfmodel.units import number
from perfmodel.validation import Floats, non_negative, one_of, positive, sample, whole, within

Signs = NDArray[np.int8]
Rule = Literal["or", "xor"]


@dataclass(frozen=True)
class BranchTrace:
    """Outcomes of one branch with the history before each.

    Column j of `history`, shape (samples, length), holds the outcome of the branch j + 1 before
    (lag j + 1); all are -1 or 1.
    """

    history: Signs
    outcomes: Signs

    @property
    def length(self) -> int:
        """Outcomes in the history of each sample."""
        return int(self.history.shape[1])


@dataclass(frozen=True)
class LearnedWeights:
    """What a linear predictor did and what it knows at the end.

    `predictions` of -1 and 1 have the shape (samples,), `weights` the shape (length,).
    """

    predictions: Signs
    weights: Floats
    bias: float

    @property
    def support(self) -> tuple[int, ...]:
        """Lags whose weight isn't zero."""
        return tuple(int(lag) for lag in np.flatnonzero(self.weights) + 1)


def synthetic_trace(
    samples: int,
    *,
    length: int = 128,
    lags: Sequence[int] = (37, 71),
    rule: Rule = "or",
    flips: float = 0.02,
    seed: int = 1,
) -> BranchTrace:
    """Make a branch that combines the outcomes at `lags`, with noise.

    The `length` outcomes in the history are fair coins, of other branches; lag 1 is the newest.
    "or" is taken if any was taken, "xor" if an odd number was. A share `flips` of outcomes is
    turned around; no predictor can be better than this.
    """
    n, h = whole("samples", samples, low=1), whole("length", length, low=1)
    within("lags", sample("lags", lags), 1, h)
    one_of("rule", rule, ("or", "xor"))
    rng = np.random.default_rng(seed)
    stream = rng.integers(0, 2, n + h - 1, dtype=np.int8)
    history = np.lib.stride_tricks.sliding_window_view(stream, h)[:, ::-1]
    outcomes_at_lags = history[:, np.asarray(lags) - 1]
    is_taken = (
        outcomes_at_lags.any(axis=1) if rule == "or" else outcomes_at_lags.sum(axis=1) % 2 == 1
    )
    is_taken ^= rng.random(n) < float(within("flips", flips, 0, 1))
    return BranchTrace(2 * history - 1, 2 * is_taken.astype(np.int8) - 1)


def misses(predictions: Signs, trace: BranchTrace) -> float:
    """Return the share of wrong predictions."""
    return float(np.mean(predictions != trace.outcomes))


def majority(trace: BranchTrace) -> Signs:
    """Predict the more frequent outcome of a `trace` always, known beforehand."""
    return np.full(trace.outcomes.size, 1 if trace.outcomes.sum() >= 0 else -1, dtype=np.int8)


def gshare(trace: BranchTrace, bits: int) -> Signs:
    """Predict by two-bit counters for each pattern of the newest `bits` outcomes (0: bimodal)."""
    whole("bits", bits, high=min(24, trace.length))
    index = (trace.history[:, :bits] > 0) @ (2 ** np.arange(bits))
    counters = np.full(2**bits, 2, dtype=np.int8)
    predictions = np.empty(trace.outcomes.size, dtype=np.int8)
    for t, (i, outcome) in enumerate(zip(index.astype(int), trace.outcomes, strict=True)):
        predictions[t] = 1 if counters[i] >= 2 else -1
        counters[i] = min(3, counters[i] + 1) if outcome > 0 else max(0, counters[i] - 1)
    return predictions


def perceptron(trace: BranchTrace, length: int) -> LearnedWeights:
    """Predict by a perceptron over the newest `length` outcomes (Jiménez and Lin, HPCA 2001).

    Weights have 8 bits; they are trained on a miss or where the sum is at most floor(1.93 length +
    14).
    """
    whole("length", length, 1, trace.length)
    threshold = np.floor(1.93 * length + 14)
    inputs = trace.history[:, :length].astype(np.int64)
    weights, bias = np.zeros(length, dtype=np.int64), 0
    predictions = np.empty(trace.outcomes.size, dtype=np.int8)
    for t, (x, y) in enumerate(zip(inputs, trace.outcomes.astype(int), strict=True)):
        total = x @ weights + bias
        predictions[t] = 1 if total >= 0 else -1
        if predictions[t] != y or abs(total) <= threshold:
            weights = np.clip(weights + y * x, -128, 127)
            bias = min(127, max(-128, bias + y))
    return LearnedWeights(predictions, weights.astype(float), float(bias))


def sgd(trace: BranchTrace, *, penalty: float, rate: float = 0.05) -> LearnedWeights:
    """Predict by logistic regression, trained online with a cumulative L1 penalty.

    Tsuruoka, Tsujii and Ananiadou (ACL 2009) pull each weight towards zero, never past it. The pull
    is the penalty accumulated so far, minus the weight's earlier pulls. A `penalty` of 0 gives
    ordinary, dense logistic regression.
    """
    step, per_step = float(positive("rate", rate)), float(non_negative("penalty", penalty))
    weights, pulled = np.zeros(trace.length), np.zeros(trace.length)
    bias = due = 0.0
    predictions = np.empty(trace.outcomes.size, dtype=np.int8)
    inputs = trace.history.astype(float)
    for t, (x, y) in enumerate(zip(inputs, trace.outcomes.astype(float), strict=True)):
        total = x @ weights + bias
        predictions[t] = 1 if total >= 0 else -1
        push = step * y / (1 + np.exp(min(y * total, 700.0)))
        weights += push * x
        bias += push
        if per_step:
            due += step * per_step
            before = weights.copy()
            positive_side = np.maximum(0.0, weights - (due + pulled))
            negative_side = np.minimum(0.0, weights + (due - pulled))
            weights = np.where(before > 0, positive_side, np.where(before < 0, negative_side, 0.0))
            pulled += weights - before
    return LearnedWeights(predictions, weights, float(bias))


def search_penalty(
    trace: BranchTrace,
    max_weights: int = 50,
    start: float = 0.01,
    low: float = 1e-5,
    high: float = 0.1,
) -> list[tuple[float, int]]:
    """Return the penalties tried, halved or doubled until the weights cross a limit, with weights.

    The answer is the smallest penalty with no more than `max_weights` non-zero weights.
    """
    whole("max_weights", max_weights, low=1)
    within("start", start, float(positive("low", low)), high)
    path: list[tuple[float, int]] = []
    penalty = start
    while low <= penalty <= high:
        support = len(sgd(trace, penalty=penalty).support)
        path.append((penalty, support))
        if (path[0][1] <= max_weights) != (support <= max_weights):
            break
        penalty *= 0.5 if path[0][1] <= max_weights else 2.0
    return path


@cache
def compared(samples: int = 10_000, seed: int = 1) -> dict[str, float]:
    """Return the share of misses of each of nine predictors on the made trace."""
    trace = synthetic_trace(samples, seed=seed)
    missed = {"majority": misses(majority(trace), trace)}
    for bits in (8, 12, 16):
        missed[f"gshare, {bits} bits"] = misses(gshare(trace, bits), trace)
    for length in (32, 64, 128):
        learned = perceptron(trace, length)
        missed[f"perceptron, {length} bits"] = misses(learned.predictions, trace)
    for penalty, name in ((0.0, "dense"), (0.01, "sparse")):
        learned = sgd(trace, penalty=penalty)
        missed[f"linear, {name}"] = misses(learned.predictions, trace)
    return missed


ROWS, COLUMNS = 8, 16
"""The newest 128 outcomes, the newest one first."""


def history_view(seen: Sequence[int], stored: float, matter: Sequence[int] = (37, 71)) -> Scene:
    """Draw a branch's history: the lags that a predictor sees, and those that matter."""
    look: tuple[int, Fill] = (1, "light")
    hit: tuple[int, Fill] = (2, "solid")
    filled = {divmod(lag - 1, COLUMNS): hit if lag in matter else look for lag in seen}
    rims = [divmod(lag - 1, COLUMNS) for lag in matter]
    num_deciding = len(set(seen) & set(matter))
    shapes: list[Shape] = [
        Text("lag 1, the newest", 32, 18, anchor="start"),
        Cells(32, 32, ROWS, COLUMNS, 18.0, filled, rims),
        Text(f"lag {ROWS * COLUMNS}", 320, 192, anchor="end"),
        Text("thick rim: decides the branch", 32, 214, anchor="start"),
        *legend(32, 238, [("seen", *look), ("seen, and decides", *hit)]),
    ]
    says = (
        f"It sees {num_deciding} of the {len(matter)} deciding outcomes, looks at {len(set(seen))} "
        f"of {ROWS * COLUMNS} outcomes, and stores {number(stored)} numbers."
    )
    return Scene(
        274, shapes, says, {"deciding bits seen": float(num_deciding), "numbers stored": stored}
    )
