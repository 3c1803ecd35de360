"""Activations swapped or recomputed, and the limit of a step: six channels in two phases.

The forward pass always keeps two vectors of each token and layer. The outputs of a layer's four
products can be kept as well, or recomputed in the backward pass. Kept bytes leave the GPU over the
link, go to DRAM while there is room and then to SSDs, and come back.

This module counts bytes and FLOP. Rates, except for the link's, are fitted to measured steps under
each of three swap rules. The fitted GPU time absorbs the work that a rule recomputes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.labs.offloading.fuyou.inputs import (
    FORWARD_WORK,
    GPT_13B,
    LINK,
    READ,
    WRITTEN,
    Measured,
    Shape,
    measured,
)
from perfmodel.labs.offloading.fuyou.step_models import PHASES, cross_val_predict, fitted
from perfmodel.offloading import binding_channel, step_time
from perfmodel.validation import Floats, non_negative, one_of, positive, within

CHANNELS = ("GPU", "link in", "link out", "SSDs")
PRODUCTS = {
    "queries, keys, values": (3, 6),
    "attention's output": (1, 2),
    "feed-forward, widened": (4, 8),
    "feed-forward, narrowed": (1, 8),
}
"""Of each product of a layer: values it gives for a token, over the width h, and FLOP, over h^2."""
_KEPT = 2
"""Vectors of a token and layer that are always kept: the inputs of attention and feed-forward."""
_SHARES = np.linspace(0, 1, 1001)


@dataclass(frozen=True)
class Server:
    """Rates of one GPU's surroundings; all above 0."""

    compute: float
    """FLOP/s of the GPU."""
    link: float
    """Bytes/s to and from the GPU, each way."""
    drive: float
    """Bytes/s of one SSD, reading or writing."""
    drives: float
    """SSDs."""
    fixed: float
    """Seconds of the backward phase that more SSDs don't shorten."""
    memory: float
    """Bytes of DRAM that activations may take."""


class PhaseTimes(NamedTuple):
    """Seconds for which each of `CHANNELS` is busy, shape (..., 4)."""

    forward: Floats
    backward: Floats

    @property
    def seconds(self) -> Floats:
        """Time of the step: in each phase the busiest channel's."""
        return np.asarray(step_time(self.forward) + step_time(self.backward))

    @property
    def binding(self) -> tuple[str, str]:
        """The busiest channel of each phase of a single step."""
        forward, backward = (int(binding_channel(phase)) for phase in self)
        return CHANNELS[forward], CHANNELS[backward]


def swappable_bytes(shape: Shape, batch: float) -> float:
    """Return the bytes of all products' outputs, 16 bits a value, of `batch` sequences.

    >>> round(swappable_bytes(GPT_13B, 32) / 1e9)
    121
    """
    values = sum(wide for wide, _ in PRODUCTS.values())
    return 2 * values * _vectors(shape, batch)


def kept_bytes(shape: Shape, batch: float) -> float:
    """Return the bytes of activations of `batch` sequences that are kept in any case."""
    return 2 * _KEPT * _vectors(shape, batch)


def saved_work(shape: Shape, batch: float, swapped: ArrayLike) -> Floats:
    """Return the FLOP that need not be computed again if this many bytes, `swapped`, are swapped.

    Outputs that save most FLOP a byte go first, parts of them allowed: a fractional knapsack. A
    ninth of the bytes, the narrowed outputs, saves a third of the work:

    >>> most = swappable_bytes(GPT_13B, 32)
    >>> saved_work(GPT_13B, 32, [0, most / 9, most]) / saved_work(GPT_13B, 32, most)
    array([0.        , 0.33333333, 1.        ])
    """
    largest = swappable_bytes(shape, batch)
    bytes_ = within("swapped", swapped, 0, largest * (1 + 1e-12))
    items = sorted(PRODUCTS.values(), key=lambda item: item[1] / item[0], reverse=True)
    sizes = np.cumsum([0.0, *(2 * wide * _vectors(shape, batch) for wide, _ in items)])
    unit = _vectors(shape, batch) * shape.hidden
    work = np.cumsum([0.0, *(flop * unit for _, flop in items)])
    return np.asarray(np.interp(bytes_, sizes, work))


def phase_times(shape: Shape, server: Server, batch: float, swapped: ArrayLike) -> PhaseTimes:
    """Return the busy times of all channels, forward and backward; the optimizer is in the latter.

    `swapped` are the bytes of products' outputs that are swapped; the rest is computed again.

    >>> server = Server(160e12, 21e9, 6.8e9, 1, 8.0, 500e9)
    >>> phase_times(GPT_13B, server, 32, 0.0).binding
    ('GPU', 'SSDs')
    """
    moved = kept_bytes(shape, batch) + non_negative("swapped", swapped)
    spilled = np.maximum(moved - server.memory, 0)
    weights, ones = 2 * shape.parameters, np.ones_like(moved)
    work = batch * shape.work
    first = FORWARD_WORK * work
    again = first - saved_work(shape, batch, swapped)
    ssds = server.drive * server.drives
    states = (READ + WRITTEN) * shape.parameters - weights
    fixed = server.fixed * shape.parameters / GPT_13B.parameters
    forward = [
        first / server.compute * ones,
        weights / server.link * ones,
        moved / server.link,
        (weights + spilled) / ssds,
    ]
    backward = [
        (work - first + again) / server.compute,
        (weights + moved) / server.link,
        weights / server.link * ones,
        (states + spilled) / ssds + fixed,
    ]
    return PhaseTimes(np.stack(forward, axis=-1), np.stack(backward, axis=-1))


def best_swap(shape: Shape, server: Server, batch: float) -> tuple[float, float]:
    """Return the bytes to swap for the shortest step, to 0.1 % of all, and its seconds.

    Of amounts that are equally good it is the least; arguments are those of `phase_times`.

    >>> best_swap(GPT_13B, Server(160e12, 21e9, 6.8e9, 1, 8.0, 500e9), 32)[0]
    0.0
    """
    amounts = _SHARES * swappable_bytes(shape, batch)
    seconds = phase_times(shape, server, batch, amounts).seconds
    index = int(np.argmax(seconds <= seconds.min() * (1 + 1e-9)))
    return float(amounts[index]), float(seconds[index])


def regime(shape: Shape, server: Server, batch: float) -> str:
    """Return what sets the backward phase with the best swap: all channels within 1 % of it.

    >>> regime(GPT_13B, Server(160e12, 21e9, 6.8e9, 1, 8.0, 500e9), 32)
    'SSDs'
    """
    amount = best_swap(shape, server, batch)[0]
    backward = phase_times(shape, server, batch, amount).backward
    busiest = np.flatnonzero(backward >= 0.99 * step_time(backward))
    return " = ".join(CHANNELS[place] for place in busiest)


def _vectors(shape: Shape, batch: float) -> float:
    """Return the values of one vector for each token and layer."""
    tokens = float(positive("batch", batch)) * shape.sequence
    return tokens * shape.layers * shape.hidden


CHOSEN, ALL, NOTHING = "the best amount", "all", "nothing"
RULES = (CHOSEN, ALL, NOTHING)
MEMORY = 500e9
"""Bytes of the server's 768 GB of DRAM that activations may take; assumed."""
_STARTS = (1.0, 0.75)
"""Shares of the GPU's time, as fitted with nothing computed again, to start from."""


class Constants(NamedTuple):
    """Seconds that are fitted, as those of `StepModel`."""

    sample: float
    """Of the GPU for a sequence, nothing computed again."""
    drive: float
    """Of a single SSD for a step."""
    fixed: float
    """Not shortened by more SSDs."""

    def server(self, drives: float) -> Server:
        """Return the server with this many SSDs whose rates these seconds are."""
        moved = (READ + WRITTEN) * GPT_13B.parameters
        rate = GPT_13B.work / self.sample
        return Server(rate, LINK, moved / self.drive, float(drives), self.fixed, MEMORY)


class RuleErrors(NamedTuple):
    """Shares by which the FLOP/s of the 20 steps are off."""

    fitted: float
    """Mean of steps that the constants were fitted to."""
    held_out: float
    """Mean of steps with a number of SSDs that they were not fitted to."""
    worst: float
    """The largest of those."""


def rule_rate(rule: str, constants: Constants, steps: Measured) -> Floats:
    """Return the FLOP/s of each step if activations are swapped by a rule of `RULES`.

    6 a parameter and token: what is computed again doesn't count. The steps' rates aren't read.
    """
    one_of("rule", rule, RULES)
    rows = zip(steps.batch.tolist(), steps.drives.tolist(), strict=True)
    seconds = np.array([_seconds(rule, constants.server(n), batch) for batch, n in rows])
    return np.asarray(steps.batch * GPT_13B.work / seconds)


def fit_rule(rule: str, steps: Measured, start: Constants | None = None) -> Constants:
    """Fit the three constants of a rule to measured steps, least squares of ln(FLOP/s).

    Without `start` (seconds) the best of several starts counts.
    """
    from scipy.optimize import least_squares

    def errors(logs: Floats) -> Floats:
        return np.asarray(np.log(rule_rate(rule, _constants(logs), steps) / steps.rate))

    phases = fitted(PHASES)
    starts = [(phases.sample * part, phases.drive, phases.fixed) for part in _STARTS]
    if start is not None:
        starts = [start]
    fits = [least_squares(errors, np.log(begin), diff_step=1e-3) for begin in starts]
    return _constants(min(fits, key=lambda candidate: candidate.cost).x)


@cache
def fitted_rule(rule: str) -> Constants:
    """Return the constants of a rule, fitted to all 20 steps."""
    return fit_rule(rule, measured())


@cache
def rule_errors(rule: str) -> RuleErrors:
    """Return how far a rule is off, its constants fitted for itself."""
    steps = measured()
    inside = abs(rule_rate(rule, fitted_rule(rule), steps) / steps.rate - 1)
    unseen = cross_val_predict(
        lambda training, test: rule_rate(rule, fit_rule(rule, training, fitted_rule(rule)), test)
    )
    outside = abs(unseen / steps.rate - 1)
    return RuleErrors(float(inside.mean()), float(outside.mean()), float(outside.max()))


def paper_server(drives: float = 12) -> Server:
    """Return the paper's server, its rates fitted to the steps with the best amounts swapped.

    >>> round(paper_server(6).drive / 1e9, 1)
    6.8
    """
    return fitted_rule(CHOSEN).server(drives)


def _constants(logs: Floats) -> Constants:
    return Constants(*np.exp(logs).tolist())


def _seconds(rule: str, server: Server, batch: float) -> float:
    if rule == CHOSEN:
        return best_swap(GPT_13B, server, batch)[1]
    amount = swappable_bytes(GPT_13B, batch) if rule == ALL else 0.0
    return float(phase_times(GPT_13B, server, batch, amount).seconds)
