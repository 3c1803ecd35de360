"""Two ways to score predicted calls: the authors' recall, and a one-to-one matching.

The authors' rules: N. Schneider et al., "MPIrigen: MPI Code Generation through Domain-Specific
Language Models", AI4Sys 2024, as their released scores follow them. The matching is ours: it is an
assignment problem, which `scipy.optimize.linear_sum_assignment` solves.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment

from perfmodel.labs.benchmarking.mpirigen.calls import Call
from perfmodel.validation import whole


class LenientScore(NamedTuple):
    """The authors' three shares; the last two are NaN where nothing was to be judged."""

    location: float
    """Of the labels, with a prediction near."""
    function: float
    """Of these, with the right name."""
    arguments: float
    """Of the arguments of these, equal."""


class MatchedScore(NamedTuple):
    """Shares under a one-to-one matching."""

    precision: float
    """Of the predictions, matched."""
    recall: float
    """Of the labels, matched."""
    named: float
    """Of the labels, matched to a call of the same name."""
    whole: float
    """Of the labels, matched to a call that is equal but for its place."""


def near(label: Call, prediction: Call, tolerance: int) -> bool:
    """Return whether a prediction counts as being at a label's place.

    It may be off by up to `tolerance` lines, or by as much in the order within the line, and not
    in both.

    >>> near(Call(5, 1, "f", ()), Call(7, 1, "f", ()), 2)
    True
    """
    lines, orders = abs(label.line - prediction.line), abs(label.order - prediction.order)
    return min(lines, orders) == 0 and max(lines, orders) <= tolerance


def lenient_score(
    labels: Sequence[Call], predictions: Sequence[Call], tolerance: int
) -> LenientScore:
    """Return the authors' scores: each label looks for any prediction near it.

    A prediction may serve several labels, and predictions that serve none cost nothing.

    >>> labels = [Call(n, 1, name, ()) for n, name in ((3, "a"), (7, "b"), (8, "c"))]
    >>> guesses = [Call(4, 1, "a", ()), Call(7, 1, "x", ()), Call(30, 1, "y", ())]
    >>> [round(share, 3) for share in lenient_score(labels, guesses, 1)]
    [1.0, 0.333, 1.0]
    """
    reach = whole("tolerance", tolerance)
    _some(labels)
    close = [[p for p in predictions if near(g, p, reach)] for g in labels]
    found = [(g, ps) for g, ps in zip(labels, close, strict=True) if ps]
    named = [(g, next((p for p in ps if p.name == g.name), None)) for g, ps in found]
    equal = [_equal_arguments(g, p) for g, p in named if p is not None]
    function = len(equal) / len(found) if found else np.nan
    return LenientScore(
        len(found) / len(labels), function, float(np.mean(equal)) if equal else np.nan
    )


def match_calls(
    labels: Sequence[Call], predictions: Sequence[Call], tolerance: int
) -> list[tuple[int, int]]:
    """Return which label goes with which prediction, each used once at most.

    As many pairs as possible; among those the best, counting equal names first, then equal
    arguments, then nearness. Indices in `labels` and in `predictions`.

    >>> labels = [Call(7, 1, "b", ()), Call(8, 1, "c", ())]
    >>> match_calls(labels, [Call(7, 1, "c", ())], 1)
    [(1, 0)]
    """
    reach = whole("tolerance", tolerance)
    if not labels or not predictions:
        return []
    worth = np.zeros((len(labels), len(predictions)))
    unit = 1 / (4.0 * min(worth.shape))
    for i, label in enumerate(labels):
        for j, guess in enumerate(predictions):
            if near(label, guess, reach):
                worth[i, j] = 1 + unit * _likeness(label, guess, reach)
    rows, columns = linear_sum_assignment(worth, maximize=True)
    return [(int(i), int(j)) for i, j in zip(rows, columns, strict=True) if worth[i, j] > 0]


def matched_score(
    labels: Sequence[Call], predictions: Sequence[Call], tolerance: int
) -> MatchedScore:
    """Return the shares of a one-to-one matching.

    Without predictions the precision is 0.

    >>> labels = [Call(n, 1, name, ()) for n, name in ((3, "a"), (7, "b"), (8, "c"))]
    >>> guesses = [Call(4, 1, "a", ()), Call(7, 1, "x", ()), Call(30, 1, "y", ())]
    >>> [round(share, 3) for share in matched_score(labels, guesses, 1)]
    [0.667, 0.667, 0.333, 0.333]
    """
    _some(labels)
    pairs = [(labels[i], predictions[j]) for i, j in match_calls(labels, predictions, tolerance)]
    named = sum(g.name == p.name for g, p in pairs)
    equal = sum(g[2:] == p[2:] for g, p in pairs)
    precision = len(pairs) / len(predictions) if predictions else 0.0
    return MatchedScore(
        precision, len(pairs) / len(labels), named / len(labels), equal / len(labels)
    )


def _equal_arguments(label: Call, prediction: Call) -> float:
    """Return the share of a label's arguments that stand at the same place; 1 if it has none."""
    if not label.arguments:
        return 1.0
    pairs = zip(label.arguments, prediction.arguments, strict=False)
    return sum(a == b for a, b in pairs) / len(label.arguments)


def _likeness(label: Call, guess: Call, reach: int) -> float:
    """Return 0 to 1 and a little: the name decides, then the arguments, then the distance."""
    off = abs(label.line - guess.line) + abs(label.order - guess.order)
    alike = 0.1 * _equal_arguments(label, guess) if label.name == guess.name else 0.0
    return (label.name == guess.name) + alike + 0.01 * (1 - off / (reach + 1))


def _some(labels: Sequence[Call]) -> None:
    if not labels:
        raise ValueError("labels must be one or more, got none")
