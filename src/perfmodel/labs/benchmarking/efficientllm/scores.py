"""One number from several metrics: by the spread of the table, and against a reference."""

from __future__ import annotations

import numpy as np

from perfmodel.benchmarking import against_reference, geometric_mean, min_max
from perfmodel.labs.benchmarking.efficientllm.inputs import PRETRAINED
from perfmodel.validation import Floats, positive

METRICS = ("perplexity", "memory", "latency", "power")
TABLE = np.array(list(PRETRAINED.values()))
"""The four methods of `PRETRAINED` by their four metrics; less is better in all."""


def spread_score(table: Floats) -> Floats:
    """Return each row's mean over metrics of its place from the worst (0) to the best (1).

    `table` holds methods by metrics of which less is better, as the study's figures draw them.

    >>> spread_score(np.array([[1.0, 4.0], [2.0, 2.0], [3.0, 3.0]]))
    array([0.5 , 0.75, 0.25])
    """
    return np.asarray(min_max(table, True).mean(axis=1))


def reference_score(table: Floats) -> Floats:
    """Return each row's geometric mean of how many times better it is than the transformer.

    `table` holds methods by the four metrics; less is better in all.

    >>> round(float(reference_score(TABLE)[0]), 12)
    1.0
    """
    return np.array([geometric_mean(row) for row in against_reference(table, TABLE[0], True)])


def terrible_method(factor: float) -> Floats:
    """Return a method that is `factor` times worse than the worst of the table, 1 or more.

    In memory, latency and power; its perplexity is that of the transformer.

    >>> (terrible_method(2.0) / TABLE.max(axis=0)).round(2)
    array([0.85, 2.  , 2.  , 2.  ])
    """
    worst = TABLE.max(axis=0) * float(positive("factor", factor))
    worst[0] = TABLE[0, 0]
    return np.asarray(worst)
