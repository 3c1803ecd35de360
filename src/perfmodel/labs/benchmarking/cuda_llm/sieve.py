"""The loop of a search as rows of candidates: failed, valid, and the best so far."""

from __future__ import annotations

import numpy as np

from perfmodel.labs.benchmarking.cuda_llm.rounds import search_rounds
from perfmodel.live.drawing import Box, Line, Scene, Shape, Text
from perfmodel.validation import whole

MOST, CANDIDATES = 5, 5
"""Rounds and candidates that the sheet has room for."""
_LEFT, _TOP, _STEP, _ROW = 66.0, 44.0, 44.0, 40.0


def search_sieve(rounds: int = 1, validity: float = 0.3) -> Scene:
    """Draw a simulated search of five candidates a round.

    `validity` is the probability that a candidate compiles and computes the right result.

    >>> search_sieve(2, 1.0).values["valid candidates"]
    10
    """
    many = whole("rounds", rounds, 1)
    found = search_rounds(MOST, CANDIDATES, validity, seed=1)
    shapes: list[Shape] = [
        Text("round", 10, 20, anchor="start"),
        Text("candidates", _LEFT + 2.5 * _STEP, 20),
        Text("best", 330, 20),
    ]
    for place in range(many):
        shapes += _row(place, found.speedups[place], float(found.best[place]))
    tried = found.speedups[:many]
    valid = int(np.isfinite(tried).sum())
    says = (
        f"{tried.size} candidates, {valid} valid; the best is "
        f"{found.best[many - 1]:.2f} times as fast as what was there before."
    )
    values = {"valid candidates": valid, "best speedup": float(found.best[many - 1])}
    return Scene(_TOP + MOST * _ROW + 6, shapes, says, values)


def _row(place: int, speedups: np.ndarray, best: float) -> list[Shape]:
    y = _TOP + place * _ROW
    shapes: list[Shape] = [Text(str(place + 1), 24, y + 14)]
    for number, speedup in enumerate(speedups):
        x = _LEFT + number * _STEP
        if np.isnan(speedup):
            shapes.append(Box(x, y, _STEP - 6, 28, "", 0, "hatch"))
        else:
            kept = speedup == best
            shapes.append(
                Box(x, y, _STEP - 6, 28, f"{speedup:.2f}", 1, "light" if kept else "none")
            )
    shapes.append(Line([(_LEFT + 5 * _STEP + 2, y + 14), (304, y + 14)], head=True))
    shapes.append(Text(f"{best:.2f}", 330, y + 14, bold=True))
    return shapes
