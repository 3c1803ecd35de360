"""Data sets that this project measured, whose models were written before the recording."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from perfmodel.labs.prediction.shootout.challenges.rounds import SEEDS, at_random, larger, unseen
from perfmodel.labs.prediction.shootout.measured import (
    loopback_service,
    sparse_products,
    stable_sorts,
)
from perfmodel.prediction.arena.challenge import Challenge

BUDGETS, FEW = (30, 100), (10, 30)
"""Training rows: of hundreds, and of the 84 loads of the service."""
WRITTEN = "Both were written, tested and committed before the first run was recorded."


def _challenge(
    module: Any, group: str, seeds: Sequence[int], budgets: Sequence[int] = BUDGETS
) -> Challenge:
    data = module.dataset()
    rounds = at_random(data, budgets, seeds)
    rounds += larger(data, module.work(data.features), budgets[-1:], seeds)
    rounds += unseen(data, group, budgets[-1:], seeds)
    return Challenge(
        data,
        rounds,
        module.LOGGED,
        module.PLAIN,
        module.whiteboxes(),
        WRITTEN,
        blind=True,
        work=module.work,
    )


def sorts(seeds: Sequence[int] = SEEDS) -> Challenge:
    """Return stable sorts: at random, more work, and an order of the keys never seen."""
    return _challenge(stable_sorts, "order", seeds)


def sparse(seeds: Sequence[int] = SEEDS) -> Challenge:
    """Return sparse products: at random, more work, and a structure of the matrix never seen."""
    return _challenge(sparse_products, "structure", seeds)


def service(seeds: Sequence[int] = SEEDS) -> Challenge:
    """Return a loopback service: at random, more work, and a distribution never seen."""
    return _challenge(loopback_service, "distribution", seeds, FEW)
