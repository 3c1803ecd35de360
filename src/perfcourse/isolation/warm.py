"""The warm parent, from which students' processes are forked."""

from __future__ import annotations

import contextlib
import itertools
import socket
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from perfcourse.isolation import cgroup
from perfcourse.isolation.data import laid_out
from perfcourse.isolation.sandbox import PRELOAD, Sandbox, command, cores
from perfcourse.isolation.session import LOST, BrokenError, Session, Times
from perfcourse.kernel.isolate import Limits
from perfcourse.kernel.wire import Channel, WireError

START_SECONDS = 120.0
MESSAGES = socket.SOCK_SEQPACKET if sys.platform == "linux" else socket.SOCK_DGRAM
GROUP_MEMORY, GROUP_PROCESSES = 2**30, 16
"""What the warm parent itself may use of the control group, with what waits to be taken."""
READY_SECONDS = 30.0
LEAVING_SECONDS = 0.5
GONE_SECONDS = 60.0
"""For a process that was killed to be gone, with all that it held, on a machine that is busy."""


class _Forked(NamedTuple):
    """A student's process: its name to the warm parent, and our end of its channel."""

    name: str
    channel: Channel


class Warm:
    """The warm parent; `session()` forks a process for one submission. Safe to use from threads.

    It has loaded the modules of `preload`; what it hasn't, a submission loads for itself, unless it
    is of the packages `hidden` and the submission is one from which they are to be hidden. Each
    submission finds the `files` by their names in its own folder, and can't change them.

    `at_once` submissions run at a time, and as many more processes wait to be taken: a core that
    has nothing else to do makes the next ones ready. Where it is 0 none waits, and the control
    group allows for one submission a core.
    """

    def __init__(
        self,
        sandbox: Sandbox,
        limits: Limits | None = None,
        preload: Sequence[str] = PRELOAD,
        files: Mapping[str, Path] | None = None,
        hidden: Sequence[str] = ("perfmodel",),
        at_once: int = 0,
    ) -> None:
        self._preload, self._hidden = preload, hidden
        self._at_once = at_once
        self._waiting: dict[bool, deque[_Forked]] = {True: deque(), False: deque()}
        """Processes that nobody has taken yet, by whether source is hidden from them."""
        self._open = contextlib.ExitStack()
        self._data = self._open.enter_context(laid_out(files or {}, sandbox.nobody))
        self.sandbox = sandbox
        self._limits = limits or Limits()
        self._names = itertools.count()
        self._lock = threading.Lock()
        self._gone: dict[str, str] = {}
        self._news = threading.Condition()
        self._start()

    def _start(self) -> None:
        self._control, theirs = socket.socketpair(socket.AF_UNIX, MESSAGES)
        words, environment = command(
            self.sandbox, theirs.fileno(), self._limits, self._preload, self._data, self._hidden
        )
        at_once = self._at_once or cores()
        self._group = cgroup.make(
            GROUP_MEMORY + at_once * self._limits.memory,
            GROUP_PROCESSES + at_once * (self._limits.processes + len(self._waiting)),
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
            start_new_session=True,  # or Ctrl-C would end it before us
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
        """Take a student's process; `hide` the source of what it is to build from it.

        `spent` seconds of the time for the whole submission are used up already.
        """
        forked = self._take(hide)
        try:
            hello = forked.channel.receive(time.monotonic() + READY_SECONDS)
            problem = "" if hello == {"ready": True} else str(hello)
        except WireError as error:
            problem = str(error)
        if problem:
            raise BrokenError(f"no sandbox for a submission: {problem}, {self.end(forked.name)}")
        return Session(partial(self.end, forked.name), forked.channel, times or Times(), spent)

    def _take(self, hide: bool) -> _Forked:
        """Return a process that waits, or a new one; have others forked to wait in its place."""
        waiting = self._waiting[hide]
        with self._lock:
            while waiting and self._gone.pop(waiting[0].name, ""):
                waiting.popleft().channel.close()  # it was killed from outside, or never came to be
            taken = waiting.popleft() if waiting else self._forked(hide)
            while len(waiting) < self._at_once:
                waiting.append(self._forked(hide))
        return taken

    def _forked(self, hide: bool) -> _Forked:
        mine, theirs = socket.socketpair()
        number = next(self._names)
        uid = self.sandbox.uid(number) if self.sandbox.own_uids else 0
        with theirs:
            try:
                line = f"fork {number} {uid} {hide:d}".encode()
                socket.send_fds(self._control, [line], [theirs.fileno()])
            except OSError as error:
                raise BrokenError("the warm parent is gone") from error
        return _Forked(str(number), Channel(mine))

    def end(self, name: str, leaving: bool = False) -> str:
        """Kill a session's processes, wait until they are gone, and return how they ended.

        One that is `leaving` has a moment first, so that how it ends is told apart from our kill.
        """
        if leaving:
            with self._news:
                self._news.wait_for(lambda: name in self._gone, LEAVING_SECONDS)
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
        with self._lock:
            for forked in (*self._waiting[True], *self._waiting[False]):
                forked.channel.close()
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
        self._open.close()

    def __enter__(self) -> Warm:
        return self

    def __exit__(self, *what: object) -> None:
        self.close()
