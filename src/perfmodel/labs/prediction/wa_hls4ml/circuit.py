"""A neural layer in hardware: rules hidden in a table, compared with learners of the table.

A factory that needs n screws turned can hire n workers for a moment or one worker for n moments.
hls4ml asks the designer for this choice, the reuse factor, and builds the circuit. Hours of
synthesis show what it costs. The paper trains networks on 683,176 such results to predict the cost
faster. Here the rules are read off the published pilot, and learners are tested inside it and
beyond.

Source: B. Hawks et al., "wa-hls4ml: A Benchmark and Surrogate Models for hls4ml Resource and
Latency Estimation", ACM TRETS 19(2), 2026. The table and the counts are in `synthesis`.

The drawing has two multipliers that share the outputs of a small layer, and their switches.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn import metrics

from perfmodel.labs.prediction.wa_hls4ml.synthesis import LOGIC_PRECISION, multiplexer_inputs
from perfmodel.live.drawing import Area, Box, Cells, Line, Scene, Shape, Text
from perfmodel.live.drawing.shapes import Fill
from perfmodel.validation import Floats, at_least, non_negative, positive, sample, whole

if TYPE_CHECKING:
    import pandas as pd

CLOCK = 5e-9
"""Target clock period of the pilot, seconds."""
LARGEST_PARALLEL = 4_096
"""Least number of products for which no fully parallel layer was synthesised."""


def initiation_interval(reuse: ArrayLike) -> Floats:
    """Return cycles between two inputs (initiation interval): the reuse factor."""
    return at_least("reuse", reuse, 1)


def latency(d_in: ArrayLike, prec: ArrayLike, reuse: ArrayLike) -> Floats:
    """Return the least cycles from input to output.

    One more than the reuse factor; equal to it where weights have 4 bits or fewer and each
    multiplier serves two outputs, since a product of so few bits needs no register.

    >>> latency(128, 10, 1024).item() * CLOCK
    5.125e-06
    """
    inputs, bits = positive("d_in", d_in), at_least("prec", prec, 1)
    cycles = initiation_interval(reuse)
    return np.asarray(cycles + 1 - ((bits <= 4) & (cycles == 2 * inputs)))


def dsp_slices(d_in: ArrayLike, d_out: ArrayLike, prec: ArrayLike, reuse: ArrayLike) -> Floats:
    """Return DSP slices: a multiplier each, none for weights of 4 bits or fewer.

    At 6 bits one product is made without a slice, unless there are 32 inputs: an oddity of the
    pilot that we can't explain. A reuse factor that does not divide the products is refused.

    >>> dsp_slices(128, 96, 10, 1024).item()
    12.0
    """
    inputs, bits = positive("d_in", d_in), at_least("prec", prec, 1)
    products, cycles = inputs * positive("d_out", d_out), initiation_interval(reuse)
    if (products % cycles != 0).any():
        raise ValueError(f"reuse must divide the products d_in * d_out, got {reuse!r}")
    oddity = (bits == LOGIC_PRECISION) & (inputs != 32)
    return np.where(bits < LOGIC_PRECISION, 0.0, products / cycles - oddity)


def feasible(attempts: pd.DataFrame) -> Any:
    """Return whether synthesis is expected to succeed, shape (n,).

    It does if multipliers are reused, or if there are less than 4,096 products. The strategy
    `latency` reuses none by intent.
    """
    reuses = (attempts["strategy"] == "resource") & (attempts["rf"] > 1)
    return np.asarray(reuses | (attempts["n"] < LARGEST_PARALLEL))


@dataclass(frozen=True)
class Cost:
    """Of a layer or of several in a pipeline."""

    interval: float
    """Cycles between two inputs."""
    latency: float
    """Cycles from input to output."""
    dsp: float


def pipeline(sizes: Sequence[int], prec: int, reuse: int) -> Cost:
    """Return what a network of dense layers takes by the rules: an assumption, not a finding.

    Layers work at the same time on different inputs, so that the slowest sets the interval;
    latencies and slices add up. The pilot holds no network that could confirm it.

    >>> pipeline([14, 32, 32, 32, 3], 10, 32)
    Cost(interval=32.0, latency=132.0, dsp=81.0)
    """
    values = sample("sizes", sizes, 2)
    enter, leave = values[:-1], values[1:]
    slices = dsp_slices(enter, leave, prec, reuse)
    cycles = latency(enter, prec, np.full(enter.size, reuse))
    return Cost(float(initiation_interval(reuse)), float(cycles.sum()), float(slices.sum()))


def smape(actual: ArrayLike, predicted: ArrayLike) -> float:
    """Symmetric mean absolute percentage error of the paper, as a fraction from 0 to 2.

    Mean of 2 |y - guess| / (|y| + |guess| + 1). The 1 guards zeros, and lets errors of one unit on
    small counts pass.

    >>> round(smape([0, 10], [1, 8]), 4)
    0.6053
    """
    y, guess = non_negative("actual", actual), np.asarray(predicted, dtype=float)
    if y.ndim != 1 or y.size == 0 or y.shape != guess.shape:
        raise ValueError(f"predicted must have the shape (n,) of actual, got {guess.shape}")
    return float(np.mean(2 * np.abs(y - guess) / (np.abs(y) + np.abs(guess) + 1)))


@dataclass(frozen=True)
class Score:
    """The paper's three measures of one predictor on held-out designs."""

    smape: float
    rmse: float
    """In the target's unit."""
    r2: float


def score(actual: ArrayLike, predicted: ArrayLike) -> Score:
    """Return SMAPE, root mean square error and R2 of targets that may be 0."""
    rmse = float(metrics.root_mean_squared_error(actual, predicted))
    return Score(smape(actual, predicted), rmse, float(metrics.r2_score(actual, predicted)))


INPUTS, OUTPUTS, REUSE = 4, 6, 12
_SERVED = REUSE // INPUTS
_SIZE = 24.0
_INPUTS_TOP, _SUMS_TOP, _SUMS_LEFT = 78.0, 54.0, 300.0
_MIDDLES = (84.0, 168.0)


def output_switches(cycle: int) -> Scene:
    """Draw one cycle, 1 to 12, of a layer of 4 inputs and 6 outputs with reuse factor 12.

    >>> output_switches(5).values
    {'input': 1, 'output of multiplier 1': 2, 'output of multiplier 2': 5}
    """
    step = whole("cycle", cycle, 1, REUSE) - 1
    source, turn = step % INPUTS, step // INPUTS
    shapes: list[Shape] = [
        Text("inputs", 34, 22),
        Text("multipliers", 118, 22),
        Text("switches", 218, 22),
        Text("sums", 322, 22),
    ]
    shapes.append(Cells(22, _INPUTS_TOP, INPUTS, 1, _SIZE, {(source, 0): (1, "solid")}))
    due = [k * _SERVED + turn for k in range(len(_MIDDLES))]
    filled: dict[tuple[int, int], tuple[int, Fill]] = {(output, 0): (2, "solid") for output in due}
    shapes.append(Cells(_SUMS_LEFT, _SUMS_TOP, OUTPUTS, 1, _SIZE, filled))
    shapes += [
        Text(str(i + 1), _SUMS_LEFT + _SIZE + 12, _SUMS_TOP + (i + 0.5) * _SIZE)
        for i in range(OUTPUTS)
    ]
    for middle, output in zip(_MIDDLES, due, strict=True):
        shapes += _multiplier(middle, source, output)
    says = (
        f"Both multipliers take input {source + 1} and add to the sums of outputs {due[0] + 1} and "
        f"{due[1] + 1}. A switch of {OUTPUTS} inputs costs as much as one of "
        f"{multiplexer_inputs(OUTPUTS):.0f}."
    )
    values = {
        "input": source + 1,
        "output of multiplier 1": due[0] + 1,
        "output of multiplier 2": due[1] + 1,
    }
    return Scene(224, shapes, says, values)


def _multiplier(middle: float, source: int, output: int) -> list[Shape]:
    """Return a multiplier, its switch, and a wire from the switch to each sum."""
    shapes: list[Shape] = []
    for i in range(OUTPUTS):
        ends = [
            (236.0, middle + 10 * (i - (OUTPUTS - 1) / 2)),
            (_SUMS_LEFT, _SUMS_TOP + (i + 0.5) * _SIZE),
        ]
        shapes.append(Line(ends, 2, "thick") if i == output else Line(ends, 0, "dashed"))
    fed = _INPUTS_TOP + (source + 0.5) * _SIZE
    return [
        *shapes,
        Line([(22 + _SIZE, fed), (92, middle)], 1, head=True),
        Box(94, middle - 17, 48, 34, "×", 1),
        Line([(142, middle), (198, middle)], 1, head=True),
        Area([(200, middle - 12), (236, middle - 32), (236, middle + 32), (200, middle + 12)], 2),
    ]
