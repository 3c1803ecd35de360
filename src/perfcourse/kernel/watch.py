"""Watch what each submission uses, all its processes together: memory and CPU time.

The resource limits hold for one process each. A submission may keep one core busy; with more
processes than that it is made to pause, so that it takes no time from the one beside it.
"""

from __future__ import annotations

import os
import re
import signal
import time
from contextlib import suppress
from dataclasses import dataclass, field

TICK = os.sysconf("SC_CLK_TCK")
CORES = 1.1
"""How many cores a submission may keep busy."""
BURST = 0.5
"""CPU seconds beyond that before it has to pause."""
_NOT_OF_FILES = re.compile(rb"^Rss(?:Anon|Shmem):\s*(\d+) kB", re.MULTILINE)


@dataclass
class Tree:
    """A process with all that descend from it."""

    processes: list[int] = field(default_factory=list)
    memory: int = 0
    """Bytes, beyond those it shares with the warm parent."""
    cpu: float = 0.0
    """Seconds that its living processes, and those they waited for, have used."""


def trees(roots: set[int]) -> dict[int, Tree]:
    """Return what the tree below each root process uses."""
    own = _own_memory("self")
    parents, used = {}, {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", "rb") as file:
                words = file.read().rsplit(b")", 1)[1].split()
            parents[int(name)] = int(words[1])
            used[int(name)] = max(0, _own_memory(name) - own), sum(map(int, words[11:15])) / TICK
        except (OSError, ValueError, IndexError):
            continue
    found = {root: Tree() for root in roots}
    for pid, (memory, cpu) in used.items():
        root = pid
        while root not in found and root in parents:
            root = parents[root]
        if tree := found.get(root):
            tree.processes.append(pid)
            tree.memory += memory
            tree.cpu += cpu
    return found


def _own_memory(name: str) -> int:
    """Return the bytes that no file holds: private ones, and memory shared between processes."""
    with open(f"/proc/{name}/status", "rb") as file:
        return sum(1024 * int(kilobytes) for kilobytes in _NOT_OF_FILES.findall(file.read()))


class Pacer:
    """Makes submissions pause that use more than their share of the CPU."""

    def __init__(self) -> None:
        self._at = time.monotonic()
        self._cpu: dict[int, float] = {}
        self._debt: dict[int, float] = {}
        self._paused: set[int] = set()

    def pace(self, found: dict[int, Tree]) -> None:
        """Look at the trees' CPU time; stop those in debt, let those go on that have paid it."""
        now = time.monotonic()
        allowed, self._at = CORES * (now - self._at), now
        for root, tree in found.items():
            spent = max(0.0, tree.cpu - self._cpu.get(root, tree.cpu))
            self._debt[root] = max(-BURST, self._debt.get(root, 0.0) + spent - allowed)
            self._cpu[root] = tree.cpu
            if self._debt[root] > BURST:
                self._paused.add(root)
                _signal(tree, signal.SIGSTOP)
            elif root in self._paused and self._debt[root] <= 0:
                self._paused.remove(root)
                _signal(tree, signal.SIGCONT)
        for gone in set(self._cpu) - set(found):
            del self._cpu[gone], self._debt[gone]
            self._paused.discard(gone)


def _signal(tree: Tree, number: signal.Signals) -> None:
    for pid in tree.processes:
        with suppress(OSError):
            os.kill(pid, number)
