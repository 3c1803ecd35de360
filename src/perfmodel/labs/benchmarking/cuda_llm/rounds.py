"""The loop of rounds, simulated: candidates are drawn, some are valid, the best is improved on."""

from __future__ import annotations

from math import log
from typing import NamedTuple

import numpy as np

from perfmodel.live.drawing import Box, Line, Scene, Shape, Text
from perfmodel.validation import Floats, at_least, non_negative, whole, within


class Searched(NamedTuple):
    """One search: the speedup of each candidate, and the best after each round."""

    speedups: Floats
    """Shape (rounds, candidates); not a number for a candidate that failed."""
    best: Floats
    """Shape (rounds,); 1 while no candidate is faster than the program before."""


def solve_probability(validity: float, candidates: int) -> float:
    """Return the probability that at least one of some candidates is valid, 1 - (1 - v)^n.

    >>> round(solve_probability(0.3, 5), 3)
    0.832
    """
    return float(1 - (1 - within("validity", validity, 0, 1)) ** whole("candidates", candidates))


def search_rounds(
    rounds: int,
    candidates: int,
    validity: float = 0.3,
    sigma: float = 0.5,
    bound: float = 1e9,
    seed: int = 0,
) -> Searched:
    """Simulate a search: in each round some candidates are drawn around the best so far.

    The logarithm of a valid candidate's speedup is that of the best so far, plus a normal number.
    `sigma` is its standard deviation, `validity` the probability that a candidate is valid,
    `bound` the speedup that the machine allows.

    >>> search_rounds(3, 5, validity=0).best.tolist()
    [1.0, 1.0, 1.0]
    """
    many, per_round = whole("rounds", rounds, 1), whole("candidates", candidates, 1)
    rng = np.random.default_rng(whole("seed", seed))
    valid = rng.random((many, per_round)) < within("validity", validity, 0, 1)
    steps = float(non_negative("sigma", sigma)) * rng.normal(size=(many, per_round))
    ceiling, logs, best = (
        log(at_least("bound", bound, 1)),
        np.full((many, per_round), np.nan),
        [0.0],
    )
    for index in range(many):
        drawn = np.minimum(best[-1] + steps[index], ceiling)
        logs[index, valid[index]] = drawn[valid[index]]
        best.append(max([best[-1], *drawn[valid[index]]]))
    return Searched(np.exp(logs), np.exp(np.array(best[1:])))


MOST, CANDIDATES = 5, 5
"""Rounds and candidates that the sheet has room for."""
_LEFT, _TOP, _STEP, _ROW = 66.0, 44.0, 44.0, 40.0


def search_sieve(rounds: int = 1, validity: float = 0.3) -> Scene:
    """Draw a search of five candidates a round, each valid with the probability `validity`.

    >>> search_sieve(2, 1.0).values["valid candidates"]
    10
    """
    many = whole("rounds", rounds, 1)
    search = search_rounds(MOST, CANDIDATES, validity, seed=1)
    shapes: list[Shape] = [
        Text("round", 10, 20, anchor="start"),
        Text("candidates", _LEFT + 2.5 * _STEP, 20),
        Text("best", 330, 20),
    ]
    for index in range(many):
        shapes += _row(index, search.speedups[index], float(search.best[index]))
    tried = search.speedups[:many]
    valid = int(np.isfinite(tried).sum())
    says = (
        f"The best is {search.best[many - 1]:.2f} times as fast as the program before. "
        f"{valid} of {tried.size} candidates are valid."
    )
    values = {"valid candidates": valid, "best speedup": float(search.best[many - 1])}
    return Scene(_TOP + MOST * _ROW + 6, shapes, says, values)


def _row(index: int, speedups: np.ndarray, best: float) -> list[Shape]:
    y = _TOP + index * _ROW
    shapes: list[Shape] = [Text(str(index + 1), 24, y + 14)]
    for number, speedup in enumerate(speedups):
        x = _LEFT + number * _STEP
        if np.isnan(speedup):
            shapes.append(Box(x, y, _STEP - 6, 28, "", 0, "hatch"))
        else:
            is_best = speedup == best
            shapes.append(
                Box(x, y, _STEP - 6, 28, f"{speedup:.2f}", 1, "light" if is_best else "none")
            )
    shapes.append(Line([(_LEFT + 5 * _STEP + 2, y + 14), (304, y + 14)], head=True))
    shapes.append(Text(f"{best:.2f}", 330, y + 14, bold=True))
    return shapes
