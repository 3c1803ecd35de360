"""Counting executed bytecodes: what the interpreter does, the same in every run.

Sources: `sys.monitoring` (PEP 669) and `sys.settrace`; that a count of instructions may replace a
time is the claim of Y. Peng, J. Wan, Y. Li and X. Ren, "COFFE: a code efficiency benchmark for code
generation", FSE 2025, whose counts are the processor's.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from threading import get_ident
from types import CodeType, FrameType
from typing import Any

from perfmodel.benchmarking.counting.collector import collector_off
from perfmodel.validation import whole


class CountExceeded(BaseException):
    """A counted call went beyond its limit and was ended; no `except Exception` stops it."""


def count_bytecodes(
    function: Callable[..., object], *args: Any, limit: int | None = None, **kwargs: Any
) -> int:
    """Return how many bytecode instructions a call executes, in all Python code that it reaches.

    Counts the instructions that `dis` lists for this version of Python, each time that one is
    executed, except `RESUME` and the instructions before it. Versions compile the same source to
    different instructions, so counts of two versions can't be compared. Time spent in C (NumPy,
    `sorted`, `in` on a list) executes no bytecode.

    Only the calling thread is counted, with the garbage collector off, by `sys.monitoring` (Python
    3.12 and later) or `sys.settrace`. The `function` is called once, with `args` and `kwargs`.
    After more than `limit` instructions `CountExceeded` ends the call.

    Examples
    --------
    >>> def total(n):
    ...     kept = 0
    ...     for i in range(n):
    ...         kept += i
    ...     return kept
    >>> counts = [count_bytecodes(total, n) for n in (10, 20, 30)]
    >>> counts[1] - counts[0] == counts[2] - counts[1]
    True
    >>> count_bytecodes(sum, range(1_000_000))
    0
    """
    most = sys.maxsize if limit is None else whole("limit", limit, 1)
    counter = _Monitored(most) if sys.version_info >= (3, 12) else _Traced(most)
    with collector_off():
        counter.run(function, args, kwargs)
    if counter.count > most:
        raise CountExceeded(f"more than {most} instructions")
    return counter.count


class _Traced:
    """Counts by a trace function on each frame that the call enters."""

    def __init__(self, most: int) -> None:
        self.count, self.most = 0, most

    def run(self, function: Callable[..., object], args: Any, kwargs: Any) -> None:
        before = sys.gettrace()
        sys.settrace(self.step)
        try:
            function(*args, **kwargs)
        finally:
            sys.settrace(before)

    def step(self, frame: FrameType, event: str, _: object) -> Callable[..., Any]:
        if event == "opcode":
            self.count += 1
            if self.count > self.most:
                raise CountExceeded(f"more than {self.most} instructions")
        elif event == "call":
            frame.f_trace_opcodes, frame.f_trace_lines = True, False
        return self.step


class _Monitored:
    """Counts by a callback of the interpreter, in one thread."""

    def __init__(self, most: int) -> None:
        self.count, self.most = 0, most

    def run(self, function: Callable[..., object], args: Any, kwargs: Any) -> None:
        monitoring: Any = getattr(sys, "monitoring")  # noqa: B009 - mypy reads for Python 3.11
        tool = next(i for i in (3, 4, 2, 1, 0) if monitoring.get_tool(i) is None)
        event = monitoring.events.INSTRUCTION
        monitoring.use_tool_id(tool, "perfmodel bytecodes")
        try:
            monitoring.register_callback(tool, event, self._callback())
            monitoring.restart_events()
            monitoring.set_events(tool, event)
            function(*args, **kwargs)
        finally:
            monitoring.set_events(tool, 0)
            monitoring.register_callback(tool, event, None)
            monitoring.free_tool_id(tool)

    def _callback(self) -> Callable[[CodeType, int], None]:
        own, thread = type(self).run.__code__, get_ident()

        def step(code: CodeType, _: int) -> None:
            if code is not own and get_ident() == thread:
                self.count += 1
                if self.count > self.most:
                    raise CountExceeded(f"more than {self.most} instructions")

        return step
