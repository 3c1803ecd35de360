"""The published controller: ends of many flows, starts that matter, buffers for sawteeth."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from perfmodel.communication import (
    RateControl,
    RateHistory,
    aimd_windows,
    jain_index,
    simulate_rate_control,
    square_root_buffer,
)
from perfmodel.validation import Floats

PUBLISHED = RateControl(target=0.064, base=1.5, exponent=0.5, gain=0.2)
"""Target, base and gain of github.com/NVlabs/RLCC, scaled as there; we chose the steepness."""
ON_THIS_MACHINE = RateControl(target=1.0, base=1.0, exponent=0.5, gain=0.3, steepness=1.0)
"""A rule that settles within a second on a link of 20 ms."""


FLOWS = (2, 4, 16, 64, 256, 1024)
_STEPS = 10_000
_LAST = 500
"""Steps at the end over which the inflation is averaged."""


class Ends(NamedTuple):
    """Where flows settle from a random start, one entry for each number of flows."""

    flows: Floats
    inflation: Floats
    """Its mean over the last 500 steps."""
    lowest: Floats
    """The lowest rate times the number of flows: 1 where all have an even share."""
    highest: Floats
    fairness: Floats
    """Jain's index."""


@cache
def history(law: RateControl, flows: int, steps: int = _STEPS, seed: int = 0) -> RateHistory:
    """Return what this many flows do under a law, from rates drawn evenly up to the line rate.

    >>> from perfmodel.labs.communication.rl_congestion.experiments import PUBLISHED
    >>> history(PUBLISHED, 16).inflation[-1].round(3)
    np.float64(1.756)
    """
    start = np.random.default_rng(seed).uniform(0.01, 1, flows)
    return simulate_rate_control(law, start, steps)


def ends(law: RateControl, flows: Sequence[int] = FLOWS, steps: int = _STEPS) -> Ends:
    """Return where each number of flows has settled after this many steps."""
    runs = [history(law, count, steps) for count in flows]
    shares = [run.rates[-1] * count for run, count in zip(runs, flows, strict=True)]
    return Ends(
        np.array(flows, float),
        np.array([run.inflation[-_LAST:].mean() for run in runs]),
        np.array([share.min() for share in shares]),
        np.array([share.max() for share in shares]),
        np.array([float(jain_index(share)) for share in shares]),
    )


class Swings(NamedTuple):
    """How far the windows of AIMD flows swing together, as a share of their mean."""

    flows: Floats
    apart: Floats
    """With a phase of their own each."""
    together: Floats
    """All in step."""
    rule: Floats
    """A square root, through the swing of 16 flows apart."""


@cache
def swings(flows: Sequence[int] = (1, 4, 16, 64, 256)) -> Swings:
    """Return the swing between the 1st and the 99th percentile of the sum of windows."""

    def swing(count: int, together: bool) -> float:
        sums = aimd_windows(count, 20_000, seed=count, together=together)
        return float(np.subtract(*np.quantile(sums, [0.99, 0.01])))

    apart, together = (np.array([swing(n, way) for n in flows]) for way in (False, True))
    rule = apart[list(flows).index(16)] * 4 * square_root_buffer(1.0, 1.0, np.array(flows))
    return Swings(np.array(flows, float), apart, together, rule)
