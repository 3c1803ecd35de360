"""Straight-line programs on square tensors, as a compiler writes them, and what can be counted.

The programs are made up: nobody's compiler wrote them. Each value is defined once; the first two
are inputs.

The lives of a program's values over its instructions, and how many meet at each.

>>> by_hand = parse(EXAMPLE)
>>> live_tensors(by_hand).tolist(), register_pressure(by_hand), flops(by_hand)
([3, 4, 4, 4, 3], 4, 540672)
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from perfmodel.live.drawing import Box, Scene, Shape, Text
from perfmodel.validation import whole

BINARY, UNARY = ("add", "mul", "matmul"), ("relu", "transpose", "reduce")
OPS = BINARY + UNARY
INPUTS = 2

EXAMPLE = """%2 = xpu.add %0, %1 : tensor<64x64xf32>
%3 = xpu.mul %2, %0 : tensor<64x64xf32>
%4 = xpu.relu %1 : tensor<64x64xf32>
%5 = xpu.add %3, %4 : tensor<64x64xf32>
%6 = xpu.matmul %5, %2 : tensor<64x64xf32>"""
"""A program short enough to be worked by hand."""


@dataclass(frozen=True)
class Program:
    """Instructions in order; instruction i defines value i + 2."""

    side: int
    """Rows, and columns, of every tensor."""
    ops: tuple[str, ...]
    operands: tuple[tuple[int, ...], ...]

    def __post_init__(self) -> None:
        whole("side", self.side, 1)
        if not self.ops or len(self.ops) != len(self.operands):
            raise ValueError(
                f"ops must be 1 or more, with operands for each, "
                f"got {len(self.ops)} and {len(self.operands)}"
            )
        for i, (op, used) in enumerate(zip(self.ops, self.operands, strict=True)):
            if op not in OPS:
                raise ValueError(f"ops must be of {', '.join(OPS)}, got {op!r}")
            if len(used) != 1 + (op in BINARY) or not all(0 <= v < i + INPUTS for v in used):
                raise ValueError(f"operands of {op} number {i} must be defined before, got {used}")

    def text(self) -> str:
        """Return the program as a compiler would print it, a line an instruction."""
        return "\n".join(
            f"%{i + INPUTS} = xpu.{op} {', '.join(f'%{v}' for v in used)} "
            f": tensor<{self.side}x{self.side}xf32>"
            for i, (op, used) in enumerate(zip(self.ops, self.operands, strict=True))
        )


def parse(text: str) -> Program:
    """Return the program of a text in the form that `Program.text` writes."""
    form = re.compile(r"%(\d+) = xpu\.(\w+) (%\d+(?:, %\d+)?) : tensor<(\d+)x\4xf32>")
    matches = [form.fullmatch(line) for line in text.splitlines()]
    for i, match in enumerate(matches):
        if match is None or int(match[1]) != i + INPUTS:
            raise ValueError(f"text must define %{i + INPUTS} in line {i}, got {text[:80]!r}")
    lines = [match for match in matches if match]
    sides = {int(match[4]) for match in lines}
    if len(sides) != 1:
        raise ValueError(f"text must have tensors of one size, got sides {sorted(sides)}")
    operands = tuple(tuple(int(v[1:]) for v in match[3].split(", ")) for match in lines)
    return Program(sides.pop(), tuple(match[2] for match in lines), operands)


def live_tensors(program: Program) -> NDArray[np.int64]:
    """Return how many tensors are live at each instruction, its operands and result among them.

    A value lives from its definition (an input from the start) to its last use; a result that
    nobody uses lives at its own instruction, an input that nobody uses not at all. One pass finds
    all.
    """
    n = len(program.ops)
    born = np.maximum(np.arange(n + INPUTS) - INPUTS, 0)
    last = np.where(np.arange(n + INPUTS) < INPUTS, -1, born)
    for i, used in enumerate(program.operands):
        last[list(used)] = i
    changes = np.zeros(n + 1, dtype=np.int64)
    np.add.at(changes, born, 1)
    np.add.at(changes, last + 1, -1)
    return changes.cumsum()[:n]


def register_pressure(program: Program, scratch: Mapping[str, int] | None = None) -> int:
    """Return the most tensors that are live at once.

    `scratch` are the tensors that an operation needs besides its operands and result, by name: what
    a backend may do without telling.
    """
    extra = [(scratch or {}).get(op, 0) for op in program.ops]
    return int((live_tensors(program) + extra).max())


def flops(program: Program) -> int:
    """Return the operations: 2 d^3 for a product of matrices, none to transpose, else d^2."""
    d = program.side
    price = {"matmul": 2 * d**3, "transpose": 0}
    return sum(price.get(op, d**2) for op in program.ops)


def generate(count: int, seed: int = 0) -> list[Program]:
    """Make up programs of 6 to 39 instructions on tensors of 16 to 256 a side.

    Operations are drawn evenly; the first operand from the last 1, 4 or 12 values (drawn again for
    each instruction, and what makes values live long or short), the second from all.
    """
    rng = np.random.default_rng(seed)
    programs = []
    for _ in range(whole("count", count, 1)):
        n, side = int(rng.integers(6, 40)), 2 ** int(rng.integers(4, 9))
        defined = np.arange(n) + INPUTS
        ops = rng.choice(OPS, n)
        near = defined - 1 - rng.integers(np.minimum(rng.choice([1, 4, 12], n), defined))
        pairs = np.column_stack([near, rng.integers(defined)]).tolist()
        used = [tuple(pair[: 1 + (op in BINARY)]) for op, pair in zip(ops, pairs, strict=True)]
        programs.append(Program(side, tuple(map(str, ops)), tuple(used)))
    return programs


def rescheduled(program: Program, seed: int) -> Program:
    """Return the same graph in another order: each time an instruction that is ready, at random."""
    rng = np.random.default_rng(seed)
    position = {v: v for v in range(INPUTS)}
    waiting = list(range(len(program.ops)))
    order: list[int] = []
    while waiting:
        ready = [i for i in waiting if all(v in position for v in program.operands[i])]
        chosen = ready[int(rng.integers(len(ready)))]
        waiting.remove(chosen)
        position[chosen + INPUTS] = len(order) + INPUTS
        order.append(chosen)
    operands = tuple(tuple(position[v] for v in program.operands[i]) for i in order)
    return Program(program.side, tuple(program.ops[i] for i in order), operands)


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
    whole("step", step, 1, count)
    meet = [int(number) for number in live_tensors(program)]
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
    here, peak = meet[step - 1], max(meet[:step])
    says = f"At instruction {step}, {here} values are live (solid); the most so far are {peak}."
    return Scene(bottom + 18, shapes, says, {"live here": here, "most so far": peak})


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
