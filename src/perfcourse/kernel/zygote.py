"""The warm parent: loads the libraries once, forks one shut-in child for each submission.

Runs inside bubblewrap and holds no submission and no secret. The grader sends one line a command
over a socket, `fork ID UID HIDE` with the child's end of a new channel attached, or `kill ID`; it
gets back `up`, `gone ID REASON` and `failed ID REASON` lines. A child that uses more memory than
it may, all its processes together, is killed here; one that uses too many cores has to pause.
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import json
import os
import pkgutil
import select
import signal
import socket
import sys
import time
import types
from dataclasses import dataclass, field
from multiprocessing import process
from typing import Any

from perfcourse.kernel import agent, isolate, student
from perfcourse.kernel.locks import be_patient
from perfcourse.kernel.watch import Pacer, footprint, shares, trees
from perfcourse.kernel.wire import Channel

_WARM_UP = "import matplotlib.pyplot as plt\nplt.close(plt.figure())"
_MAGICS = "%matplotlib inline", "%time None"
"""What many notebooks use, and IPython loads when it's first used."""
WATCH_EVERY, WATCH_CLOSELY = 0.05, 0.005
"""Seconds between two looks at what submissions use; the shorter where one uses much."""
ALMOST, ROUGHLY = 0.9, 0.5
"""The part of the limit on CPU time from which a killed process counts as killed by it, and seconds
below that: at the limit the kernel counts clock ticks, which are a sample of what was used."""
PRACTICE = 16
"""Cells, and answers of each kind, after which Python has made its code as fast as it can."""
MUCH = 0.5
"""The part of what a submission may hold above which it is looked at closely."""


@dataclass
class Zygote:
    """The warm parent's state: its control socket, the shell to fork, the children alive."""

    control: socket.socket
    shell: Any
    limits: isolate.Limits
    folders: tuple[str, ...]
    """Covered by an empty tmpfs of the submission's own."""
    kept: tuple[str, ...]
    """What of Python lies in one of them and is needed all the same."""
    hidden: tuple[str, ...]
    """The source of packages, covered too where functions of theirs are withheld."""
    isolated: bool
    data: str = ""
    """A folder whose files each submission finds in its own."""
    children: dict[int, str] = field(default_factory=dict)
    reasons: dict[int, str] = field(default_factory=dict)
    pacer: Pacer = field(default_factory=Pacer)
    pause: float = WATCH_EVERY
    look_at: float = 0.0
    """When to look again at what the children use, by `time.monotonic`."""

    def run(self) -> None:
        """Serve until the grader closes the control socket."""
        wake, woken = os.pipe()
        os.set_blocking(woken, False)
        sources: list[Any] = [self.control, wake]
        signal.signal(signal.SIGCHLD, lambda number, frame: None)
        signal.set_wakeup_fd(woken, warn_on_full_buffer=False)
        self.control.sendall(b"up\n")
        while True:
            wait = max(0.0, self.look_at - time.monotonic()) if self.children else None
            ready, _, _ = select.select(sources, [], [], wait)
            if wake in ready:
                os.read(wake, 4096)
            if self.control in ready and not self._command():
                return
            self._reap()
            if time.monotonic() >= self.look_at:
                self._watch()
                self.look_at = time.monotonic() + self.pause

    def _command(self) -> bool:
        try:
            data, ends, _, _ = socket.recv_fds(self.control, 4096, 1)
        except OSError:
            data, ends = b"", []
        if not data:
            return False
        word, name, *rest = data.decode().split()
        if word == "fork":
            self._fork(name, int(rest[0]), ends[0], rest[1] == "1")
            os.close(ends[0])
        elif word == "kill":
            for pid in [pid for pid, called in self.children.items() if called == name]:
                self._stop(pid, self.reasons.get(pid, "stopped"))
        return True

    def _fork(self, name: str, uid: int, end: int, hide: bool) -> None:
        try:
            pid = isolate.fork_apart(uid or None) if self.isolated else os.fork()
        except OSError as error:
            self._tell("failed", name, str(error)[:200])
            return
        if pid == 0:
            try:
                _run_submission(self, end, hide)
            finally:
                os._exit(1)
        self.children[pid] = name

    def _reap(self) -> None:
        while self.children:
            try:
                pid, status, usage = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if pid in self.children:
                number, why = os.waitstatus_to_exitcode(status), self.reasons.pop(pid, "")
                if number == -signal.SIGKILL and not why:
                    used = usage.ru_utime + usage.ru_stime
                    if used > ALMOST * self.limits.cpu - ROUGHLY:
                        why = isolate.OUT_OF_CPU
                stopped = why and number == -signal.SIGKILL  # else it ended before it was stopped
                self._tell("gone", self.children.pop(pid), why if stopped else f"exit {number}")

    def _watch(self) -> None:
        if not self.children or not os.path.isdir("/proc/self"):
            return
        found, self.pause = trees(set(self.children)), WATCH_EVERY
        for pid, tree in found.items():
            if tree.tasks > 2 * self.limits.processes:
                self._stop(pid, "too many processes")
                continue
            held = footprint(pid, tree, self.folders)
            if held > MUCH * self.limits.held:
                held += min(0, (shares(tree) or tree.memory) - tree.memory)
            if held > MUCH * self.limits.held or tree.tasks > MUCH * self.limits.processes:
                self.pause = WATCH_CLOSELY
            if held > self.limits.held:
                self._stop(pid, "out of memory")
        self.pacer.pace(found)

    def _stop(self, pid: int, why: str) -> None:
        self.reasons[pid] = why
        os.kill(pid, signal.SIGKILL)

    def _tell(self, *words: str) -> None:
        self.control.sendall(" ".join(words).encode() + b"\n")


def _run_submission(zygote: Zygote, end: int, hide: bool) -> None:
    signal.set_wakeup_fd(-1)
    os.setsid()
    os.nice(5)
    for number in (signal.SIGCHLD, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.dup2(end, 3)
    os.closerange(4, 4096)
    channel = Channel(socket.socket(fileno=3), inside=True)
    try:
        agent.silence()
        if zygote.isolated:
            hidden = zygote.hidden if hide else ()
            isolate.shut_in(zygote.limits, (*zygote.folders, *hidden), zygote.kept)
            os.chdir(os.environ["HOME"])
            for name in os.listdir(zygote.data) if zygote.data else ():
                os.symlink(f"{zygote.data}/{name}", name)
            process.ORIGINAL_DIR = os.getcwd()  # type: ignore[attr-defined]
        else:
            isolate.apply_limits(zygote.limits)
            os.chdir(zygote.data or ".")
    except BaseException as error:
        channel.send({"failed": f"{type(error).__name__}: {error}"}, agent.FOREVER)
        os._exit(1)
    sys.path.insert(0, "")  # as in Jupyter: what the notebook writes beside it can be imported
    channel.send({"ready": True}, agent.FOREVER)
    agent.serve(channel, zygote.shell)
    os._exit(0)


def preload(names: list[str]) -> None:
    """Import what notebooks import, so that children have it already; skip what isn't there."""
    for name in names:
        try:
            module = importlib.import_module(name)
        except Exception:  # named by a submission: what it is, that one finds out by itself
            continue
        if name.startswith("perfmodel."):
            for public in getattr(module, "__all__", ()):  # a topic loads its names when asked
                getattr(module, public, None)
        if name == "perfmodel":
            for info in pkgutil.walk_packages(module.__path__, "perfmodel."):
                try:
                    importlib.import_module(info.name)
                except ImportError:
                    continue


def practise(shell: Any) -> None:
    """Answer as a submission's process does, so that what this loads and writes is done already."""
    asking, answering = socket.socketpair()
    with asking, answering:
        grader = Channel(asking)
        run = {"op": "run", "parameters": {}, "withheld": [], "seconds": 60.0, "together": 60.0}
        get = {"op": "get", "name": "twice", "figure": False, "seconds": 60.0}
        call = {"op": "call", "name": "twice", "seconds": 60.0}
        grader.keep({**run, "cells": [*_MAGICS, *["def twice(x):\n    return 2 * x"] * PRACTICE]})
        for _ in range(PRACTICE):
            grader.keep(get)
        grader.keep({**call, "calls": [[1.5], [[1, 2]], [[0.5, 1.5]]] * PRACTICE})
        grader.flush(agent.FOREVER)
        asking.shutdown(socket.SHUT_WR)
        agent.serve(Channel(answering, inside=True), shell)


def main() -> None:
    """Read the settings from the command line, warm up, serve."""
    settings = json.loads(sys.argv[1])
    control = socket.socket(fileno=settings["control"])
    os.set_inheritable(settings["control"], False)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(isolate.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    sys.modules["perfcourse"].checker = student.checker  # type: ignore[attr-defined]
    if settings["isolated"]:
        be_patient()
        isolate.get_ready()
        load = os.getloadavg()
        os.getloadavg = lambda: load  # the call behind it is refused to submissions
    shell = agent.make_shell()
    preload(settings["preload"])
    if "matplotlib" in sys.modules:
        agent.know_inline_backend(shell)
    if "matplotlib.pyplot" in sys.modules:
        shell.run_cell(_WARM_UP, store_history=False)
    practise(shell)
    shell.reset()
    shell.user_ns.update(vars(types.ModuleType("__main__")))  # __spec__, which spawn reads
    agent.make_streams()
    gc.collect()
    gc.freeze()
    limits = isolate.Limits(**settings["limits"])
    Zygote(
        control,
        shell,
        limits,
        tuple(settings["folders"]),
        tuple(settings["kept"]),
        tuple(settings["hidden"]),
        settings["isolated"],
        settings["data"],
    ).run()


if __name__ == "__main__":
    main()
