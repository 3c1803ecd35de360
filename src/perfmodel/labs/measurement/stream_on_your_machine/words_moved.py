"""A drawing of what a loop moves: each word that passes between memory and the caches."""

from __future__ import annotations

from dataclasses import dataclass

from perfmodel.labs.measurement.stream_on_your_machine.traffic import WORD
from perfmodel.live.drawing import Box, Line, Scene, Shape, Text
from perfmodel.validation import one_of, whole

LOOPS = {
    "copy": (("a", "c"),),
    "triad": (("bc", "a"),),
    "triad, NumPy": (("c", "a"), ("ab", "a")),
}
"""Passes of a loop: the arrays that each reads and those that it writes."""

_TOP, _ROW, _ARROW = 34, 68, 15


@dataclass(frozen=True)
class Move:
    """A word between memory and cache: read, fetched only to be overwritten, or written back."""

    array: str
    kind: str


def moves_of(loop: str) -> list[Move]:
    """Return what `loop`, a key of `LOOPS`, moves an element, with ordinary stores.

    >>> [f"{move.kind} {move.array}" for move in moves_of("copy")]
    ['read a', 'fetch c', 'write c']
    """
    one_of("loop", loop, LOOPS)
    found = []
    for read, written in LOOPS[loop]:
        found += [Move(array, "read") for array in read]
        found += [Move(array, "fetch") for array in written if array not in read]
        found += [Move(array, "write") for array in written]
    return found


def words_moved(loop: str, step: int) -> Scene:
    """Draw the first `step` words that an element of a loop moves.

    Beyond the loop's last move nothing changes.

    >>> words_moved("triad", 6).values["bytes moved"]
    32.0
    """
    moves = moves_of(loop)
    done = moves[: whole("step", step)]
    shapes: list[Shape] = [Text("memory", 44, 16, bold=True), Text("caches", 212, 16, bold=True)]
    shapes.append(Line([(182, 26), (182, _TOP + 3 * _ROW)]))
    for row, array in enumerate("abc"):
        top = _TOP + row * _ROW
        shapes.append(Box(14, top, 60, _ROW - 8, array, 0, "none"))
        mine = [move for move in done if move.array == array]
        for place, move in enumerate(mine):
            shapes += _arrow(move, top + 8 + place * _ARROW, done[-1] is move)
    moved, whole_way = WORD * len(done), WORD * len(moves)
    says = f"{_said(done)} Moved so far: {moved} of {whole_way} bytes an element."
    return Scene(_TOP + 3 * _ROW + 4, shapes, says, {"bytes moved": float(moved)})


def _arrow(move: Move, y: float, last: bool) -> list[Shape]:
    ends = [(176.0, y), (82.0, y)] if move.kind == "write" else [(82.0, y), (176.0, y)]
    label = {"read": "read", "fetch": "read to be overwritten", "write": "written back"}[move.kind]
    colour = 2 if move.kind == "write" else 1
    words = Text(label, 190, y, anchor="start", bold=last)
    if move.kind == "fetch":
        return [Line(ends, colour, "dashed", head=True), words]
    return [Line(ends, colour, "thick" if last else "plain", head=True), words]


def _said(done: list[Move]) -> str:
    if not done:
        return "Nothing has moved yet."
    array = done[-1].array
    return {
        "read": f"The loop reads {array}.",
        "fetch": f"{array} is read only because a store needs its line.",
        "write": f"The line of {array} goes back to memory.",
    }[done[-1].kind]
