"""Two ways to score predicted calls: the authors' recall, and a one-to-one matching.

The authors' rules: N. Schneider et al., "MPIrigen: MPI Code Generation through Domain-Specific
Language Models", AI4Sys 2024, as their released scores follow them. We chose the matching: it is an
assignment problem, which `scipy.optimize.linear_sum_assignment` solves.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment

from perfmodel.live.drawing import Box, Fill, Line, Scene, Shape, Text
from perfmodel.validation import one_of, whole


class Call(NamedTuple):
    """A call: after which line of the program, which of that line's calls, what it says."""

    line: int
    order: int
    name: str
    arguments: tuple[str, ...]


_ENTRY = re.compile(r"(\d+) (\d+),\s*([^;]*);")


def read_calls(text: str) -> list[Call]:
    """Return the calls listed in a text such as "(3 1, MPI_Init(&argc, &argv);)".

    Two numbers, line and order within the line, then the call up to its first semicolon. What can't
    be read is passed over, and of two entries at one place the later one stays, as in the authors'
    scoring.

    >>> read_calls("(2 1, MPI_Init(&argc, &argv);) (9 1, MPI_Finalize();)")[0].arguments
    ('&argc', '&argv')
    """
    calls: dict[tuple[int, int], Call] = {}
    for line, order, said in _ENTRY.findall(text):
        name, bracket, rest = said.strip().partition("(")
        if not bracket:
            continue
        position = int(line), int(order)
        calls[position] = Call(*position, name.strip(), split_arguments(rest.rpartition(")")[0]))
    return list(calls.values())


def split_arguments(text: str) -> tuple[str, ...]:
    """Return the arguments of a call, parted at commas outside brackets.

    >>> split_arguments("&x, f(a, b), 1")
    ('&x', 'f(a, b)', '1')
    """
    parts, depth = [""], 0
    for letter in text:
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return tuple(part.strip() for part in parts if part.strip())


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
    """Of the labels, matched to a call that is equal except for its place."""


def near(label: Call, prediction: Call, tolerance: int) -> bool:
    """Return whether a prediction is off by up to `tolerance` lines, or in the order, not in both.

    >>> near(Call(5, 1, "f", ()), Call(7, 1, "f", ()), 2)
    True
    """
    lines, orders = abs(label.line - prediction.line), abs(label.order - prediction.order)
    return min(lines, orders) == 0 and max(lines, orders) <= tolerance


def lenient_score(
    labels: Sequence[Call], predictions: Sequence[Call], tolerance: int
) -> LenientScore:
    """Return the authors' scores, in which a prediction may serve several labels or none.

    >>> labels = [Call(n, 1, name, ()) for n, name in ((3, "a"), (7, "b"), (8, "c"))]
    >>> guesses = [Call(4, 1, "a", ()), Call(7, 1, "x", ()), Call(30, 1, "y", ())]
    >>> [round(share, 3) for share in lenient_score(labels, guesses, 1)]
    [1.0, 0.333, 1.0]
    """
    reach = whole("tolerance", tolerance)
    _some(labels)
    close = [[p for p in predictions if near(g, p, reach)] for g in labels]
    located = [(g, ps) for g, ps in zip(labels, close, strict=True) if ps]
    named = [(g, next((p for p in ps if p.name == g.name), None)) for g, ps in located]
    equal = [_equal_arguments(g, p) for g, p in named if p is not None]
    function = len(equal) / len(located) if located else np.nan
    return LenientScore(
        len(located) / len(labels), function, float(np.mean(equal)) if equal else np.nan
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
    benefit = np.zeros((len(labels), len(predictions)))
    unit = 1 / (4.0 * min(benefit.shape))
    for i, label in enumerate(labels):
        for j, guess in enumerate(predictions):
            if near(label, guess, reach):
                benefit[i, j] = 1 + unit * _likeness(label, guess, reach)
    rows, columns = linear_sum_assignment(benefit, maximize=True)
    return [(int(i), int(j)) for i, j in zip(rows, columns, strict=True) if benefit[i, j] > 0]


def matched_score(
    labels: Sequence[Call], predictions: Sequence[Call], tolerance: int
) -> MatchedScore:
    """Return the shares of a one-to-one matching. Without predictions the precision is 0.

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


LABELS = [
    Call(line, 1, name, ())
    for line, name in ((2, "Init"), (3, "rank"), (7, "Send"), (8, "Recv"), (11, "Finalize"))
]
PREDICTIONS = [
    Call(line, 1, name, ())
    for line, name in ((2, "Init"), (4, "rank"), (7, "Bcast"), (10, "Finalize"), (12, "Barrier"))
]
RULES = {"any near": "any", "one to one": "one"}
_ROW, _TOP = 17.0, 36.0
_LEFT, _RIGHT, _WIDE = 44.0, 250.0, 70.0


def matching(rule: str, tolerance: int) -> Scene:
    """Draw labels and predictions, joined where any is near ("any") or each is used once ("one").

    >>> [matching(rule, 1).values["labels matched"] for rule in ("any", "one")]
    [5.0, 4.0]
    """
    one_of("rule", rule, RULES.values())
    pairs = _near_pairs(tolerance) if rule == "any" else match_calls(LABELS, PREDICTIONS, tolerance)
    shapes = _columns(pairs)
    for i, j in pairs:
        ends = [(_LEFT + _WIDE, _y(LABELS[i].line)), (_RIGHT, _y(PREDICTIONS[j].line))]
        shapes.append(Line(ends, 3, "plain" if _same(i, j) else "dashed"))
    values = {
        "labels matched": float(len({i for i, _ in pairs})),
        "right names": float(len({i for i, j in pairs if _same(i, j)})),
        "predictions that serve": float(len({j for _, j in pairs})),
    }
    matched, named, serving = values.values()
    says = (
        f"{matched:.0f} of {len(LABELS)} labels are matched, {named:.0f} of them with the right "
        f"name. {serving:.0f} of {len(PREDICTIONS)} predictions serve a label."
    )
    return Scene(_y(12) + 14, shapes, says, values)


def _same(label: int, guess: int) -> bool:
    return LABELS[label].name == PREDICTIONS[guess].name


def _near_pairs(tolerance: int) -> list[tuple[int, int]]:
    return [
        (i, j)
        for i, label in enumerate(LABELS)
        for j, guess in enumerate(PREDICTIONS)
        if near(label, guess, tolerance)
    ]


def _columns(pairs: list[tuple[int, int]]) -> list[Shape]:
    """Return both columns of calls, those matched filled."""
    shapes: list[Shape] = [Text(str(line), 20, _y(line)) for line in range(1, 13)]
    columns = ((LABELS, "labels", _LEFT), (PREDICTIONS, "predictions", _RIGHT))
    for column, (calls, title, left) in enumerate(columns):
        shapes.append(Text(title, left + _WIDE / 2, 14))
        used = {pair[column] for pair in pairs}
        for index, call in enumerate(calls):
            fill: Fill = "solid" if index in used else "none"
            y = _y(call.line) - 7.5
            shapes.append(Box(left, y, _WIDE, 15, call.name, 1 + column, fill))
    return shapes


def _y(line: int) -> float:
    return _TOP + _ROW * (line - 1)
