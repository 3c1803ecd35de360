"""What the fits say about the rubric's levels, written from their outcome."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from perfmodel.labs.forecasting.adele.item_response import RaschFit
from perfmodel.validation import Floats


def says_difficulties(
    hard: Mapping[str, tuple[Floats, RaschFit]], last: Mapping[str, float]
) -> str:
    """Say on how many scales difficulty rises to level 4, and where level 5 is easier than it.

    `hard` has each scale's levels and Rasch fit, with 4 and 5 last; `last` its questions of level
    5.
    """
    steps = {name: np.diff(fit.difficulties) for name, (_, fit) in hard.items()}
    falling = [name for name, step in steps.items() if (step[:-1] <= 0).any()]
    easier = [name for name, step in steps.items() if step[-1] < 0]
    but = f" (not in {', '.join(falling)})" if falling else ""
    turned = "; ".join(f"{name}, {questions(last[name])}" for name in easier)
    return (
        f"Up to level 4 difficulty rises from level to level in {len(hard) - len(falling)} of "
        f"{len(hard)} scales{but}. Level 5 is easier than level 4 in {len(easier)}"
        + (f" (with that many of level 5: {turned})." if easier else ".")
    )


def questions(count: float) -> str:
    """Return this many questions in words.

    >>> questions(1), questions(np.float64(2366))
    ('1 question', '2366 questions')
    """
    return f"{count:.0f} question{'' if count == 1 else 's'}"
