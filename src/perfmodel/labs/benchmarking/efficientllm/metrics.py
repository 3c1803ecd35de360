"""The study's metrics, and what follows from two of them.

Source: Z. Yuan et al., "EfficientLLM: Efficiency in Large Language Models", arXiv 2505.13840, 2025,
equations 1 to 9.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtrit

from perfmodel.benchmarking import against_reference, geometric_mean, min_max
from perfmodel.validation import Floats, positive, sample


def compression_rate(
    bits_before: float, bits_after: float, score_before: float, score_after: float
) -> float:
    """Return equation 9: how many times smaller, times the fraction of the score kept.

    >>> compression_rate(16, 4, 0.5, 0.45)
    3.6
    """
    smaller = positive("bits_before", bits_before) / positive("bits_after", bits_after)
    retained = positive("score_after", score_after) / positive("score_before", score_before)
    return float(smaller * retained)


def energy_per_token(power: float, rate: float) -> float:
    """Return joules per token from a mean `power` in watts and a `rate` in tokens per second.

    >>> energy_per_token(200.0, 25.0)
    8.0
    """
    return float(positive("power", power) / positive("rate", rate))


class PowerLaw(NamedTuple):
    """The exponent b of y = a x**b with its 95 % interval."""

    exponent: float
    low: float
    high: float


def fit_power_law(x: ArrayLike, y: ArrayLike) -> PowerLaw:
    """Return the exponent of a power law through three points or more, with Student's interval.

    >>> round(fit_power_law([1, 2, 4], [3, 6.1, 12]).exponent, 2)
    1.0
    """
    across = np.log(positive("x", sample("x", x, 3)))
    up = np.log(positive("y", sample("y", y, 3)))
    if up.shape != across.shape or np.ptp(across) == 0:
        raise ValueError(f"x must be {up.size} values that differ, got {x!r}")
    slope, start = np.polyfit(across, up, 1)
    off = up - start - slope * across
    freedom = across.size - 2
    error = np.sqrt(off @ off / freedom / ((across - across.mean()) ** 2).sum())
    reach = float(stdtrit(freedom, 0.975) * error)
    return PowerLaw(float(slope), float(slope) - reach, float(slope) + reach)


class Pretraining(NamedTuple):
    """A model of 1.5 billion parameters after pretraining; less is better in all four."""

    perplexity: float
    memory: float
    """Mean memory used on a device, bytes."""
    latency: float
    """Seconds of an iteration."""
    power: float
    """Mean power of a device, watts."""


class Serving(NamedTuple):
    """A model that answers requests."""

    memory: float
    """Bytes."""
    rate: float
    """Tokens per second."""
    power: float
    """Watts."""


PRETRAINED = {
    "transformer": Pretraining(8.09, 44.82e9, 0.1280, 653.0),
    "Relate": Pretraining(8.29, 43.94e9, 0.1246, 646.0),
    "Mamba": Pretraining(9.48, 30.25e9, 0.1025, 511.0),
    "MoE": Pretraining(7.10, 76.53e9, 0.142, 692.0),
}
"""Tables 4 to 6: with rotary positions (the study's baseline), with other positions (Relate),
without attention (Mamba), with eight experts of which two work on a token (MoE)."""
SERVED = {
    ("Qwen2.5-32B", "bf16"): Serving(71.33e9, 17.54, 279.0),
    ("Qwen2.5-32B", "int4"): Serving(48.30e9, 19.20, 215.0),
    ("DeepSeek-R1 14B", "bf16"): Serving(51.83e9, 24.74, 212.0),
    ("DeepSeek-R1 14B", "int4"): Serving(34.21e9, 26.40, 191.0),
}
"""Table 9; the second is DeepSeek-R1-Distill-Qwen-14B."""
SCORES_14B = 0.4719, 0.4361
"""Mean score of the latter on the study's tasks, in bf16 and in int4 (Table 9)."""
BITS = {"bf16": 16, "int4": 4}
FREEZE_PARAMETERS = np.array([1.24e9, 3.21e9, 8.03e9, 23.6e9])
"""Nominal numbers of parameters of the four models."""
FREEZE_LATENCY = np.array([0.2542, 0.4252, 0.7369, 1.4815])
"""Seconds of an iteration of fine-tuning with most layers frozen (Table 7)."""


METRICS = ("perplexity", "memory", "latency", "power")
TABLE = np.array(list(PRETRAINED.values()))
"""The four methods of `PRETRAINED` by their four metrics; less is better in all."""


def minmax_score(table: Floats) -> Floats:
    """Return each row's mean over metrics, less being better, of its place from 0 (worst) to 1.

    >>> minmax_score(np.array([[1.0, 4.0], [2.0, 2.0], [3.0, 3.0]]))
    array([0.5 , 0.75, 0.25])
    """
    return np.asarray(min_max(table, True).mean(axis=1))


def reference_score(table: Floats) -> Floats:
    """Return each row's geometric mean of how many times better it is than the transformer.

    >>> round(float(reference_score(TABLE)[0]), 12)
    1.0
    """
    return np.array([geometric_mean(row) for row in against_reference(table, TABLE[0], True)])


def outlier_method(factor: float) -> Floats:
    """Return a method `factor` times worse than the worst in memory, latency and power.

    >>> (outlier_method(2.0) / TABLE.max(axis=0)).round(2)
    array([0.85, 2.  , 2.  , 2.  ])
    """
    worst = TABLE.max(axis=0) * float(positive("factor", factor))
    worst[0] = TABLE[0, 0]
    return np.asarray(worst)
