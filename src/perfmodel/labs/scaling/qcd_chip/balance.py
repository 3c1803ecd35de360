"""Drawings of the chip: a block of the lattice with its halo, and units that wait for links."""

from __future__ import annotations

from perfmodel.labs.scaling.qcd_chip.chip_area import Technology, performance
from perfmodel.live.drawing import Box, Cells, Fill, Line, Scale, Scene, Shape, Text
from perfmodel.live.drawing.chart import legend
from perfmodel.scaling.stencil import WILSON
from perfmodel.validation import whole, within

EXTENT = 12
"""Sites on a side of the lattice whose tile is drawn."""
_LOOKS: dict[str, tuple[int, Fill]] = {"units": (2, "solid"), "links": (3, "hatch")}


def tile_halo(side: int, dimension: int = 4) -> Scene:
    """Draw a cut through a tile and the sites around it that it fetches.

    Its side has 1 to 10 sites; two of the dimensions are drawn.

    >>> tile_halo(3).values["words fetched"]
    216.0
    """
    length, dims = whole("side", side, 1), whole("dimension", dimension, 1)
    first = (EXTENT - length) // 2
    inside = range(first, first + length)
    filled: dict[tuple[int, int], tuple[int, Fill]] = {}
    for i in inside:
        filled |= {(i, j): (1, "light") for j in inside}
        for end in (first - 1, first + length):
            filled |= {(i, end): (2, "hatch"), (end, i): (2, "hatch")}
    sites, words = length**dims, 2 * dims * length ** (dims - 1)
    shapes: list[Shape] = [Cells(16, 20, EXTENT, EXTENT, 16, filled)]
    shapes += legend(224, 40, [("its own sites", 1, "light"), ("fetched", 2, "hatch")])
    for y, words_here in ((104, f"{sites:,} sites"), (126, f"{words:,} words")):
        shapes.append(Text(words_here, 224, y, anchor="start"))
    shapes.append(Text(f"{words / sites:.3g} words a site", 224, 148, anchor="start", bold=True))
    says = (
        f"A tile of side {length} in {dims} dimensions fetches {words:,} words for {sites:,} "
        f"sites, {words / sites:.3g} a site."
    )
    values = {"sites": float(sites), "words fetched": float(words), "words a site": words / sites}
    return Scene(232, shapes, says, values)


def chip_balance(memory_share: float, bandwidth: float) -> Scene:
    """Draw a chip's area, and the cycles that its links and its units take for a site.

    The fraction of memory is 0.3 to 0.95 of the area, the bandwidth of the links in words/cycle.

    >>> round(chip_balance(0.5, 1).values["flop/cycle"], 1)
    98.2
    """
    share = float(within("memory_share", memory_share, 0, 1))
    chip = Technology(bandwidth=bandwidth)
    units = (1 - share) * chip.area / chip.area_per_flop
    side = float(WILSON.side(share * chip.area))
    cycles = {
        "links": WILSON.flops_per_site / (WILSON.intensity * bandwidth * side),
        "units": WILSON.flops_per_site / units,
    }
    rate = float(performance(share, chip))
    slow = max(cycles, key=lambda part: cycles[part])
    other = "units" if slow == "links" else "links"
    says = (
        f"The {other} wait, because the links take {cycles['links']:.1f} cycles a site and the "
        f"units {cycles['units']:.1f}. The chip does {rate:.0f} flop/cycle."
    )
    shapes = [*_area(share), *_times(cycles)]
    values = {f"cycles of the {part}": time for part, time in cycles.items()}
    return Scene(330, shapes, says, values | {"flop/cycle": rate})


def _area(share: float) -> list[Shape]:
    """Return the chip, split by its shares, and its links."""
    top, size = 28.0, 160.0
    shapes: list[Shape] = [
        Text("one chip", 16, 14, anchor="start", bold=True),
        Box(16, top, size, size * share, "", 1, "light"),
        Box(16, top + size * share, size, size * (1 - share), "", 2, "solid"),
        Line([(180, 130), (236, 130)], head=True),
        Line([(236, 146), (180, 146)], head=True),
        Text("8 neighbours", 242, 138, anchor="start"),
    ]
    return [*shapes, *legend(196, 46, [("memory", 1, "light"), ("units", 2, "solid")])]


def _times(cycles: dict[str, float]) -> list[Shape]:
    """Return a bar of time for the links and one for the units; the shorter one waits."""
    time = Scale(0, 28, 62, 348)
    longest = max(cycles.values())
    shapes: list[Shape] = []
    for row, (name, length) in enumerate(cycles.items()):
        y = 208.0 + 34 * row
        shapes.append(Text(name, 56, y + 12, anchor="end"))
        colour, fill = _LOOKS[name]
        shapes.append(time.bar(0, y, length, 24, "", colour, fill))
        if length < longest:
            rest = time.length(longest - length)
            shapes.append(Box(time(length), y, rest, 24, "", 0, "light", dashed=True))
    return [*shapes, *time.below(280, "cycles a site (dashed: waiting)")]
