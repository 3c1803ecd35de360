"""Columns that give the target away: computed from it, or almost equal to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from perfmodel.prediction.arena.dataset import LeakError
from perfmodel.validation import Floats

if TYPE_CHECKING:
    import pandas as pd

LEAKED = 0.002
"""Relative difference to the target below which columns give it away."""

SUSPECT = 0.05
"""Relative difference below which a column is remarked on, and share of the target's spread."""


def leaking_columns(numbers: pd.DataFrame, target: Floats, known: Sequence[str]) -> list[str]:
    """Return a note on each column not `known` of which a power alone is nearly the target."""
    notes = []
    for column in numbers:
        if column in known or not (numbers[column] > 0).all():
            continue
        seen = np.log(numbers[column].to_numpy(dtype=float))
        left = np.log(target) - np.polynomial.Polynomial.fit(seen, np.log(target), 1)(seen)
        wrong = float(np.sqrt(np.mean(left**2)))
        if wrong < SUSPECT and wrong < SUSPECT * np.std(np.log(target)):
            notes.append(
                f"Column {column!r} alone gives the target to {100 * wrong:.1f} %, by a power. If "
                f"it is only known after the run (a counter, energy, another clock), leave it out "
                f"(drop): it makes every learner look good."
            )
    return notes


def refuse_computed(
    numbers: pd.DataFrame, target: Floats, quantity: str, known: Sequence[str]
) -> None:
    """Refuse columns, but the `known`, of which the target is a product of powers, or a sum."""
    columns = [column for column in numbers if column not in known]
    above = [column for column in columns if (numbers[column] > 0).all()]
    asked = (
        ("product of powers", above, np.log(numbers[above].to_numpy(dtype=float)), np.log(target)),
        ("sum", columns, numbers[columns].to_numpy(dtype=float), target),
    )
    for kind, names, seen, wanted in asked:
        if not names or len(target) < 3 * (len(names) + 1):
            continue
        scale = np.abs(seen).max(axis=0)
        design = np.column_stack([seen / np.where(scale > 0, scale, 1), np.ones(len(target))])
        weights = np.linalg.lstsq(design, wanted, rcond=None)[0]
        left = wanted - design @ weights
        wrong = np.abs(left if kind == "product of powers" else left / target)
        if np.sqrt(np.mean(wrong**2)) < LEAKED:
            fraction = np.abs(weights[:-1]) * np.ptp(design[:, :-1], axis=0)
            part = [n for n, s in zip(names, fraction, strict=True) if s > 0.01 * fraction.max()]
            raise LeakError(
                f"{quantity!r} is, to {LEAKED:.1%}, a {kind} of {', '.join(map(repr, part))}: "
                f"one of them was computed from it (a rate, a part, another unit). Leave that "
                f"column out (drop), or name it as known if it is meant"
            )
