"""Labels and predictions side by side, joined by one of the two rules."""

from __future__ import annotations

from perfmodel.labs.benchmarking.mpirigen.calls import Call
from perfmodel.labs.benchmarking.mpirigen.scoring import match_calls, near
from perfmodel.live.drawing import Box, Fill, Line, Scene, Shape, Text
from perfmodel.validation import one_of

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
    """Draw five labels and five predictions at their lines, joined where they are matched.

    By any prediction within `tolerance` lines of a label, as the authors count, or each used once.

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
    found, named, serving = values.values()
    says = (
        f"{found:.0f} of {len(LABELS)} labels are matched, {named:.0f} of them by the right name; "
        f"{serving:.0f} of {len(PREDICTIONS)} predictions serve."
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
        for place, call in enumerate(calls):
            fill: Fill = "solid" if place in used else "none"
            y = _y(call.line) - 7.5
            shapes.append(Box(left, y, _WIDE, 15, call.name, 1 + column, fill))
    return shapes


def _y(line: int) -> float:
    return _TOP + _ROW * (line - 1)
