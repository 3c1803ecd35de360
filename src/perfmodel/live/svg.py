"""Draw a `Plot` as SVG text that follows the page's colours and can be changed in place.

Every mark is one path, so a state of a live figure is just a list of path texts. Lengths are whole
numbers in a drawing area of 880 x 590 units: half a pixel at full width.
"""

from __future__ import annotations

from html import escape

import numpy as np

from perfmodel.live.looks import DASHED, DASHES, FILLINGS, MARKERS, STROKE
from perfmodel.live.plot import Axis, Mark, Plot

WIDTH, HEIGHT = 880, 590
LEFT, RIGHT, TOP, BOTTOM = 128, 28, 60, 92
_SPILL = 10
"""How far a mark may stick out of the frame, so that a dot on the edge is whole."""
_SWATCHES = dict.fromkeys(("points", "bars"), "34 0 28 20")
"""What a legend shows of a mark, where that is not the length of a line."""
_INNER_W, _INNER_H = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM


def draw(plot: Plot, alt: str) -> str:
    """Return the whole picture as an `<svg>` element with `alt` as its text alternative."""
    parts = [
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" width="640" role="img" aria-label="{escape(alt)}"'
        ' font-size="26" fill="currentColor">',
        _grid(plot),
        f'<svg x="{LEFT - _SPILL}" y="{TOP - _SPILL}" width="{_INNER_W + 2 * _SPILL}"'
        f' height="{_INNER_H + 2 * _SPILL}" viewBox="{LEFT - _SPILL} {TOP - _SPILL}'
        f' {_INNER_W + 2 * _SPILL} {_INNER_H + 2 * _SPILL}">',
    ]
    looks = map(_look, plot.marks, plot.colours(), plot.ranks())
    parts += [f'<path {look} d="{d}"/>' for look, d in zip(looks, paths(plot), strict=True)]
    for note, (x, y, text, anchor) in zip(plot.notes, notes(plot), strict=True):
        kind = f"live-note live-c{note.colour}" if note.colour else "live-note"
        parts.append(f'<text class="{kind}" x="{x}" y="{y}" text-anchor="{anchor}">')
        parts.append(f"{escape(text)}</text>")
    parts.append("</svg></svg>")
    return "".join(parts)


def paths(plot: Plot) -> list[str]:
    """Return the path text of every mark of `plot`, in order."""
    return [_path(plot, *both) for both in zip(plot.marks, plot.ranks(), strict=True)]


def notes(plot: Plot) -> list[tuple[int, int, str, str]]:
    """Return (x, y, text, anchor) of every note of `plot`, in drawing units."""
    return [
        (round(_across(plot.x, [n.x])[0]), round(_down(plot.y, [n.y])[0]) - 10, n.text, n.anchor)
        for n in plot.notes
    ]


def legend(plot: Plot) -> str:
    """Return the legend as an HTML list: a swatch and the name of each mark."""
    items = [
        f'<li><svg viewBox="{_SWATCHES.get(m.style, "0 0 96 20")}" height="13" aria-hidden="true">'
        f'<path {_look(m, c, rank)} d="{_swatch(m, rank)}"/></svg>{escape(m.name)}</li>'
        for m, c, rank in zip(plot.marks, plot.colours(), plot.ranks(), strict=True)
        if m.name
    ]
    return f'<ul class="live-legend">{"".join(items)}</ul>'


def _look(mark: Mark, colour: int, rank: int) -> str:
    """Return the attributes of a mark's path; readable, too, where there is no style sheet."""
    look = f'class="live-{mark.style} live-c{colour}" stroke="currentColor"'
    if mark.style in ("points", "bars", "band"):
        filling = {"points": 1, "band": 0.25}.get(mark.style, FILLINGS[rank % len(FILLINGS)])
        return f'{look} fill-opacity="{filling}"'
    lengths = {"line": DASHES, "dashed": DASHED}.get(mark.style, ((),))
    dashes = " ".join(map(str, lengths[rank % len(lengths)]))
    width = f'fill="none" stroke-width="{1 if mark.style == "thin" else STROKE}"'
    return f"{look} {width}" + f' stroke-dasharray="{dashes}"' * bool(dashes)


def _swatch(mark: Mark, rank: int) -> str:
    if mark.style == "points":
        return MARKERS[rank % len(MARKERS)].at(48, 10)
    return {"bars": "M38 18V2h20V18z", "band": "M2 16V4H94V16z"}.get(mark.style, "M2 10H94")


def _across(axis: Axis, values: object) -> np.ndarray:
    return np.asarray(LEFT + _INNER_W * axis.place(np.asarray(values, float)))


def _down(axis: Axis, values: object) -> np.ndarray:
    share = np.nan_to_num(axis.place(np.asarray(values, float)), nan=np.nan, posinf=2, neginf=-1)
    return np.asarray(TOP + _INNER_H * (1 - np.clip(share, -1, 2)))


def _path(plot: Plot, mark: Mark, rank: int) -> str:
    x, y = _across(plot.x, mark.x), _down(plot.y, mark.y)
    seen = np.isfinite(x) & np.isfinite(y)
    if mark.style == "points":
        shape = MARKERS[rank % len(MARKERS)]
        dots = [shape.at(a, b) for a, b in zip(x[seen], y[seen], strict=True)]
        return "".join(dots) + _whiskers(plot, mark, x)
    if mark.style == "bars":
        width, shift = _bar_place(plot, mark, x)
        return _bars(x[seen] + shift, y[seen], width) + _whiskers(plot, mark, x + shift)
    if mark.style == "band":
        far = _down(plot.y, mark.y2)
        return _polyline(np.r_[x, x[::-1]], np.r_[y, far[::-1]]) + "z"
    runs = np.split(np.arange(x.size), np.flatnonzero(~seen))
    return "".join(_polyline(x[run[seen[run]]], y[run[seen[run]]]) for run in runs)


def _polyline(x: np.ndarray, y: np.ndarray) -> str:
    if x.size == 0:
        return ""
    keep = _bends(x, y)
    x, y = np.rint(x[keep]).astype(int), np.rint(y[keep]).astype(int)
    steps = "".join(f"l{dx} {dy}" for dx, dy in zip(np.diff(x), np.diff(y), strict=True))
    return f"M{x[0]} {y[0]}{steps}".replace(" -", "-")


def _bends(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the points where the drawn line bends by more than a third of a unit."""
    keep = [0]
    for i in range(1, x.size - 1):
        a, between = keep[-1], slice(keep[-1] + 1, i + 1)
        dx, dy = x[i + 1] - x[a], y[i + 1] - y[a]
        away = np.abs(dx * (y[between] - y[a]) - dy * (x[between] - x[a]))
        if (away > 0.35 * np.hypot(dx, dy)).any():
            keep.append(i)
    return np.array([*keep, x.size - 1] if x.size > 1 else keep)


def _bar_place(plot: Plot, mark: Mark, x: np.ndarray) -> tuple[int, float]:
    """Return a bar's width and the shift of its centre, bars of one place standing side by side."""
    bars = [other for other in plot.marks if other.style == "bars"]
    gap = float(np.diff(np.sort(x)).min()) if x.size > 1 else _INNER_W / 2
    width = int(0.72 * gap / len(bars))
    place = next(i for i, other in enumerate(bars) if other is mark)
    return width, (place - (len(bars) - 1) / 2) * width


def _bars(centre: np.ndarray, top: np.ndarray, width: int) -> str:
    base = TOP + _INNER_H
    ends = zip(centre - width / 2, top, strict=True)
    return "".join(f"M{a:.0f} {base}V{b:.0f}h{width}V{base}z" for a, b in ends)


def _whiskers(plot: Plot, mark: Mark, x: np.ndarray) -> str:
    if mark.y2 is None:
        return ""
    low, high = (_down(plot.y, row) for row in np.asarray(mark.y2, float))
    ends = zip(x, low, high, strict=True)
    return "".join(f"M{a:.0f} {b:.0f}V{c:.0f}" for a, b, c in ends if np.isfinite([a, b, c]).all())


def _grid(plot: Plot) -> str:
    base, right = TOP + _INNER_H, LEFT + _INNER_W
    lines, texts = [], []
    for value, text in plot.x.ticks():
        x = round(_across(plot.x, [value])[0])
        lines.append(f"M{x} {TOP}V{base}")
        texts.append(f'<text x="{x}" y="{base + 32}" text-anchor="middle">{escape(text)}</text>')
    for value, text in plot.y.ticks():
        y = round(_down(plot.y, [value])[0])
        lines.append(f"M{LEFT} {y}H{right}")
        texts.append(f'<text x="{LEFT - 10}" y="{y + 8}" text-anchor="end">{escape(text)}</text>')
    return (
        f'<g aria-hidden="true"><g fill="none" stroke="currentColor" stroke-opacity="0.3">'
        f'<path class="live-grid" d="{"".join(lines)}"/>'
        f'<path class="live-frame" d="M{LEFT} {TOP}V{base}H{right}"/></g>{"".join(texts)}'
        f'<text x="{LEFT + _INNER_W // 2}" y="{HEIGHT - 14}" text-anchor="middle">'
        f"{escape(plot.x.title)}</text>"
        f'<text x="0" y="24">{escape(plot.y.title)}</text></g>'
    )
