"""Speedups of multicore chips published by Hill and Marty (2008), recomputed."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from perfmodel.ledger import Sheet, recomputed
from perfmodel.scaling.multicore import (
    ChipDesign,
    best_asymmetric,
    best_dynamic,
    best_symmetric,
    symmetric_speedup,
)


def _best(best: Callable[..., ChipDesign], budget: int) -> float:
    return float(best(0.99, budget).speedup)


def _base_cores(budget: int) -> float:
    return float(symmetric_speedup(0.99, budget, 1))


BUDGETS = (16, 64, 256, 1024)
"""Chips of the preprint's Table 1, in base-core equivalents."""
# The preprint's Table 1, f = 0.99, in the order of BUDGETS. Speedups of dynamic chips are printed
# as upper bounds ("< 16"), which ours must round to.
TABLE_1 = {
    name: [
        recomputed(
            f"best speedup, {name}, n = {budget}, f = 0.99",
            printed,
            f"preprint, Table 1{bound}",
            partial(compute, budget),
        )
        for budget, printed in zip(BUDGETS, row, strict=True)
    ]
    for name, row, bound, compute in (
        ("symmetric", ("14", "39", "80", "161"), "", partial(_best, best_symmetric)),
        ("asymmetric", ("14", "49", "166", "531"), "", partial(_best, best_asymmetric)),
        ("dynamic", ("16", "60", "223", "782"), ", as <", partial(_best, best_dynamic)),
        ("base cores only", ("14", "39", "72", "91"), "", _base_cores),
    )
}
"""Rows by the kind of chip."""
TEXT = [
    recomputed("speedup of 256 base cores, f = 0.99", "72.1", "text", partial(_base_cores, 256))
]

SHEET = Sheet(
    'Hill and Marty, "Amdahl\'s law in the multicore era", IEEE Computer 41(7), 2008, pp. 33-38',
    [*TEXT, *(row for rows in TABLE_1.values() for row in rows)],
    unheld="We don't compare the curves of the paper's figures, which have no numbers. Tests "
    "compare the best core sizes that they show with an independent calculation.",
)
