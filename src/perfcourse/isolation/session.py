"""A session with one student's process: its cells are run, then it is asked for what they made."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from perfcourse.isolation.untrusted import one_line
from perfcourse.kernel.agent import FULL
from perfcourse.kernel.isolate import OUT_OF_CPU
from perfcourse.kernel.plain import TooBigError
from perfcourse.kernel.wire import MAX_REQUEST, Channel, LateError, WireError

GRACE = 2.0
"""Seconds that a process has beyond a limit, to notice it by itself."""
TOGETHER = 2**20
"""Bytes of several calls in one message, which the process reads before it answers the first."""
KILLED = "exit -9"
"""How a process ends that somebody else has killed: it can't do so itself, nor can its own."""
LOST = "the warm parent is gone", "no news of the process"


class BrokenError(Exception):
    """The grader's own machinery failed; no submission is to blame and none is graded."""


class StoppedError(Exception):
    """The student's process is no more; the message says why, for the student to read."""


@dataclass(frozen=True)
class Times:
    """Wall-clock limits in seconds."""

    notebook: float = 60.0
    cell: float = 20.0
    call: float = 3.0
    whole: float = 120.0
    """For one submission, everything together."""


class Session:
    """One student's process: run the notebook, then ask for values and call functions.

    `end` ends the process, waits until it is gone, and returns how it ended; with True, it is first
    given a moment to end as it is about to, since it has left the channel. `spent` are the seconds
    of the whole submission's time that are used up already.
    """

    def __init__(
        self, end: Callable[[bool], str], channel: Channel, times: Times, spent: float = 0.0
    ) -> None:
        self._kill = end
        self._channel = channel
        self._times = times
        self._end = time.monotonic() + times.whole - spent
        self.finished: list[tuple[str, str] | None] = []
        """Of each cell that has run to its end the error (type's name and message) or None."""
        self.left: list[int] = []
        """Which of these, from 0, have left something running, by what the process says."""
        self.late = False
        """Whether it was stopped since it took too long."""
        self.stopped = ""
        """Why the process is no more, once it isn't: what it did, in words."""

    @property
    def over(self) -> bool:
        """Whether the time for the whole submission is used up."""
        return time.monotonic() >= self._end

    def run(
        self, cells: Sequence[str], parameters: dict[str, Any], withheld: Sequence[str] = ()
    ) -> list[tuple[str, str] | None]:
        """Run the cells and return each one's error (type's name and message) or None.

        The functions named in `withheld` raise for as long as the process lives. Where the process
        is stopped, `finished` tells how far it came.
        """
        times = self._times
        request = {
            "op": "run",
            "cells": list(cells),
            "parameters": parameters,
            "withheld": list(withheld),
            "seconds": times.cell,
            "together": times.notebook,
        }
        self._tell(request, times.cell + GRACE)
        for cell in range(len(cells)):
            message = self._hear(times.cell + GRACE, hurry=False)
            self.left += [cell] if message.get("left") is True else []
            self.finished.append(message.get("error"))
        return self.finished

    def get(self, name: str, as_figure: bool = False) -> dict[str, Any]:
        """Return what the process says of a variable: `value`, `missing`, `callable`, `error`.

        Where it is asked for `as_figure`, the value is what the plot shows, in a dict.
        """
        request = {"op": "get", "name": name, "seconds": self._times.call}
        return self._ask({**request, "figure": as_figure})

    def call(self, name: str, arguments: Sequence[Any]) -> dict[str, Any]:
        """Call a student's function: see `calls`."""
        (reply,) = self.calls(name, arguments)
        return reply

    def calls(self, name: str, *calls: Sequence[Any]) -> Iterator[dict[str, Any]]:
        """Call a student's function with several arguments in turn, as one message if small.

        Each reply holds `value`, `error`, `missing`, or `callable` where it is no function. Each
        call has its own time; after one that took too long the function isn't called again, and the
        others have its error.
        """
        times = self._times.call
        request = {"op": "call", "name": name, "calls": list(map(list, calls)), "seconds": times}
        try:
            self._tell(request, times + GRACE, TOGETHER if len(calls) > 1 else MAX_REQUEST)
        except TooBigError:
            if len(calls) < 2:
                raise
            half = len(calls) // 2
            yield from self.calls(name, *calls[:half])
            yield from self.calls(name, *calls[half:])
            return
        for _ in calls:
            yield self._hear(times + GRACE)

    def touched(self) -> bool:
        """Return whether the process says that it called a function that was withheld."""
        return self._ask({"op": "touched"}).get("value") != 0

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        seconds = self._times.call + GRACE
        self._tell(request, seconds)
        return self._hear(seconds)

    def _tell(self, request: dict[str, Any], seconds: float, most: int = MAX_REQUEST) -> None:
        if self.stopped:
            raise StoppedError(self.stopped)
        try:
            self._channel.send(request, self._deadline(seconds), most)
        except WireError as error:
            self._stop(error)

    def _hear(self, seconds: float, hurry: bool = True) -> dict[str, Any]:
        try:
            reply = self._channel.receive(self._deadline(seconds), hurry)
        except WireError as error:
            self._stop(error)
        if not isinstance(reply, dict):
            self._stop(WireError("not an answer"))
        if "error" in reply:
            reply["error"] = _error(reply["error"])
        return reply  # type: ignore[no-any-return]

    def _deadline(self, seconds: float) -> float:
        return min(self._end, time.monotonic() + seconds)

    def _stop(self, error: WireError) -> None:
        ended = self.close(leaving="gone" in str(error))
        if ended in LOST:
            raise BrokenError(f"the warm parent was lost ({ended})")
        if ended == KILLED:
            raise BrokenError("a student's process was killed from outside")
        self.late = isinstance(error, LateError)
        self.stopped = _why(error, ended)
        raise StoppedError(self.stopped)

    def close(self, leaving: bool = False) -> str:
        """End the process, if it is still there, and return how it ended."""
        self._channel.close()
        ended = self._kill(leaving) if not self.stopped else "stopped"
        self.stopped = self.stopped or "was closed"
        return ended

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if not self.stopped:
            self.close()


_REASONS = {
    "out of memory": "used more memory than is allowed and was stopped",
    "too many processes": "started more processes than are allowed and was stopped",
    f"exit {FULL}": "used more memory than is allowed and was stopped",
    "exit -11": "crashed its process",
    "exit -7": "crashed its process",
    "exit -6": "crashed its process",
    "exit -4": "crashed its process",
    OUT_OF_CPU: "used more CPU time than is allowed and was stopped",
    "exit -24": "used more CPU time than is allowed and was stopped",
    "exit -31": "made a system call that is not allowed and was stopped",
}


def _why(error: WireError, ended: str) -> str:
    """Say why a process is no more, in words of ours: nothing that it sent is repeated."""
    if isinstance(error, LateError):
        return "took longer than is allowed and was stopped"
    if ended in _REASONS:
        return _REASONS[ended]
    gone = "gone" in str(error)
    return "ended its own process" if gone else "sent what is not an answer and was stopped"


def _error(error: Any) -> tuple[str, str] | None:
    """Return an error's type and message, made fit to be written anywhere: one line, cut short."""
    if isinstance(error, list) and len(error) == 2:
        kind, message = error
        return one_line(str(kind)[:80]), one_line(str(message)[:300])
    return None
