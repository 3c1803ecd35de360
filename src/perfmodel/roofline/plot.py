"""Draw rooflines as a `live.Plot` whose kernels and ceilings are all named, without overlaps.

Each label tries places beside its point or line, in a fixed order, and takes the first that keeps
clear of labels and points already there; so a figure looks the same every time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from perfmodel import live
from perfmodel.live.svg import BOTTOM as _BOTTOM
from perfmodel.live.svg import HEIGHT, LEFT, RIGHT, TOP, WIDTH
from perfmodel.roofline.model import Kernel, Roofline, bound_by

_WIDE, _HIGH = WIDTH - LEFT - RIGHT, HEIGHT - TOP - _BOTTOM
_LETTER, _LINE = 17.5, 36.0
"""Width of a letter and height of a line in drawing units, at the larger size of small screens."""
_LIFT = 10.0
"""How far above its point the drawing puts a note's base line."""
_DOT = 10.0
"""Half of the width of a kernel's mark."""

_CROSSING = 40.0
"""How far a label rather moves off than cross a line."""

Anchor = Literal["start", "middle", "end"]
Spot = tuple[float, float, Anchor]
"""Where a label's base line is, in drawing units, and which end of it."""


@dataclass(frozen=True)
class Measured:
    """A kernel's measured rate in FLOP/s, to be drawn beside what the roofline allows."""

    kernel: Kernel
    rate: float


@dataclass(frozen=True)
class Box:
    """A rectangle in drawing units, y upwards."""

    left: float
    right: float
    bottom: float
    top: float

    def meets(self, other: Box) -> bool:
        """Return whether the two share any area."""
        return (
            self.left < other.right
            and other.left < self.right
            and self.bottom < other.top
            and other.bottom < self.top
        )


def roofline_plot(
    roofs: Sequence[Roofline],
    kernels: Sequence[Kernel] = (),
    measured: Sequence[Measured] = (),
    *,
    x: tuple[float, float] | None = None,
    y: tuple[float, float] | None = None,
) -> live.Plot:
    """Return the roofs, their ceilings and the kernels as one plot.

    Parameters
    ----------
    roofs : sequence of Roofline
        One or more.
    kernels : sequence of Kernel
        Drawn as points on the first roof.
    measured : sequence of Measured
        Drawn as points at their rates.
    x, y : tuple of float
        Limits of intensity (FLOP/byte) and rate (FLOP/s), for figures whose axes must stay; chosen
        to fit if not given.

    Returns
    -------
    live.Plot
        Each kernel and ceiling with its name beside it. It says what bounds each kernel, and its
        values are the ridge points and the attainable rates.

    Raises
    ------
    ValueError
        If there is no roof, a kernel has no operations, or a label finds no free place.

    Examples
    --------
    >>> roof = Roofline("toy", 1e11, 2e10)
    >>> plot = roofline_plot([roof], [Kernel("triad", 2, 24), Kernel("GEMM", 64, 1)])
    >>> sorted(note.text for note in plot.notes)
    ['GEMM', 'triad']
    """
    if not roofs:
        raise ValueError("roofs must have at least one roofline, got none")
    for kernel in kernels:
        if not kernel.flops > 0:
            raise ValueError(f"kernels must have operations to be drawn, got {kernel}")
    across, up = _axes(roofs, kernels, measured, x, y)
    points = [(k.name, k.intensity, float(roofs[0].attainable(k.intensity))) for k in kernels]
    points += [(m.kernel.name, m.kernel.intensity, m.rate) for m in measured]
    marks = [*_roof_marks(roofs, across)]
    if kernels:
        marks.append(_dots("attainable", points[: len(kernels)], 3))
    if measured:
        marks.append(_dots("measured", points[len(kernels) :], 4))
    values = {f"{r.name}: ridge point (FLOP/byte)": r.ridge_point for r in roofs}
    for name, _, rate in points[: len(kernels)]:
        values[f"{name}: attainable (FLOP/s)"] = rate
    says = _bounds(roofs[0], kernels) if kernels else _ridges(roofs)
    notes = _labels(roofs, points, across, up)
    return live.Plot(across, up, marks, f"{says}.", values, notes)


def _axes(
    roofs: Sequence[Roofline],
    kernels: Sequence[Kernel],
    measured: Sequence[Measured],
    x: tuple[float, float] | None,
    y: tuple[float, float] | None,
) -> tuple[live.Axis, live.Axis]:
    at = [r.ridge_point for r in roofs] + [k.intensity for k in kernels]
    at += [m.kernel.intensity for m in measured]
    low, high = x or (10 ** np.floor(np.log10(min(at) / 3)), 10 ** np.ceil(np.log10(max(at) * 3)))
    across = live.Axis("operational intensity", float(low), float(high), "FLOP/byte", "log")
    rates = [float(r.attainable(low)) for r in roofs] + [m.rate for m in measured]
    lowest = [c.value * (low if c.kind == "memory" else 1) for r in roofs for c in r.ceilings]
    floor = 10 ** np.floor(np.log10(min(rates + lowest)))
    ceiling = 10 ** np.ceil(np.log10(max(r.peak for r in roofs) * 3))
    bottom, top = y or (floor, ceiling)
    return across, live.Axis("rate", float(bottom), float(top), "FLOP/s", "log")


def _roof_marks(roofs: Sequence[Roofline], across: live.Axis) -> Iterator[live.Mark]:
    for i, roof in enumerate(roofs):
        colour = i % 6 + 1
        yield _roof(roof.name, roof.peak, roof.bandwidth, across, "line", colour)
        for ceiling in roof.ceilings:
            held = roof.under(ceiling.name)
            yield _roof(ceiling.name, held.peak, held.bandwidth, across, "dashed", colour)


def _roof(
    name: str, peak: float, bandwidth: float, across: live.Axis, style: live.plot.Style, colour: int
) -> live.Mark:
    bend = float(np.clip(peak / bandwidth, across.low, across.high))
    at = np.array([across.low, bend, across.high])
    return live.Mark(name, at, np.minimum(peak, at * bandwidth), style, colour)


def _dots(name: str, points: Sequence[tuple[str, float, float]], colour: int) -> live.Mark:
    return live.Mark(name, [p[1] for p in points], [p[2] for p in points], "points", colour)


def _bounds(roof: Roofline, kernels: Sequence[Kernel]) -> str:
    said = []
    for which in ("memory", "compute"):
        names = [
            k.name for k in kernels if bound_by(k.intensity, roof.peak, roof.bandwidth) == which
        ]
        said += [f"bound by {which}: {', '.join(names)}"] if names else []
    return f"{roof.name}, {'; '.join(said)}"


def _ridges(roofs: Sequence[Roofline]) -> str:
    return "; ".join(f"{r.name}: ridge point at {r.ridge_point:.3g} FLOP/byte" for r in roofs)


def _labels(
    roofs: Sequence[Roofline],
    points: Sequence[tuple[str, float, float]],
    across: live.Axis,
    up: live.Axis,
) -> list[live.Note]:
    """Return a note for each ceiling and each point, one only for points of the same name."""
    spots = [_spot(at, rate, across, up) for _, at, rate in points]
    taken = [Box(a - _DOT, a + _DOT, b - _DOT, b + _DOT) for a, b in spots]
    lines = [box for mark in _roof_marks(roofs, across) for box in _beads(mark, across, up)]
    wanted = [
        (ceiling.name, list(_along(roof.under(ceiling.name), ceiling.kind, across, up)))
        for roof in roofs
        for ceiling in roof.ceilings
    ]
    named = {name: spot for (name, _, _), spot in reversed([*zip(points, spots, strict=True)])}
    longest_first = sorted(named.items(), key=lambda item: -len(item[0]))
    wanted += [(name, list(_around(*spot))) for name, spot in longest_first]
    notes = []
    for name, places in wanted:
        clear = [(cost, p) for cost, p in places if _free(_box(name, *p), taken)]
        if not clear:
            raise ValueError(f"labels must find a free place each, got none for {name!r}")
        best = min(clear, key=lambda c: c[0] + _CROSSING * (not _free(_box(name, *c[1]), lines)))[1]
        taken.append(_box(name, *best))
        notes.append(_note(name, best, across, up))
    return notes


def _beads(mark: live.Mark, across: live.Axis, up: live.Axis) -> Iterator[Box]:
    """Yield small boxes along a line, for labels to keep off."""
    a, b = across.place(mark.x) * _WIDE, up.place(mark.y) * _HIGH
    for at in np.linspace(a[0], a[-1], 80):
        height = float(np.interp(at, a, b))
        yield Box(float(at) - 5, float(at) + 5, height - 3, height + 3)


def _spot(at: float, rate: float, across: live.Axis, up: live.Axis) -> tuple[float, float]:
    return float(across.place([at])[0]) * _WIDE, float(up.place([rate])[0]) * _HIGH


def _around(a: float, b: float) -> Iterator[tuple[float, Spot]]:
    """Yield places for a label near a point with the distance of each: below right first."""
    for ring in range(8):
        away = ring * _LINE
        below, above = b - _DOT - _LINE + 5 - away, b + _DOT + 7 + away
        yield away, (a + 14, below, "start")
        yield away, (a - 14, above, "end")
        yield away + 1, (a, below, "middle")
        yield away + 1, (a, above, "middle")
        yield away + 2, (a - 14, below, "end")
        yield away + 2, (a + 14, above, "start")


def _along(
    roof: Roofline, kind: str, across: live.Axis, up: live.Axis
) -> Iterator[tuple[float, Spot]]:
    """Yield places for a label along a ceiling, beside its flat part or its slope."""
    bend = float(np.clip(across.place([roof.ridge_point])[0], 0, 1))
    end = 0.98 if kind == "compute" else 0.02
    for row, lift in enumerate((10.0, -34.0, 10.0 + _LINE, -34.0 - _LINE)):
        for share in np.linspace(end, bend + 0.3 * (end - bend), 9):
            intensity = across.low * (across.high / across.low) ** float(share)
            a, b = _spot(intensity, float(roof.attainable(intensity)), across, up)
            if kind == "compute":
                yield 24.0 * row, (a, b + lift, "end")
            else:
                yield 24.0 * row, (a + 16, b - 18 + min(lift, 0), "start")


def _box(name: str, a: float, b: float, anchor: Anchor) -> Box:
    wide = _LETTER * len(name)
    left = {"start": a, "middle": a - wide / 2, "end": a - wide}[anchor]
    return Box(left, left + wide, b - 6, b + _LINE - 6)


def _free(box: Box, taken: Sequence[Box]) -> bool:
    inside = box.left >= 0 and box.right <= _WIDE and box.bottom >= 0 and box.top <= _HIGH
    return inside and not any(box.meets(other) for other in taken)


def _note(name: str, spot: Spot, across: live.Axis, up: live.Axis) -> live.Note:
    a, b, anchor = spot
    at = across.low * (across.high / across.low) ** (a / _WIDE)
    rate = up.low * (up.high / up.low) ** ((b - _LIFT) / _HIGH)
    return live.Note(name, float(at), float(rate), anchor)
