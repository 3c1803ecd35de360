"""Places for the names of lines and points on a plot, each close to its line or point.

Each name tries places in a fixed order and takes the one that costs least: close to its point,
closer to it than to any other, clear of lines. What is there already is never covered. So a figure
looks the same every time. Lengths are in drawing units, y upwards, from the frame's lower left
corner.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Literal

import numpy as np

from perfmodel.live.svg import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH
from perfmodel.validation import Floats

WIDE, HIGH = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
_LETTER, _LINE, _CAPITAL = 17.5, 32.0, 21.0
"""Width of a letter, height of a line and of a capital, at the larger size of small screens."""
_DOT = 10.0
"""Half of the width of a point's mark."""
_LIFTS = (8.0, -26.0, 42.0, -60.0)
"""Where the base line of a line's name may be: above the line, below, or farther off."""
_GAPS = (5.0, 12.0, 22.0, 35.0, 50.0, 70.0, 95.0, 125.0, 160.0, 200.0, 250.0, 310.0)
"""Distances between a point's mark and its name that are tried."""
_LEADER, _FAR, _CLEAR = 12.0, 20.0, 1.5
"""Above the first distance a leader can be seen. A name gets one above the second distance, or if
another point is not this many times as far away as its own."""
_CROSSING, _UNCLEAR, _ASTRAY = 40.0, 60.0, 400.0
"""How far a name moves away rather than cross a line, be between two points without a leader, or be
closer to another's point."""

Anchor = Literal["start", "middle", "end"]
LabelPosition = tuple[float, float]


@dataclass(frozen=True)
class Line:
    """A line from corner to corner, and where its own name may stand along it, best first."""

    corners: Floats
    """Shape (n, 2)."""
    name: str = ""
    """Empty for a line that needs no name on the plot."""
    along: Sequence[LabelPosition] = ()
    slanted: bool = False
    colour: int = 0


@dataclass(frozen=True)
class Label:
    """A name, its base line's place and which end of it that is, and a leader to its point."""

    name: str
    at: LabelPosition
    anchor: Anchor
    colour: int = 0
    leader: tuple[LabelPosition, LabelPosition] | None = None


def place_labels(lines: Sequence[Line], points: Sequence[tuple[str, LabelPosition]]) -> list[Label]:
    """Return a label for each named line and each point, one only for points of the same name.

    The names of all `lines` are on the same side of their lines, unless one finds no place there;
    `points` are names with their places.

    Raises `ValueError` if a name finds no free place.
    """
    taken = [_around(at, _DOT) for _, at in points]
    beads = np.array([bead for line in lines for bead in _beads(line.corners, 3.0)])
    placed = _line_labels([line for line in lines if line.name], beads, taken)
    taken += [_box(label) for label in placed]
    own: dict[str, LabelPosition] = {}
    for name, at in points:
        own.setdefault(name, at)
    for name in sorted(own, key=len, reverse=True):
        others = [at for other, at in points if other != name]
        placed.append(_point_label(name, own[name], others, beads, taken))
        taken.append(_box(placed[-1]))
        taken += _beads(np.array(placed[-1].leader), 1.0) if placed[-1].leader else []
    return placed


def _line_labels(lines: Sequence[Line], beads: Floats, taken: Sequence[Floats]) -> list[Label]:
    one_sided = [_named(lines, (lift,), beads, list(taken)) for lift in (0, 1)]
    whole = [side for side in one_sided if len(side[0]) == len(lines)]
    mixed = _named(lines, range(len(_LIFTS)), beads, list(taken))
    best = min(whole or [mixed], key=itemgetter(1))[0]
    if len(best) < len(lines):
        raise _nowhere(lines[len(best)].name)
    return best


def _named(
    lines: Sequence[Line], lifts: Sequence[int], beads: Floats, taken: list[Floats]
) -> tuple[list[Label], float]:
    """Return labels at any of these lifts, up to the first without a place, and what they cost."""
    placed: list[Label] = []
    total = 0.0
    for line in lines:
        options = [
            (_CROSSING * (lift + _meets(_ink(label), beads)) + step / 2, lift, step, label)
            for lift in lifts
            for step, label in enumerate(_beside(line, _LIFTS[lift]))
            if _free(_box(label), taken)
        ]
        if not options:
            break
        cost, *_, label = min(options, key=itemgetter(0, 1, 2))
        total += cost
        placed.append(label)
        taken.append(_box(label))
    return placed, total


def _beside(line: Line, lift: float) -> Iterator[Label]:
    for a, b in line.along:
        if not line.slanted:
            yield Label(line.name, (a, b + lift), "end", line.colour)
        elif lift > 0:
            yield Label(line.name, (a - 16, b + lift), "end", line.colour)
        else:
            yield Label(line.name, (a + 16, b + lift), "start", line.colour)


def _point_label(
    name: str,
    at: LabelPosition,
    others: Sequence[LabelPosition],
    beads: Floats,
    taken: Sequence[Floats],
) -> Label:
    best, least = None, np.inf
    for gap, label in _near(name, at):
        if gap >= least:
            break
        if not _free(_box(label), taken):
            continue
        own, other = _distance(_box(label), at), _nearest_of(others, label, at)
        cost = gap + _CROSSING * _meets(_ink(label), beads) + _ASTRAY * (other <= own + 1)
        leader = None
        if gap >= _LEADER and (gap >= _FAR or other <= _CLEAR * own):
            leader = _leader(label, at)
            way = np.array(_beads(np.array(leader), 1.0))
            cost += _CROSSING / 2 * _meets(way[2:], beads)
            cost += _ASTRAY * any(_meets(box, way) for box in taken if not _holds(box, at))
        elif other <= _CLEAR * own:
            cost += _UNCLEAR
        if cost < least:
            best, least = Label(name, label.at, label.anchor, leader=leader), cost
    if best is None:
        raise _nowhere(name)
    return best


def _near(name: str, at: LabelPosition) -> Iterator[tuple[float, Label]]:
    """Yield places all around a point, the closest first and below right first of these."""
    for gap in _GAPS:
        for turn in range(24):
            angle = -np.pi / 4 + turn * np.pi * (13 / 12)
            right, upwards = (
                np.clip(1.5 * np.cos(angle), -1, 1),
                np.clip(1.5 * np.sin(angle), -1, 1),
            )
            away = _DOT + gap
            bottom = at[1] + away * np.sin(angle) + (upwards - 1) * _LINE / 2
            a = at[0] + away * np.cos(angle)
            anchor: Anchor = "middle"
            if abs(right) == 1:
                anchor = "start" if right > 0 else "end"
            yield gap, Label(name, (float(a), float(bottom) + 6), anchor)


def _nearest_of(others: Sequence[LabelPosition], label: Label, at: LabelPosition) -> float:
    """Return how far the closest of other points is from a label."""
    return min((_distance(_box(label), other) for other in others if other != at), default=np.inf)


def _leader(label: Label, at: LabelPosition) -> tuple[LabelPosition, LabelPosition]:
    """Return the line from a point's mark to the closest place of its label."""
    start, end = np.array(at), _nearest(_ink(label), at)
    length = max(float(np.hypot(*(end - start))), 1e-9)
    start, end = start + (end - start) * _DOT / length, end - (end - start) * 3 / length
    return (float(start[0]), float(start[1])), (float(end[0]), float(end[1]))


def _box(label: Label) -> Floats:
    """Return left, right, bottom and top of a label with the room around it."""
    wide = _LETTER * len(label.name)
    a, b = label.at
    left = {"start": a, "middle": a - wide / 2, "end": a - wide}[label.anchor]
    return np.array([left, left + wide, b - 6, b + _LINE - 6])


def _ink(label: Label) -> Floats:
    """Return left, right, bottom and top of a label's letters alone."""
    left, right, bottom, _ = _box(label)
    return np.array([left, right, bottom + 2, label.at[1] + _CAPITAL])


def _around(at: LabelPosition, half: float) -> Floats:
    return np.array([at[0] - half, at[0] + half, at[1] - half, at[1] + half])


def _beads(corners: Floats, half: float) -> list[Floats]:
    """Return small boxes all along a line."""
    steps = np.hypot(*np.diff(corners, axis=0).T)
    along = np.r_[0, np.cumsum(steps)]
    at = np.linspace(0, along[-1], int(along[-1] / 5) + 2)
    places = zip(
        np.interp(at, along, corners[:, 0]), np.interp(at, along, corners[:, 1]), strict=True
    )
    return [_around((float(a), float(b)), half) for a, b in places]


def _meets(boxes: Floats, others: Floats) -> bool:
    """Whether a box, shape (4,) or (m, 4), shares any area with one of others, shape (n, 4)."""
    left, right, bottom, top = np.atleast_2d(boxes).T[:, :, None]
    a, b, c, d = others.T
    return bool(np.any((left < b) & (a < right) & (bottom < d) & (c < top)))


def _holds(box: Floats, at: LabelPosition) -> bool:
    return bool(box[0] <= at[0] <= box[1] and box[2] <= at[1] <= box[3])


def _free(box: Floats, taken: Sequence[Floats]) -> bool:
    inside = box[0] >= 0 and box[1] <= WIDE and box[2] >= 0 and box[3] <= HIGH
    return bool(inside) and not (taken and _meets(box, np.array(taken)))


def _nearest(box: Floats, at: LabelPosition) -> Floats:
    return np.array([np.clip(at[0], box[0], box[1]), np.clip(at[1], box[2], box[3])])


def _distance(box: Floats, at: LabelPosition) -> float:
    return float(np.hypot(*(_nearest(box, at) - at)))


def _nowhere(name: str) -> ValueError:
    return ValueError(f"labels must find a free place each, got none for {name!r}")
