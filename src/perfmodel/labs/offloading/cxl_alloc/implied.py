"""What the printed percentages ask for: which ratio of the phases' times would give them.

With the update in DRAM as the unit of time, a step takes r for forward and backward pass and a for
the update: a = 1 in DRAM, more elsewhere. Throughput goes as 1 / (r + a).
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.labs.offloading.cxl_alloc.inputs import PRINTED_GAIN, PRINTED_SHARES
from perfmodel.labs.offloading.cxl_alloc.training_step import Setting, slowdown
from perfmodel.validation import Floats, non_negative, positive


def throughput(ratio: ArrayLike, update: ArrayLike) -> Floats:
    """Return the throughput over that with everything in DRAM, of an update `update` times as long.

    `ratio` is the time of both passes over that of the update in DRAM.

    >>> float(throughput(3, 2))
    0.8
    """
    ratio = non_negative("ratio", ratio)
    return np.asarray((ratio + 1) / (ratio + positive("update", update)))


def ratio_for_share(share: ArrayLike, update: ArrayLike) -> Floats:
    """Return the ratio of passes to update for which the throughput is `share` of DRAM's.

    It is (share update - 1) / (1 - share); below 0 where no ratio would give it.
    """
    share, update = positive("share", share), positive("update", update)
    if (share == 1).any():
        raise ValueError("share must differ from 1, which every ratio gives or none")
    return np.asarray((share * update - 1) / (1 - share))


def ratio_for_gain(gain: ArrayLike, update: ArrayLike, baseline: ArrayLike) -> Floats:
    """Return the ratio for which one placement gives `gain` times the throughput of another.

    `update` and `baseline` are the slowdowns of the update with the better and the worse placement.
    The result is (baseline - gain update) / (gain - 1); below 0 where no ratio would give it.
    """
    gain = positive("gain", gain)
    if (gain <= 1).any():
        raise ValueError(f"gain must be above 1, got {gain}")
    baseline, update = positive("baseline", baseline), positive("update", update)
    return np.asarray((baseline - gain * update) / (gain - 1))


def both(share: ArrayLike, gain: ArrayLike, baseline: ArrayLike) -> tuple[Floats, Floats]:
    """Return the slowdown and the ratio that share and gain, if of one run, ask for together."""
    share, gain = positive("share", share), positive("gain", gain)
    if (gain <= share).any():
        raise ValueError("gain must be above share, or the baseline beats DRAM alone")
    step = (positive("baseline", baseline) - 1) / (gain - share)
    update = 1 + (1 - share) * step
    return np.asarray(update), np.asarray(step - update)


class Asked(NamedTuple):
    """Slowdowns of the update, and the ratios of passes to update that printed numbers ask for."""

    aware: float
    naive: float
    low: float
    """Ratio from which the throughput is 97 % of DRAM's; below 0 if it is for any."""
    high: float
    """The same for 99 %."""
    gain: float
    """Ratio for which the gain over interleaving is 21 %; below 0 if it never is."""


def asked(setting: Setting, overlap: float) -> Asked:
    """Return which ratios would give the printed percentages, with nodes overlapping 0 to 1."""
    aware, naive = (slowdown(setting, way, overlap) for way in ("latency first", "interleaved"))
    low, high = ratio_for_share(PRINTED_SHARES, aware)
    return Asked(aware, naive, low, high, float(ratio_for_gain(PRINTED_GAIN, aware, naive)))


def predicted_share(
    setting: Setting, overlap: float, *, cards: int = 1, gain: float = PRINTED_GAIN
) -> float:
    """Return the throughput over DRAM's, with the ratio that the gain with one card asks for."""
    one, several = replace(setting, cards=1), replace(setting, cards=cards)
    aware, naive = (slowdown(one, policy, overlap) for policy in ("latency first", "interleaved"))
    ratio = float(ratio_for_gain(gain, aware, naive))
    if ratio < 0:
        raise ValueError(f"gain must be below {naive / aware:.3g} here, got {gain!r}")
    return float(throughput(ratio, slowdown(several, "latency first", overlap)))
