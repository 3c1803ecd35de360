"""A made-up benchmark of six sorts of items, the models that took it, and what the paper prints."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class ItemSort(NamedTuple):
    """Items whose loss is a C^-b + c, with C in the smallest model's compute."""

    a: float
    b: float
    c: float


SORTS = (
    ItemSort(3, 0.55, 0.05),
    ItemSort(6, 0.45, 0.05),
    ItemSort(12, 0.40, 0.10),
    ItemSort(25, 0.35, 0.15),
    ItemSort(200, 0.45, 0.20),
    ItemSort(60, 0.10, 0.30),
)
"""From easy to hard; chosen by us, without a look at any real benchmark."""
OF_EACH = 100
"""Items of each sort."""
SPREAD = 0.1
"""Standard deviation of log a among the items of a sort."""
SAMPLES = 100
"""Answers of a model to an item, by which its pass rate is measured; as in the paper."""
UNIT = 1e20
"""Compute of the smallest model, FLOP."""
COMPUTE = np.geomspace(1, 260, 8)
"""Of the eight small models, in `UNIT`; as many as in the paper, which has 122 million to 7 billion
parameters."""
TARGET = 6_800.0
"""Compute of the large model, in `UNIT`: 26 times that of the largest small one."""
OTHER_SPREAD = 0.3
"""Standard deviation of log a between recipes: how far another maker's model agrees with ours."""
SEEDS = 12

PRINTED = (
    ("loss first, then accuracy", "5.29", "9.39"),
    ("one curve in compute", "3.10", "6.00"),
    ("pass rate in compute", "5.02", "8.80"),
    ("broken law", "5.17", "13.05"),
    ("clusters, no map", "2.24", "5.26"),
    ("clusters and map", "1.55", "2.68"),
)
"""Mean and largest absolute error over eight benchmarks, in points; the paper's main table."""
