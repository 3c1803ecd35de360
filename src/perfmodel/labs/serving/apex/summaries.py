"""What fit, plans and context say, in words that depend on how they come out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.labs.serving.apex.plans import GPUS
from perfmodel.labs.serving.apex.replay import Constants


def fit_summary(
    constants: Constants, off: ArrayLike, apart: tuple[float, float], first: ArrayLike
) -> str:
    """Return the fitted constants and how far they reach.

    `off` and `first` are the shares by which times a token and to the first one are off in runs
    held out; `apart` are the seconds a token of decoding on four GPUs, taken apart and predicted.
    """
    share, iteration, sequence, _ = constants
    miss, sooner = np.asarray(off), np.asarray(first)
    measured, predicted = apart
    return (
        f"e = {share:.2f}, f = {1e3 * iteration:.1f} ms, g = {1e3 * sequence:.2f} ms. The "
        f"{miss.size} runs held out are {100 * miss.mean():.1f} % off on average, "
        f"{100 * miss.max():.1f} % at worst. Writing on four GPUs, taken apart, took "
        f"{1e3 * measured:.1f} ms, and {1e3 * predicted:.1f} is predicted. Times to the first "
        f"token were not fitted, and are {100 * sooner.min():+.0f} to "
        f"{100 * sooner.max():+.0f} % off."
    )


def rate_summary(rates: Sequence[float], times: Mapping[int, ArrayLike]) -> str:
    """Return which plan is best at the lowest rate (1/s), and whether another one is at a higher.

    `times` are by the GPUs of a copy, over output tokens at each rate.
    """
    rows = {tensor: np.asarray(row) for tensor, row in times.items()}
    best = [min(rows, key=lambda tensor: rows[tensor][at]) for at in range(len(rates))]
    swap = next((rate for rate, tensor in zip(rates, best, strict=True) if tensor != best[0]), None)
    words = f"{_plan(best[0])} is best at {rates[0]:g} requests/s"
    if swap is None:
        return words + " and at all other rates."
    if swap == rates[-1]:
        return words + f"; at {swap:g} requests/s it is {_plan(best[-1])}."
    again = "again " if best[-1] == best[0] else ""
    return words + (
        f"; at {swap:g} requests/s another is, and at {rates[-1]:g} it is {again}{_plan(best[-1])}."
    )


def context_summary(context: float, longer: float, most: float) -> str:
    """Return what a step costs at some context beyond APEX's lookup, and whether that fits.

    A step takes a share `longer` than the lookup has it; `most` tokens of each sequence fit.
    """
    fits = "fits" if most >= context else f"does not fit: {most:,.0f} tokens each do"
    return (
        f"After {context:,} tokens a step takes {100 * longer:.0f} % longer than the lookup says. "
        f"That context {fits}."
    )


def trace_summary(longer: Sequence[float]) -> str:
    """Return what context adds to the measured traces' tokens, by a share of each."""
    words = (
        f"On eight GPUs the measured traces' tokens are {100 * min(longer):.1f} to "
        f"{100 * max(longer):.1f} % longer with it: "
    )
    if max(longer) < 0.05:
        return words + "with these loads and lengths it hardly matters."
    return words + "already there it shows."


def _plan(tensor: int) -> str:
    return f"{GPUS // tensor} x TP{tensor}"
