"""A cache line's journey between core, caches and memory, on a load or a store that misses."""

from __future__ import annotations

from dataclasses import dataclass

from perfmodel.live.drawing import Box, Cells, Fill, Line, Scene, Shape, Text
from perfmodel.roofline.cache import lru_traffic
from perfmodel.validation import whole

WORDS = 8
"""Words of 8 bytes per line of 64 bytes."""
_LEVELS = ("core", "L1", "L2", "memory")
_TOPS = (14, 80, 146, 226)
_WIDTHS = (90, 150, 210, 300)
_CENTRE = 150.0


@dataclass(frozen=True)
class _Step:
    """A step: an arrow between levels, the level that then holds the line, and the words."""

    start: int
    end: int
    bytes: int
    held: tuple[int, ...]
    changed: tuple[int, ...]
    says: str


_ASK = _Step(0, 3, 0, (3,), (), "The word is in neither cache, so the request goes to memory.")
_FILL = _Step(3, 1, 64, (1, 2, 3), (), "Memory sends the whole line, 64 bytes for a word of 8.")
_JOURNEYS = {
    "load": (
        _ASK,
        _FILL,
        _Step(1, 0, 8, (1, 2, 3), (), "The core gets its 8 bytes; seven neighbours wait in L1."),
        _Step(1, 0, 8, (1, 2, 3), (), "The next load finds its word in L1 and goes no further."),
        _Step(1, 1, 0, (3,), (), "Other lines replace it. Memory still has its content."),
    ),
    "store": (
        _ASK,
        _FILL,
        _Step(0, 1, 8, (1, 2, 3), (1,), "The store changes 8 bytes in L1, so the line is dirty."),
        _Step(1, 2, 64, (2, 3), (2,), "Other lines replace it in L1, and L1 writes it back to L2."),
        _Step(2, 3, 64, (3,), (3,), "L2 writes it back to memory. These are the second 64 bytes."),
    ),
}
STEPS = 5
"""Steps of each journey."""


def cache_line_journey(operation: str, step: int) -> Scene:
    """Draw one step of a line's way through two caches, write-allocate and write-back.

    Parameters
    ----------
    operation : str
        "load" or "store", of one word that no cache holds.
    step : int
        0 to 4.

    Examples
    --------
    >>> cache_line_journey("store", 4).values["bytes moved from and to memory"]
    128.0
    """
    if operation not in _JOURNEYS:
        raise ValueError(f"operation must be load or store, got {operation!r}")
    steps = _JOURNEYS[operation]
    place = min(whole("step", step), len(steps) - 1)
    now = steps[place]
    shapes = [shape for level in range(4) for shape in _level(level, now)]
    moved = sum(s.bytes for s in steps[: place + 1] if 3 in (s.start, s.end))
    shapes += _arrow(now)
    whole_way = 64 * lru_traffic([("line", operation == "store")], 1).words
    says = f"{now.says} Memory has moved {moved} of {whole_way} bytes."
    return Scene(292, shapes, says, {"bytes moved from and to memory": float(moved)})


def _level(level: int, now: _Step) -> list[Shape]:
    width, top, held = _WIDTHS[level], _TOPS[level], level in now.held
    left = _CENTRE - width / 2
    shapes: list[Shape] = [Box(left, top, width, 44 if level < 3 else 56, "", 0, "none")]
    shapes.append(Text(_LEVELS[level], left + 8, top + 13, anchor="start", bold=True))
    if level == 0:
        return shapes
    dirty = level in now.changed
    clean: tuple[int, Fill] = (1, "light")
    filled = {(0, i): clean for i in range(WORDS)} if held else {}
    if dirty:
        filled[0, 2] = (2, "solid")
    shapes.append(Cells(_CENTRE - 4 * 13, top + 25, 1, WORDS, 13, filled))
    if dirty and level < 3:
        shapes.append(Text("dirty", left + width - 8, top + 13, anchor="end", colour=2))
    return shapes


def _arrow(now: _Step) -> list[Shape]:
    if now.start == now.end:
        return []
    down = now.end > now.start
    x = 318.0
    first = _TOPS[now.start] + 22
    last = _TOPS[now.end] + 22
    ways = [_CENTRE + _WIDTHS[now.start] / 2, _CENTRE + _WIDTHS[now.end] / 2]
    points = [(ways[0], first), (x, first), (x, last), (ways[1], last)]
    label = f"{now.bytes} B" if now.bytes else "miss"
    way = Line(points, 2 if down else 1, "thick" if now.bytes else "dashed", head=True)
    return [way, Text(label, x + 5, (first + last) / 2, anchor="start", bold=True)]
