"""Sequential code that rotates over the big cores, as bars of time, one row a big core."""

from __future__ import annotations

from perfmodel.live.drawing import Box, Fill, Scale, Scene, Shape, Text
from perfmodel.live.drawing.chart import legend
from perfmodel.scaling import HeterogeneousChip, phase_durations
from perfmodel.validation import whole

BUDGET, SIZE, MOST = 16, 4, 3
"""Area of the chip and of a big core (BCE), and the big cores that fit."""
UNITS = 6
"""Units of work drawn, one after the other."""
_END = 2.4
_TOP, _ROW = 30.0, 30.0


def core_rotation(big_cores: int, parallel_fraction: float) -> Scene:
    """Draw six units of work: sequential code on one big core at a time, the rest on small cores.

    The 1 to 3 big cores have 4 BCE each on a chip of 16; a fraction f of the work divides over the
    small cores.

    >>> core_rotation(2, 0.5).values["a big core is on (%)"]
    40.0
    """
    count = whole("big_cores", big_cores, 1)
    chip = HeterogeneousChip(BUDGET, SIZE, count)
    serial, parallel = (float(part) for part in phase_durations(parallel_fraction, chip))
    small = int(chip.small_cores)
    time = Scale(0, _END, 84, 348)
    shapes = [_name(f"big {i + 1}", i) for i in range(count)]
    shapes.append(_name(f"{small} small", MOST))
    for unit in range(UNITS):
        start = unit * (serial + parallel)
        shapes.append(_bar(time, unit % count, start, serial, 2))
        shapes.append(_bar(time, MOST, start + serial, parallel, 1))
    shapes += time.below(_TOP + (MOST + 1) * _ROW, "time (1 = a unit of work on one small core)")
    shapes += legend(84, 14, [("sequential", 2, "solid")])
    shapes += legend(200, 14, [("parallel", 1, "light")])
    share = 100 * serial / (serial + parallel) / count
    speedup = 1 / (serial + parallel)
    says = (
        f"{count} big core{'s' * (count > 1)}: each is on for {share:.0f} % of the time; six "
        f"units of work take {UNITS / speedup:.2f}, a speedup of {speedup:.2f}."
    )
    return Scene(190, shapes, says, {"a big core is on (%)": share, "speedup": speedup})


def _name(words: str, row: int) -> Shape:
    return Text(words, 78, _TOP + row * _ROW + 11, anchor="end")


def _bar(time: Scale, row: int, start: float, length: float, colour: int) -> Shape:
    fill: Fill = "solid" if colour == 2 else "light"
    return Box(time(start), _TOP + row * _ROW, time.length(length), 22, "", colour, fill)
