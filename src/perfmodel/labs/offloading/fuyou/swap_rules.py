"""How much was swapped? Three rules, each with constants of its own, on the same measured steps.

The GPU's time that is fitted takes up whatever a rule lets it compute again: constants that were
fitted with one rule say nothing of another one.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from perfmodel.labs.offloading.fuyou.activations import (
    Server,
    best_swap,
    phase_times,
    swappable_bytes,
)
from perfmodel.labs.offloading.fuyou.folds import by_fold
from perfmodel.labs.offloading.fuyou.forms import PHASES, fitted
from perfmodel.labs.offloading.fuyou.inputs import (
    GPT_13B,
    LINK,
    READ,
    WRITTEN,
    Measured,
    measured,
)
from perfmodel.validation import Floats

CHOSEN, ALL, NOTHING = "the best amount", "all", "nothing"
RULES = (CHOSEN, ALL, NOTHING)
MEMORY = 500e9
"""Bytes of the server's 768 GB of DRAM that activations may take; assumed."""
_STARTS = (1.0, 0.75)
"""Shares of the GPU's time, as fitted with nothing computed again, to start from."""


class Constants(NamedTuple):
    """Seconds that are fitted, as those of `forms.StepModel`."""

    sample: float
    """Of the GPU for a sequence, nothing computed again."""
    drive: float
    """Of a single SSD for a step."""
    fixed: float
    """Not shortened by more SSDs."""

    def server(self, drives: float) -> Server:
        """Return the server with so many SSDs whose rates these seconds are."""
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
    if rule not in RULES:
        raise ValueError(f"rule must be one of {', '.join(RULES)}, got {rule!r}")
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
    found = [least_squares(errors, np.log(begin), diff_step=1e-3) for begin in starts]
    return _constants(min(found, key=lambda one: one.cost).x)


@cache
def fitted_rule(rule: str) -> Constants:
    """Return the constants of a rule, fitted to all 20 steps."""
    return fit_rule(rule, measured())


@cache
def rule_errors(rule: str) -> RuleErrors:
    """Return how far a rule is off, its constants fitted for itself."""
    steps = measured()
    inside = abs(rule_rate(rule, fitted_rule(rule), steps) / steps.rate - 1)
    unseen = by_fold(
        lambda kept, left: rule_rate(rule, fit_rule(rule, kept, fitted_rule(rule)), left)
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
