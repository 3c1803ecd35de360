"""Sentences about fit, plans and context, written from their results."""

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

    `off` and `first` are the relative errors of times per token and to the first token in held-out
    runs. `apart` are the seconds per token of decoding on four GPUs, taken apart and predicted.
    """
    share, iteration, sequence, _ = constants
    miss, sooner = np.asarray(off), np.asarray(first)
    measured, predicted = apart
    return (
        f"The {miss.size} held-out runs are {100 * miss.mean():.1f} % off on average and at most "
        f"{100 * miss.max():.1f} %. The constants: e = {share:.2f}, f = {1e3 * iteration:.1f} ms, "
        f"g = {1e3 * sequence:.2f} ms. Writing on four GPUs, taken apart, took "
        f"{1e3 * measured:.1f} ms; the prediction is {1e3 * predicted:.1f} ms. Times to the first "
        f"token were not fitted, and are {100 * sooner.min():+.0f} to "
        f"{100 * sooner.max():+.0f} % off."
    )


def rate_summary(rates: Sequence[float], times: Mapping[int, ArrayLike]) -> str:
    """Return which plan is best at the lowest rate (1/s), and whether this changes at higher rates.

    `times` are by the GPUs of a copy, over output tokens at each rate.
    """
    rows = {tensor: np.asarray(row) for tensor, row in times.items()}
    best = [min(rows, key=lambda tensor: rows[tensor][at]) for at in range(len(rates))]
    swap = next((rate for rate, tensor in zip(rates, best, strict=True) if tensor != best[0]), None)
    words = f"{_plan(best[0])} is best at {rates[0]:g} requests/s"
    if swap is None:
        return words + " and at all other rates."
    if swap == rates[-1]:
        return words + f". At {swap:g} requests/s it is {_plan(best[-1])}."
    again = "again " if best[-1] == best[0] else ""
    return words + (
        f". The best plan changes at {swap:g} requests/s, and at {rates[-1]:g} it is "
        f"{again}{_plan(best[-1])}."
    )


def context_summary(context: float, longer: float, most: float) -> str:
    """Return how much longer a step takes than APEX's lookup says, and whether the context fits.

    `longer` is relative to the lookup. `most` tokens of each sequence fit.
    """
    fits = "fits" if most >= context else f"does not fit; {most:,.0f} tokens per sequence do"
    return (
        f"After {context:,} tokens a step takes {100 * longer:.0f} % longer than the lookup says. "
        f"That context {fits}."
    )


def trace_summary(longer: Sequence[float]) -> str:
    """Return how much context adds to the times per token of the measured traces."""
    words = (
        f"On eight GPUs context adds {100 * min(longer):.1f} to {100 * max(longer):.1f} % to the "
        "tokens of the measured traces, "
    )
    if max(longer) < 0.05:
        return words + "which hardly matters."
    return words + "which matters."


def _plan(tensor: int) -> str:
    return f"{GPUS // tensor} x TP{tensor}"
