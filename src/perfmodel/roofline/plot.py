"""Draw rooflines as a `live.Plot` whose kernels and ceilings are all named, without overlaps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from perfmodel import live
from perfmodel.roofline.labels import HIGH, WIDE, LabelPosition, Line, place_labels
from perfmodel.roofline.model import Kernel, Roofline, bound_by
from perfmodel.validation import Floats

_LIFT = 10.0
"""How far above its point the drawing puts a note's base line."""
_COLOURS = (1, 2, 5, 6, 3, 4)
"""Of roofs and ceilings in turn; kernels have the last two, so that six lines can share them."""


@dataclass(frozen=True)
class MeasuredKernel:
    """A kernel's measured rate in FLOP/s, drawn next to the roofline's bound."""

    kernel: Kernel
    rate: float


def roofline_plot(
    roofs: Sequence[Roofline],
    kernels: Sequence[Kernel] = (),
    measured: Sequence[MeasuredKernel] = (),
    *,
    x: tuple[float, float] | None = None,
    y: tuple[float, float] | None = None,
) -> live.Plot:
    """Return one or more roofs, their ceilings and the kernels as one plot, each with its name.

    `kernels` are drawn as points on the first roof, `measured` ones at their rates. `x` and `y`
    are the limits of intensity (FLOP/byte) and rate (FLOP/s), for figures whose axes must stay.
    The plot says what bounds each kernel; its values are the ridge points and the attainable
    rates. A label that finds no free place is refused.

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
    spots = [(name, _spot(at, rate, across, up)) for name, at, rate in points]
    notes, leaders = [], []
    for label in place_labels(list(_lines(roofs, across, up)), spots):
        at = _data((label.at[0], label.at[1] - _LIFT), across, up)
        notes.append(live.Note(label.name, *at, label.anchor, label.colour))
        leaders += [_data(end, across, up) for end in label.leader or ()]
    marks.append(_pairs(leaders))
    return live.Plot(across, up, marks, f"{says}.", values, notes)


def _axes(
    roofs: Sequence[Roofline],
    kernels: Sequence[Kernel],
    measured: Sequence[MeasuredKernel],
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
    """Yield each roof and its ceilings, these only where they are below the roof."""
    place = len(roofs)
    for i, roof in enumerate(roofs):
        bend = _within(roof.ridge_point, across)
        yield _line(roof.name, roof, [across.low, bend, across.high], "line", i)
        for ceiling in roof.ceilings:
            held = roof.under(ceiling.name)
            bend = _within(held.ridge_point, across)
            ends = [bend, across.high] if ceiling.kind == "compute" else [across.low, bend]
            yield _line(ceiling.name, held, ends, "dashed", place)
            place += 1


def _within(intensity: float, across: live.Axis) -> float:
    return float(np.clip(intensity, across.low, across.high))


def _line(
    name: str, roof: Roofline, at: list[float], style: live.plot.Style, place: int
) -> live.Mark:
    return live.Mark(name, at, roof.attainable(at), style, _COLOURS[place % len(_COLOURS)])


def _dots(name: str, points: Sequence[tuple[str, float, float]], colour: int) -> live.Mark:
    return live.Mark(name, [p[1] for p in points], [p[2] for p in points], "points", colour)


def _pairs(ends: Sequence[LabelPosition]) -> live.Mark:
    """Return a thin line from each first to each second point."""
    at = np.full((len(ends) // 2, 3, 2), np.nan)
    at[:, :2] = np.reshape(ends, (-1, 2, 2))
    return live.Mark("", at[..., 0].ravel(), at[..., 1].ravel(), "thin")


def _bounds(roof: Roofline, kernels: Sequence[Kernel]) -> str:
    bounds = []
    for which in ("memory", "compute"):
        names = [
            k.name for k in kernels if bound_by(k.intensity, roof.peak, roof.bandwidth) == which
        ]
        bounds += [f"bound by {which}: {', '.join(names)}"] if names else []
    return f"{roof.name}, {'; '.join(bounds)}"


def _ridges(roofs: Sequence[Roofline]) -> str:
    return "; ".join(f"{r.name}: ridge point at {r.ridge_point:.3g} FLOP/byte" for r in roofs)


def _lines(roofs: Sequence[Roofline], across: live.Axis, up: live.Axis) -> Iterator[Line]:
    marks = _roof_marks(roofs, across)
    for roof in roofs:
        yield Line(_corners(next(marks), across, up))
        for ceiling in roof.ceilings:
            mark, held = next(marks), roof.under(ceiling.name)
            along = list(_along(held, ceiling.kind, across, up))
            slanted = ceiling.kind == "memory"
            yield Line(_corners(mark, across, up), mark.name, along, slanted, mark.colour)


def _corners(mark: live.Mark, across: live.Axis, up: live.Axis) -> Floats:
    return np.column_stack([across.place(mark.x) * WIDE, up.place(mark.y) * HIGH])


def _spot(at: float, rate: float, across: live.Axis, up: live.Axis) -> LabelPosition:
    return float(across.place([at])[0]) * WIDE, float(up.place([rate])[0]) * HIGH


def _along(roof: Roofline, kind: str, across: live.Axis, up: live.Axis) -> Iterator[LabelPosition]:
    """Yield places on a ceiling's flat part or its slope, from the end towards the bend."""
    bend = float(np.clip(across.place([roof.ridge_point])[0], 0, 1))
    end = 0.98 if kind == "compute" else 0.02
    for share in np.linspace(end, bend + 0.1 * (end - bend), 25):
        intensity = across.low * (across.high / across.low) ** float(share)
        yield _spot(intensity, float(roof.attainable(intensity)), across, up)


def _data(place: LabelPosition, across: live.Axis, up: live.Axis) -> tuple[float, float]:
    """Return the intensity and rate at a place on the drawing."""
    at = across.low * (across.high / across.low) ** (place[0] / WIDE)
    return float(at), float(up.low * (up.high / up.low) ** (place[1] / HIGH))
