"""The lives of a program's values over its instructions, and how many meet at each."""

from __future__ import annotations

from perfmodel.labs.prediction.mlir_cost.program import INPUTS, Program, live
from perfmodel.live.drawing import Box, Scene, Shape, Text
from perfmodel.validation import whole

_LEFT, _WIDE, _TOP, _ROW = 48.0, 60.0, 64.0, 24.0


def lifetimes(program: Program, step: int) -> Scene:
    """Draw each value of up to 5 instructions from definition to last use, as far as `step`.

    >>> from perfmodel.labs.prediction.mlir_cost.program import EXAMPLE, parse
    >>> lifetimes(parse(EXAMPLE), 1).values
    {'live here': 3, 'most so far': 3}
    """
    count = len(program.ops)
    if count > 5:
        raise ValueError(f"program must have 5 instructions at most, got {count}")
    if whole("step", step, 1) > count:
        raise ValueError(f"step must be 1 to {count}, got {step!r}")
    meet = [int(number) for number in live(program)]
    shapes: list[Shape] = [Text("instr.", 40, 14, "end")]
    for i, op in enumerate(program.ops):
        middle = _LEFT + (i + 0.5) * _WIDE
        shapes.append(Text(str(i + 1), middle, 14, bold=i + 1 == step))
        shapes.append(Text(op, middle, 38, bold=i + 1 == step))
    for value in range(INPUTS + count):
        shapes += _life(program, value, step - 1)
    bottom = _TOP + (INPUTS + count) * _ROW + 14
    shapes.append(Text("live", 40, bottom, "end"))
    shapes += [
        Text(str(meet[i]) if i < step else "?", _LEFT + (i + 0.5) * _WIDE, bottom, bold=i < step)
        for i in range(count)
    ]
    here, most = meet[step - 1], max(meet[:step])
    says = f"At instruction {step}, {here} values are live (solid); the most so far are {most}."
    return Scene(bottom + 18, shapes, says, {"live here": here, "most so far": most})


def _life(program: Program, value: int, now: int) -> list[Shape]:
    """Return a value's name and a box for each instruction of its life, solid where we are."""
    y = _TOP + value * _ROW
    uses = [i for i, used in enumerate(program.operands) if value in used]
    name: list[Shape] = [Text(f"%{value}", 40, y, "end")]
    if value < INPUTS and not uses:
        return name
    born = max(value - INPUTS, 0)
    colour = 1 if value < INPUTS else 2
    return name + [
        Box(_LEFT + i * _WIDE, y - 8, _WIDE, 16, "", colour, "solid" if i == now else "light")
        for i in range(born, max([*uses, born]) + 1)
    ]
