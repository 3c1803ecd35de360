"""Two multipliers that share the outputs of a small layer, and the switches that find the sums."""

from __future__ import annotations

from perfmodel.labs.prediction.wa_hls4ml.synthesis import entrances
from perfmodel.live.drawing import Area, Box, Cells, Line, Scene, Shape, Text
from perfmodel.live.drawing.shapes import Fill
from perfmodel.validation import whole

INPUTS, OUTPUTS, REUSE = 4, 6, 12
_SERVED = REUSE // INPUTS
_SIZE = 24.0
_INPUTS_TOP, _SUMS_TOP, _SUMS_LEFT = 78.0, 54.0, 300.0
_MIDDLES = (84.0, 168.0)


def output_switches(cycle: int) -> Scene:
    """Draw one cycle, 1 to 12, of a layer of 4 inputs and 6 outputs with reuse factor 12.

    >>> output_switches(5).values
    {'input': 1, 'output of multiplier 1': 2, 'output of multiplier 2': 5}
    """
    step = whole("cycle", cycle, 1) - 1
    if step >= REUSE:
        raise ValueError(f"cycle must be 1 to {REUSE}, got {cycle!r}")
    taken, turn = step % INPUTS, step // INPUTS
    shapes: list[Shape] = [
        Text("inputs", 34, 22),
        Text("multipliers", 118, 22),
        Text("switches", 218, 22),
        Text("sums", 322, 22),
    ]
    shapes.append(Cells(22, _INPUTS_TOP, INPUTS, 1, _SIZE, {(taken, 0): (1, "solid")}))
    due = [k * _SERVED + turn for k in range(len(_MIDDLES))]
    filled: dict[tuple[int, int], tuple[int, Fill]] = {(output, 0): (2, "solid") for output in due}
    shapes.append(Cells(_SUMS_LEFT, _SUMS_TOP, OUTPUTS, 1, _SIZE, filled))
    shapes += [
        Text(str(i + 1), _SUMS_LEFT + _SIZE + 12, _SUMS_TOP + (i + 0.5) * _SIZE)
        for i in range(OUTPUTS)
    ]
    for middle, output in zip(_MIDDLES, due, strict=True):
        shapes += _multiplier(middle, taken, output)
    says = (
        f"Cycle {cycle}: both multipliers take input {taken + 1}; they add to the sums of outputs "
        f"{due[0] + 1} and {due[1] + 1}. Each switch has {OUTPUTS} entrances, which cost like "
        f"{entrances(OUTPUTS):.0f}."
    )
    values = {
        "input": taken + 1,
        "output of multiplier 1": due[0] + 1,
        "output of multiplier 2": due[1] + 1,
    }
    return Scene(224, shapes, says, values)


def _multiplier(middle: float, taken: int, output: int) -> list[Shape]:
    """Return a multiplier, its switch, and a wire from the switch to each sum."""
    shapes: list[Shape] = []
    for i in range(OUTPUTS):
        ends = [
            (236.0, middle + 10 * (i - (OUTPUTS - 1) / 2)),
            (_SUMS_LEFT, _SUMS_TOP + (i + 0.5) * _SIZE),
        ]
        shapes.append(Line(ends, 2, "thick") if i == output else Line(ends, 0, "dashed"))
    fed = _INPUTS_TOP + (taken + 0.5) * _SIZE
    return [
        *shapes,
        Line([(22 + _SIZE, fed), (92, middle)], 1, head=True),
        Box(94, middle - 17, 48, 34, "×", 1),
        Line([(142, middle), (198, middle)], 1, head=True),
        Area([(200, middle - 12), (236, middle - 32), (236, middle + 32), (200, middle + 12)], 2),
    ]
