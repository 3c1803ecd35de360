"""One sub-core of a GPU: which warp issues in which cycle, and which reads come too early.

A sub-core issues at most one instruction a cycle. Nothing in it checks whether an operand is ready:
the compiler puts a stall count, a yield bit and the counters to wait for into every instruction.
The scheduler stays with a warp while it may issue, and otherwise takes the youngest that may.

Huerta, Abaie Shoushtary, Cruz and Gonzalez measured these rules on NVIDIA GPUs ("Dissecting and
modeling the architecture of modern GPU cores", MICRO 2025). The instruction cache is reduced to one
miss, and execution units and register ports are always free.

>>> program = [Instruction()] * 3
>>> [(issue.cycle, issue.warp) for issue in simulate([program, program]).issues]
[(0, 1), (1, 1), (2, 1), (3, 0), (4, 0), (5, 0)]

`control_bits` and `scoreboard_bits` count the storage for tracking which registers are not ready
(Table 7 of the paper).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Literal, NamedTuple, get_args

from numpy.typing import ArrayLike

from perfmodel.labs.roofline.gpu_cores.inputs import CONTROL_BITS, TRACKED_REGISTERS
from perfmodel.validation import Floats, one_of, positive, whole

Policy = Literal["youngest", "oldest", "round-robin"]
"""Whom to take when the warp that issued last may not: CGGTY, GTO, or the next one in turn (which
does not stay with a warp either)."""

COUNTERS = 6
"""Dependence counters of a warp, SB0 to SB5."""


@dataclass(frozen=True)
class Instruction:
    """An instruction and the control bits that the compiler gave it."""

    stall: int = 1
    """Cycles until its warp may issue again, 1 to 15."""
    yields: bool = False
    """Whether its warp must leave the next cycle to others."""
    reads: tuple[int, ...] = ()
    """Registers."""
    writes: int | None = None
    """Register, if any."""
    latency: int = 4
    """Cycles from issue until its result can be read."""
    sets: int | None = None
    """Counter held above zero until the result is written."""
    waits: tuple[int, ...] = ()
    """Counters that must be zero before it may issue."""

    def __post_init__(self) -> None:
        """Refuse control bits that the hardware does not have."""
        whole("stall", self.stall, low=1, high=2**4 - 1)
        whole("latency", self.latency, low=1)
        for counter in (*self.waits, *(() if self.sets is None else (self.sets,))):
            whole("counter", counter, high=COUNTERS - 1)


class Issue(NamedTuple):
    """One instruction issued."""

    cycle: int
    warp: int
    """0 is the oldest."""
    place: int
    """In the warp's program, from 0."""


class StaleRead(NamedTuple):
    """A register read before its last writer was done: the program computes a wrong result."""

    warp: int
    place: int
    register: int


@dataclass(frozen=True)
class Timeline:
    """What a sub-core did."""

    issues: tuple[Issue, ...]
    stale: tuple[StaleRead, ...]

    @property
    def cycles(self) -> int:
        """Cycles from the first issue to the last, both included."""
        return self.issues[-1].cycle - self.issues[0].cycle + 1

    @property
    def bubbles(self) -> int:
        """Cycles among these in which nothing was issued."""
        return self.cycles - len(self.issues)

    @property
    def turns(self) -> tuple[tuple[int, int], ...]:
        """The warps in order of issue, with their instructions in a row, idle cycles or not."""
        runs = groupby(issue.warp for issue in self.issues)
        return tuple((warp, len(list(run))) for warp, run in runs)


def simulate(
    warps: Sequence[Sequence[Instruction]],
    policy: Policy = "youngest",
    *,
    resident: int | None = None,
    miss: int = 0,
) -> Timeline:
    """Run warps to their end on one sub-core.

    There is a program for each warp, the oldest first. The instruction cache holds `resident`
    instructions at the start, all by default; the rest arrives together, `miss` cycles after a warp
    first wants one of it.

    >>> simulate([[Instruction(stall=4)] * 3]).cycles
    9
    """
    if not warps or not any(len(program) for program in warps):
        raise ValueError(f"warps must hold an instruction, got {warps!r}")
    one_of("policy", policy, get_args(Policy))
    cache = _Cache(None if resident is None else whole("resident", resident), whole("miss", miss))
    states = [_Warp(number, program) for number, program in enumerate(warps)]
    issues: list[Issue] = []
    cycle = 0
    while any(not state.done for state in states):
        able = [state.number for state in states if state.may_issue(cycle, cache)]
        if able:
            chosen = _choose(able, issues[-1].warp if issues else None, policy)
            issues.append(states[chosen].issue(cycle))
        cycle += 1
    return Timeline(tuple(issues), tuple(s for state in states for s in state.stale))


def switching_kernels() -> dict[str, Timeline]:
    """Return the paper's experiment on the scheduler: four warps of 32 independent instructions.

    "plain" has no stalls and one miss of the instruction cache half way; in "stall" every second
    instruction has a stall count of 4, in "yield" a yield bit. Where the miss falls and that the
    pattern repeats every two instructions are our choices.
    """
    plain = [Instruction()] * 32
    stall = [Instruction(), Instruction(stall=4)] * 16
    yields = [Instruction(), Instruction(yields=True)] * 16
    return {
        "plain": simulate([plain] * 4, resident=16, miss=12),
        "stall": simulate([stall] * 4),
        "yield": simulate([yields] * 4),
    }


def _choose(able: list[int], last: int | None, policy: Policy) -> int:
    if policy == "round-robin":
        return next((warp for warp in able if last is not None and warp > last), able[0])
    if last in able:
        return last
    return max(able) if policy == "youngest" else min(able)


@dataclass
class _Cache:
    resident: int | None
    miss: int
    arrives: int | None = None

    def has(self, index: int, cycle: int) -> bool:
        if self.resident is None or index < self.resident:
            return True
        if self.arrives is None:
            self.arrives = cycle + self.miss
        return cycle >= self.arrives


@dataclass
class _Warp:
    number: int
    program: Sequence[Instruction]
    index: int = 0
    free: int = 0
    """First cycle in which stall count and yield bit allow an issue."""
    written: dict[int, int] = field(default_factory=dict)
    """For each register the cycle from which its last value can be read."""
    held: list[tuple[int, int, int]] = field(default_factory=list)
    """Counter, and the cycles from and until which it is seen above zero."""
    stale: list[StaleRead] = field(default_factory=list)

    @property
    def done(self) -> bool:
        return self.index >= len(self.program)

    def may_issue(self, cycle: int, cache: _Cache) -> bool:
        if self.done or cycle < self.free or not cache.has(self.index, cycle):
            return False
        waits = self.program[self.index].waits
        return not any(c in waits and start <= cycle < end for c, start, end in self.held)

    def issue(self, cycle: int) -> Issue:
        issued, instruction = Issue(cycle, self.number, self.index), self.program[self.index]
        for register in instruction.reads:
            if cycle < self.written.get(register, 0):
                self.stale.append(StaleRead(self.number, self.index, register))
        if instruction.writes is not None:
            self.written[instruction.writes] = cycle + instruction.latency
        if instruction.sets is not None:
            self.held.append((instruction.sets, cycle + 2, cycle + instruction.latency))
        self.free = cycle + max(instruction.stall, 2 if instruction.yields else 1)
        self.index += 1
        return issued


def control_bits(warps: ArrayLike) -> Floats:
    """Return the bits that track dependences by counters which the compiler names."""
    return CONTROL_BITS * positive("warps", warps)


def scoreboard_bits(warps: ArrayLike, consumers: int) -> Floats:
    """Return the bits of a scoreboard: a write under way and a count of readers a register.

    >>> print(scoreboard_bits(48, 63))
    111552.0
    """
    counter = whole("consumers", consumers, low=1).bit_length()
    return TRACKED_REGISTERS * (1 + counter) * positive("warps", warps)
