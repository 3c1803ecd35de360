"""Sessions with students' processes, forked from one warm parent."""

from __future__ import annotations

import contextlib
import itertools
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from perfcourse.isolation import cgroup
from perfcourse.isolation.sandbox import FIRST_UID, PRELOAD, Sandbox, command, cores
from perfcourse.kernel.isolate import Limits
from perfcourse.kernel.wire import Channel, LateError, WireError

START_SECONDS = 120.0
MESSAGES = socket.SOCK_SEQPACKET if sys.platform == "linux" else socket.SOCK_DGRAM
GROUP_MEMORY, GROUP_PROCESSES = 2**30, 16
"""What the warm parent itself may use of the control group."""
LOST = "the warm parent is gone", "no news of the process"
READY_SECONDS = 30.0
GONE_SECONDS = 10.0


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


class Warm:
    """The warm parent; `session()` forks a process for one submission. Safe to use from threads.

    It has loaded the modules of `preload`; what it hasn't, a submission loads for itself.
    """

    def __init__(
        self, sandbox: Sandbox, limits: Limits | None = None, preload: Sequence[str] = PRELOAD
    ) -> None:
        self._preload = preload
        self._sandbox = sandbox
        self._limits = limits or Limits()
        self._names = itertools.count()
        self._lock = threading.Lock()
        self._gone: dict[str, str] = {}
        self._news = threading.Condition()
        self._start()

    def _start(self) -> None:
        self._control, theirs = socket.socketpair(socket.AF_UNIX, MESSAGES)
        words, environment = command(self._sandbox, theirs.fileno(), self._limits, self._preload)
        self._group = cgroup.make(
            GROUP_MEMORY + cores() * self._limits.memory,
            GROUP_PROCESSES + cores() * self._limits.processes,
            cgroup.delegated(),
        )
        if self._group is not None:
            words = self._group.wrap(words)
        self.process = subprocess.Popen(
            words,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            pass_fds=[theirs.fileno()],
        )
        theirs.close()
        self._control.settimeout(START_SECONDS)
        if self._control.recv(100) != b"up\n":
            assert self.process.stderr is not None
            text = self.process.stderr.read().decode("utf-8", "replace").strip()
            raise BrokenError(f"the sandbox did not start: {text[-500:]}")
        self._control.settimeout(None)
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        while True:
            try:
                words = self._control.recv(1000).decode("utf-8", "replace").strip().split(" ", 2)
            except OSError:
                words = [""]
            with self._news:
                if len(words) == 3:
                    self._gone[words[1]] = words[2]
                self._news.notify_all()
            if words == [""]:
                return

    def session(
        self, times: Times | None = None, hide: bool = False, spent: float = 0.0
    ) -> Session:
        """Fork a student's process; `hide` the source of `perfmodel` from it.

        `spent` seconds of the time for the whole submission are used up already.
        """
        mine, theirs = socket.socketpair()
        number = next(self._names)
        name = str(number)
        uid = own_uid(number) if self._sandbox.own_uids else 0
        with self._lock, theirs:
            try:
                line = f"fork {name} {uid} {hide:d}".encode()
                socket.send_fds(self._control, [line], [theirs.fileno()])
            except OSError as error:
                raise BrokenError("the warm parent is gone") from error
        channel = Channel(mine)
        try:
            hello = channel.receive(time.monotonic() + READY_SECONDS)
        except WireError as error:
            raise BrokenError(f"no sandbox for a submission: {error}, {self.end(name)}") from error
        if hello != {"ready": True}:
            raise BrokenError(f"no sandbox for a submission: {hello}, {self.end(name)}")
        return Session(self, name, channel, times or Times(), spent)

    def end(self, name: str) -> str:
        """Kill a session's processes, wait until they are gone, and return how they ended."""
        deadline = time.monotonic() + GONE_SECONDS
        with self._lock:
            try:
                self._control.send(f"kill {name}".encode())
            except OSError:
                return LOST[0]
        with self._news:
            while name not in self._gone and self.process.poll() is None:
                if not self._news.wait(max(0.0, deadline - time.monotonic())):
                    break
            return self._gone.pop(name, LOST[1])

    def close(self) -> None:
        """Stop the warm parent and everything below it."""
        with contextlib.suppress(OSError):
            self._control.shutdown(socket.SHUT_RDWR)
        self._control.close()
        try:
            self.process.wait(GONE_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if self.process.stderr is not None:
            self.process.stderr.close()
        if self._group is not None:
            self._group.remove()

    def __enter__(self) -> Warm:
        return self

    def __exit__(self, *what: object) -> None:
        self.close()


def own_uid(number: int) -> int:
    """Return a user id that no other submission has, of this grader or of another running now."""
    return FIRST_UID + (os.getpid() % 100_000) * 1000 + number % 1000


class Session:
    """One student's process: run the notebook, then ask for values and call functions."""

    def __init__(
        self, warm: Warm, name: str, channel: Channel, times: Times, spent: float = 0.0
    ) -> None:
        self._warm = warm
        self._name = name
        self._channel = channel
        self._times = times
        self._end = time.monotonic() + times.whole - spent
        self.stopped = ""
        """Why the process is no more, once it isn't."""

    def run(
        self, cells: Sequence[str], parameters: dict[str, Any], withheld: Sequence[str] = ()
    ) -> list[tuple[str, str] | None]:
        """Run the cells and return each one's error (type's name and message) or None.

        The functions named in `withheld` raise for as long as the process lives.
        """
        request = {
            "op": "run",
            "cells": list(cells),
            "parameters": parameters,
            "withheld": list(withheld),
            "seconds": self._times.cell,
        }
        reply = self._ask(request, self._times.notebook)
        errors = reply.get("errors")
        if not isinstance(errors, list) or len(errors) != len(cells):
            return [None] * len(cells)
        return [_error(error) for error in errors]

    def get(self, name: str) -> dict[str, Any]:
        """Return what the process says of a variable: `value`, `missing`, `callable`, `error`."""
        request = {"op": "get", "name": name, "seconds": self._times.call}
        return self._ask(request, self._times.call + 2)

    def call(self, name: str, arguments: Sequence[Any]) -> dict[str, Any]:
        """Call a student's function; the reply holds `value` or `error`."""
        request = {
            "op": "call",
            "name": name,
            "arguments": list(arguments),
            "seconds": self._times.call,
        }
        return self._ask(request, self._times.call + 2)

    def touched(self) -> bool:
        """Return whether the process says that it called a function that was withheld."""
        return self._ask({"op": "touched"}, self._times.call).get("value") != 0

    def _ask(self, request: dict[str, Any], seconds: float) -> dict[str, Any]:
        if self.stopped:
            raise StoppedError(self.stopped)
        deadline = min(self._end, time.monotonic() + seconds)
        try:
            self._channel.send(request, deadline)
            reply = self._channel.receive(deadline)
        except LateError:
            self._stop("took longer than is allowed and was stopped")
        except WireError as error:
            self._stop("", str(error))
        if not isinstance(reply, dict):
            self._stop("sent something that is not an answer and was stopped")
        return reply  # type: ignore[no-any-return]

    def _stop(self, why: str, wire: str = "") -> None:
        ended = self.close()
        if ended in LOST:
            raise BrokenError(f"the warm parent was lost ({ended})")
        if not why:
            why = _REASONS.get(ended, "")
        if not why:
            why = "ended its own process" if "gone" in wire else f"was stopped: {wire}"
        self.stopped = f"The notebook {why}."
        raise StoppedError(self.stopped)

    def close(self) -> str:
        """End the process, if it is still there, and return how it ended."""
        self._channel.close()
        ended = self._warm.end(self._name) if not self.stopped else "stopped"
        self.stopped = self.stopped or "The session is closed."
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
    "exit -11": "crashed its process",
    "exit -6": "crashed its process",
    "exit -24": "used more CPU time than is allowed and was stopped",
    "exit -31": "made a system call that is not allowed and was stopped",
}


def _error(error: Any) -> tuple[str, str] | None:
    if isinstance(error, list) and len(error) == 2:
        return str(error[0])[:80], str(error[1])[:300]
    return None
