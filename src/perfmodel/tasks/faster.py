"""A task in the manner of perf-ninja: the same results in less time, compared with a model's bound.

The reader changes a given function. Its results are compared first; then both are timed in turn, by
`perfmodel.measurement.compare`, and the ratio is given with its interval, next to the aim and the
model's bound.
"""

from __future__ import annotations

import inspect
import io
import time
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from perfmodel.answers.closeness import agrees
from perfmodel.answers.mistakes import Mistake
from perfmodel.tasks import source
from perfmodel.tasks.box import Outcome
from perfmodel.tasks.source import Function
from perfmodel.tasks.task import Task, answered, lab_of, separate
from perfmodel.units import number
from perfmodel.validation import positive

if TYPE_CHECKING:
    from perfmodel.live import Display

SECONDS = 1.5
"""For the blocks of a comparison; with warm-up and calibration a check stays below twice this."""
LONGEST = 0.1
"""Seconds of a call above which six blocks would take too long."""
_SLOWER = "Are there temporary arrays, written once and read once, or loops over single elements?"


@dataclass(frozen=True, eq=False)
class Faster:
    """A function that the reader of a lab makes faster."""

    title: str
    given: Function
    """The slow one; the reader's cell begins as a copy of it."""
    cases: Sequence[tuple[Any, ...]]
    """The arguments on which results are compared; on the last one the functions are timed."""
    reference: Function
    """A faster one, written in the lab's module `tasks`: its source is shown as a way to do it."""
    bound: Callable[[], float]
    """Returns the speed-up that the model allows at most."""
    aim: float = 2.0
    """The speed-up to reach."""
    model: str = "the model"
    """What allows no more than the bound, such as "the roofline"."""
    mistakes: Sequence[Mistake] = ()
    hint: str = ""
    right: str = ""
    tolerance: float = 1e-6
    clock: Callable[[], int] = time.perf_counter_ns
    """Nanoseconds; a simulated one in tests."""

    def __post_init__(self) -> None:
        if positive("aim", self.aim) <= 1:
            raise ValueError(f"aim must be above 1, got {self.aim!r}")
        if not any(self.cases):
            raise ValueError(f"cases must have arguments, got {self.cases!r}")
        if _one_in_two(self.cases[-1]):
            raise ValueError("cases must end with arrays of their own, got one array twice")
        self.results  # noqa: B018 - it checks what is given to it

    @property
    def lab(self) -> str:
        """The lab that declares the task, as TOPIC/LAB; empty for one declared elsewhere."""
        return lab_of(self.reference)

    @property
    def results(self) -> Task:
        """The task of giving the same results."""
        return Task(
            self.title, self.given, self.cases, self.mistakes, self.hint, self.right, self.tolerance
        )

    def check(self, function: Any) -> Display:
        """Return what is to be said to `function`, and record it unless it is the given one.

        What is wrong with it is said and never raised.
        """
        return answered(self, self.judge(function), function, "change the function")

    def judge(self, function: Any) -> Outcome:
        """Return how `function` stands: its results first, then its time against the given."""
        if callable(function) and source.unchanged(function, self.given):
            return Outcome("open")
        same = self.results.judge(function)
        if same.state != "right":
            return same
        if spoilt := self._left_otherwise(function):
            return Outcome("wrong", f"Same results, but {spoilt}")
        with redirect_stdout(io.StringIO()):
            return self._timed(function)

    def verify(self) -> None:
        """Check the task itself, as the tests do for all labs; nothing is timed.

        The faster function must give the results of the given one, each mistake others, and the aim
        must lie below the bound.
        """
        self.results.verify()
        outcome = self.results.judge(self.reference)
        if outcome.state != "right":
            raise ValueError(f"reference must give what the given one gives: {outcome.said}")
        if not self.aim < self.bound():
            raise ValueError(f"aim must be below the bound {self.bound():.3g}, got {self.aim!r}")

    def _left_otherwise(self, function: Function) -> str:
        """Return which argument `function` leaves as neither known way does, or nothing.

        Arguments that the given function and the reference leave equal belong to the results: an
        array that is filled, and one that is only read. What they leave in different states is work
        space.
        """
        names = list(inspect.signature(self.given).parameters)
        cases = [case for case in self.cases[:-1] or self.cases if any(map(_can_change, case))]
        for case in cases:
            ways = (_left_by(way, case) for way in (self.given, self.reference, function))
            for name, given, known, own in zip(names, *ways, strict=False):
                if agrees(known, given, self.tolerance) and not agrees(own, given, self.tolerance):
                    return f"after the call `{name}` holds other numbers than it should."
        return ""

    def _timed(self, function: Function) -> Outcome:
        from perfmodel.measurement import compare
        from perfmodel.measurement.clock import time_calls

        given, own = partial(self.given, *self.cases[-1]), partial(function, *self.cases[-1])
        slow, quick = (min(time_calls(run, 1, self.clock) for _ in "ab") for run in (given, own))
        if quick > LONGEST:
            said = f"a call takes {quick:.2g} s, and the given function {slow:.2g} s."
            return Outcome("slow", f"Same results, but {said}" + f" {_SLOWER}" * (quick > slow))
        often = max(1, round(slow / quick)) if quick else 1
        comparison = compare(
            given, partial(_repeated, own, often), max_seconds=SECONDS, clock=self.clock
        )
        low, high = comparison.interval
        return self._decided(often / comparison.ratio, often / high, often / low)

    def _decided(self, speedup: float, low: float, high: float) -> Outcome:
        """Return whether the aim is reached by a speed-up with its interval."""
        bound = self.bound()
        said = (
            f"Same results, {number(speedup)} times as fast (95 % interval {number(low)} to "
            f"{number(high)}). The aim is {self.aim:g}; {self.model} allows {number(bound)} at "
            "most here."
        )
        if low > bound:
            said += f" You are above that: what did {self.model} leave out?"
        if low >= self.aim:
            return Outcome("right", f"{said} {self.right}".strip())
        if high < self.aim:
            short = f"That is faster, but not yet {self.aim:g} times as fast."
            return Outcome("slow", f"{said} {short if low > 1 else _SLOWER}")
        busy = "The interval holds the aim: run the cell again when the machine is quieter."
        return Outcome("undecided", f"{said} {busy}")


def _one_in_two(case: tuple[Any, ...]) -> bool:
    """Return whether two arguments share memory: what is timed would move fewer bytes."""
    arrays = [argument for argument in case if isinstance(argument, np.ndarray)]
    return any(np.shares_memory(one, other) for one, other in combinations(arrays, 2))


def _can_change(argument: Any) -> bool:
    return isinstance(argument, (np.ndarray, list))


def _left_by(function: Function, case: tuple[Any, ...]) -> list[Any]:
    """Return the arguments of `case` as a call leaves them."""
    arguments = separate(case)
    with redirect_stdout(io.StringIO()), np.errstate(all="ignore"):
        function(*arguments)
    return arguments


def _repeated(function: Callable[[], object], times: int) -> None:
    """Call a quick function so often that it takes about as long as a slow one."""
    for _ in range(times):
        function()
