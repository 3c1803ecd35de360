"""A stack of last uses over a trace: the object used moves to the top, and the depth it came from.

The cache is the upper part of the stack, whatever its size; so one pass tells hits at every size.
"""

from __future__ import annotations

import numpy as np

from perfmodel.live.drawing import Box, Fill, Line, Scene, Shape, Text
from perfmodel.live.drawing.chart import legend
from perfmodel.offloading import simulate_cache, stack_distances
from perfmodel.validation import whole

TRACE = "ABCADBAECABBDC"
"""The objects used; five of them."""
_NAMES = "".join(sorted(set(TRACE)))
_USES = np.array([_NAMES.index(name) for name in TRACE])
_LEFT, _CELL = 19.0, 23.0
_STACK, _PLACE = 78.0, 44.0
_BEFORE, _AFTER, _HIGH = 172.0, 242.0, 24.0


def lru_stack(use: int, size: int) -> Scene:
    """Draw the stack before and after one use, and the distances of all uses so far.

    Parameters
    ----------
    use : int
        Uses done, 0 to 14.
    size : int
        Objects that the cache holds, 1 to 5.

    Examples
    --------
    >>> lru_stack(14, 3).values
    {'hits so far': 4.0, 'hits with one place more': 7.0}
    """
    done, room = whole("use", use), whole("size", size, 1)
    if done > len(TRACE) or room > len(_NAMES):
        raise ValueError(
            f"use must be at most {len(TRACE)} and size at most {len(_NAMES)}, "
            f"got {use!r} and {size!r}"
        )
    depth = stack_distances(_USES)
    hits = simulate_cache(_USES, room).hits
    shapes: list[Shape] = [Text("number: distance", 341, 90, anchor="end")]
    shapes += legend(20, 90, [("hit", 1, "solid")]) + legend(84, 90, [("miss", 2, "hatch")])
    for i in range(len(TRACE)):
        shapes += _use(i, float(depth[i]), bool(hits[i]), done)
    shapes += _stacks(done, room, bool(hits[max(done - 1, 0)]))
    values = {
        "hits so far": float(hits[:done].sum()),
        "hits with one place more": float((depth[:done] <= room + 1).sum()),
    }
    return Scene(_AFTER + _HIGH + 6, shapes, _says(done, room, depth, hits), values)


def _says(done: int, room: int, depth: np.ndarray, hits: np.ndarray) -> str:
    total = f"A cache of {room} has hit in {hits[:done].sum()} of {done} uses."
    if done == 0:
        return f"Nothing is used yet. {total}"
    name, place = TRACE[done - 1], depth[done - 1]
    if np.isinf(place):
        return f"{name} is used for the first time, a miss in any cache. {total}"
    came = f"{name} comes from place {place:.0f} of the stack"
    return f"{came}, which is a {'hit' if hits[done - 1] else 'miss'}. {total}"


def _use(i: int, depth: float, hit: bool, done: int) -> list[Shape]:
    """Return a reference: its object, and its distance once it is done."""
    x = _LEFT + i * _CELL
    fill: Fill = "none" if i >= done else "solid" if hit else "hatch"
    shapes: list[Shape] = [Text(TRACE[i], x + _CELL / 2, 26, bold=i == done - 1)]
    shapes.append(Box(x + 1, 38, _CELL - 2, 14, "", 0 if i >= done else 1 if hit else 2, fill))
    if i < done:
        shapes.append(Text("∞" if np.isinf(depth) else f"{depth:.0f}", x + _CELL / 2, 65))
    if i == done - 1:
        shapes.append(Line([(x + _CELL / 2, 4), (x + _CELL / 2, 17)], style="thick", head=True))
    return shapes


def _stacks(done: int, room: int, hit: bool) -> list[Shape]:
    """Return the stack before and after the last use, each object's way, and the cache's end."""
    edge = _STACK + room * _PLACE
    shapes: list[Shape] = [
        Text("before", 16, _BEFORE + _HIGH / 2, anchor="start"),
        Text("after", 16, _AFTER + _HIGH / 2, anchor="start"),
        Text(f"cache of {room}", edge - 6, 128, anchor="end", bold=True),
        Line([(edge, 116), (edge, _AFTER + _HIGH + 4)], style="dashed"),
        *(Text(str(i + 1), _STACK + (i + 0.5) * _PLACE, 156) for i in range(len(_NAMES))),
    ]
    before, after = _order(max(done - 1, 0)), _order(done)
    for stack, top in ((before, _BEFORE), (after, _AFTER)):
        for i, name in enumerate(stack):
            moved = name == TRACE[done - 1]
            fill: Fill = "solid" if moved and hit else "light" if moved else "none"
            colour, x = (1 if hit else 2) if moved else 0, _STACK + i * _PLACE
            shapes.append(Box(x + 3, top, _PLACE - 6, _HIGH, name, colour, fill, bold=moved))
    for i, name in enumerate(after):
        old = before.index(name) if name in before else len(_NAMES) + 0.2
        way = [(_STACK + (x + 0.5) * _PLACE, y) for x, y in ((old, 200), (i, _AFTER - 4))]
        if name == TRACE[done - 1]:
            shapes.append(Line(way, 1 if hit else 2, "thick", head=True))
        else:
            shapes.append(Line(way, style="thin"))
    return shapes


def _order(done: int) -> list[str]:
    """Return the objects used so far, the last used first."""
    return list(dict.fromkeys(reversed(TRACE[:done])))
