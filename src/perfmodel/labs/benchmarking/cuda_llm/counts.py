"""Candidates ranked without running any: cycles of the blocked product from a count of operations.

For each multiplication with addition the count takes the accesses to memory of the innermost loop
and of the loop around it, and the chain of additions that wait for each other. Three constants of
a processor are assumed and none is fitted: accesses a cycle, doubles in a vector, and the cycles of
an addition.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from perfmodel.benchmarking import ProductSettings
from perfmodel.validation import Floats

ACCESSES = 2.0
"""Loads or stores that a core starts in a cycle."""
VECTOR = 4.0
"""Doubles that one access or operation takes, where neighbours in memory are neighbours in use."""
LATENCY = 4.0
"""Cycles from the start of an addition until its sum can be used."""
TRIPS = 4.0
"""Cycles to start and end an innermost loop."""


def counted_cycles(settings: Sequence[ProductSettings]) -> Floats:
    """Return the cycles of each multiplication with addition that the count predicts.

    Good for a ranking; the constants are those of no machine in particular.

    >>> slow = ProductSettings(240, 240, 1, "ijk", "rows-rows", "exact")
    >>> counted_cycles([slow, slow._replace(rows=4)]).round(2).tolist()
    [4.03, 1.01]
    """
    return np.array([_sums(one) if one.order == "ijk" else _updates(one) for one in settings])


def _sums(one: ProductSettings) -> float:
    """Return the cycles of ijk: each of the rows has a sum, to which the innermost loop adds."""
    first, second = one.storage.split("-")
    reorder = one.arithmetic == "fast" and first == "rows" and second == "columns"
    width = VECTOR if reorder else 1.0
    accesses = (1 + one.rows) / one.rows / width + 2 / one.depth
    chain = LATENCY / one.rows / width
    return max(accesses / ACCESSES, chain) + TRIPS / (one.depth * one.rows) * 2


def _updates(one: ProductSettings) -> float:
    """Return the cycles of ikj and kij: each row is loaded, added to, and stored."""
    width = VECTOR if one.storage.endswith("rows") else 1.0
    accesses = (1 + 2 * one.rows) / one.rows / width + 1 / one.columns
    return accesses / ACCESSES + TRIPS / (one.columns * one.rows) * 2
