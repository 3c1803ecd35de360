"""Reading operands: two register banks with one port each, and a cache that the compiler steers.

Even registers are in one bank and odd registers in the other. A bank delivers one operand a cycle.
If an instruction's reuse bit is set, a small cache keeps the last value for each bank and operand
position.

Huerta et al. measured these rules on NVIDIA GPUs (MICRO 2025).

>>> [read.bubbles for read in read_operands([fma(1, 3, 5), fma(1, 2, 4), fma(1, 2, 3)])]
[2, 1, 1]
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from perfmodel.validation import whole

BANKS = 2
PLACES = 3
"""Operands that an instruction can have."""


class Operand(NamedTuple):
    """A register that is read, and whether its value is kept."""

    register: int
    reuse: bool = False


class Read(NamedTuple):
    """What reading an instruction's operands took."""

    hits: int
    """Operands that the cache held."""
    bubbles: int
    """Cycles lost beyond the first."""


def fma(*registers: int, reuse: Iterable[int] = ()) -> tuple[Operand, ...]:
    """Return the operands of an instruction, with the reuse bit set at the places `reuse`.

    >>> fma(2, 4, reuse=[0])
    (Operand(register=2, reuse=True), Operand(register=4, reuse=False))
    """
    reused = set(reuse)
    return tuple(Operand(register, index in reused) for index, register in enumerate(registers))


def read_operands(program: Iterable[tuple[Operand, ...]], ports: int = 1) -> list[Read]:
    """Return the hits and bubbles of one warp's instructions in order.

    >>> read_operands([fma(2, reuse=[0]), fma(2, 4, 6), fma(2, 4, 6)])
    [Read(hits=0, bubbles=0), Read(hits=1, bubbles=1), Read(hits=0, bubbles=2)]
    """
    whole("ports", ports, low=1)
    cache: dict[tuple[int, int], int] = {}
    return [_read(operands, cache, ports) for operands in program]


def _read(operands: tuple[Operand, ...], cache: dict[tuple[int, int], int], ports: int) -> Read:
    if not 1 <= len(operands) <= PLACES:
        raise ValueError(f"operands must be 1 to {PLACES}, got {len(operands)}")
    needed: Counter[int] = Counter()
    for index, operand in enumerate(operands):
        bank = whole("register", operand.register) % BANKS
        if cache.get((bank, index)) != operand.register:
            needed[bank] += 1
        cache.pop((bank, index), None)
        if operand.reuse:
            cache[bank, index] = operand.register
    longest = max(-(-count // ports) for count in [*needed.values(), 1])
    return Read(len(operands) - needed.total(), longest - 1)
