"""Watch what each submission uses, all its processes together: memory and CPU time.

The resource limits hold for one process each. A submission may keep one core busy; with more
processes than that it is made to pause, so that it takes no time from the one beside it.

Memory is what its processes hold, what its files in memory hold, and what the kernel may hold for
its sockets and for the memory maps of many processes: those are counted as full, because how full
they are can't be seen from outside.
"""

from __future__ import annotations

import os
import re
import signal
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field

TICK = os.sysconf("SC_CLK_TCK")
ROUNDED = 2.5 / TICK
"""Seconds that two figures of the kernel for the same time can lie apart."""
CORES = 1.1
"""How many cores a submission may keep busy."""
BURST = 0.5
"""CPU seconds beyond that before it has to pause."""
STREAM, DATAGRAMS = 2**18, 11 * 2**18
"""Bytes that wait at one socket at most: a sender's buffer, or eleven senders' of datagrams."""
MAPS = 15 * 2**20
"""Bytes for a process of 65,530 memory maps, the most on most machines, and for its page tables."""
UNCOUNTED = 32
"""Processes whose maps fit between where a submission is stopped and what it may use."""
_NOT_OF_FILES = re.compile(rb"^Rss(?:Anon|Shmem):\s*(\d+) kB", re.MULTILINE)
_SHARES = re.compile(rb"^Pss_(?:Anon|Shmem):\s*(\d+) kB", re.MULTILINE)


@dataclass
class Tree:
    """A process with all that descend from it."""

    processes: list[int] = field(default_factory=list)
    threads: dict[int, int] = field(default_factory=dict)
    """Of each process a thread that shows what it holds, which one that has ended doesn't."""
    memory: int = 0
    """Bytes that no file on a disk holds; what is shared counts for each process that has it."""
    tasks: int = 0
    """Its processes, each counted with its threads."""
    spaces: int = 0
    """Its processes that have memory maps: those that haven't ended."""
    cpu: float = 0.0
    """Seconds that its processes have used, those that have ended included."""


@dataclass(frozen=True)
class _Seen:
    """What one look has shown of a process."""

    parent: int
    begun: int
    """When, in clock ticks: an id is given again to another process."""
    own: float
    """Seconds that it has used itself."""
    waited: float
    """Seconds that children have used for which it has waited."""
    runs: bool


@dataclass
class _Account:
    """What is remembered of a tree from one look to the next."""

    at: float = 0.0
    seen: dict[int, _Seen] = field(default_factory=dict)
    lost: float = 0.0
    """Seconds that processes have used for which nobody has waited."""


_accounts: dict[int, _Account] = {}


def trees(roots: set[int]) -> dict[int, Tree]:
    """Return what the processes of the tree below each root process use.

    The kernel adds a child's CPU time to its parent's only if the parent waits for it. So a look
    remembers what it has seen of each process, until the next look at the same root.
    """
    seen, held = {}, {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", "rb") as file:
                words = file.read().rsplit(b")", 1)[1].split()
            ended = words[0] == b"Z" and int(words[17]) > 1
            shown = _of_another_thread(name) if ended else (_held(name), int(name))
            mapped = ended or words[0] != b"Z"
            own, waited = (sum(map(int, words[at : at + 2])) / TICK for at in (11, 13))
            about = int(words[1]), int(words[19]), own, waited, words[0] == b"R"
            seen[int(name)], held[int(name)] = _Seen(*about), (*shown, int(words[17]), mapped)
        except (OSError, ValueError, IndexError):
            continue
    found = {root: Tree() for root in roots}
    for pid in seen:
        root = pid
        while root not in found and root in seen:
            root = seen[root].parent
        if tree := found.get(root):
            tree.processes.append(pid)
            memory, tree.threads[pid], tasks, mapped = held[pid]
            tree.memory += memory
            tree.tasks += tasks
            tree.spaces += mapped
    for root in set(_accounts) - roots:
        del _accounts[root]
    share = _share()
    for root, tree in found.items():
        account = _accounts.setdefault(root, _Account())
        _settle(account, {pid: seen[pid] for pid in tree.processes}, share)
        tree.cpu = sum(each.own + each.waited for each in account.seen.values()) + account.lost
    return found


def _share() -> float:
    """Return the part of a core that a process gets that wants one, as busy as the machine is."""
    try:
        with open("/proc/loadavg", "rb") as file:
            wanting = int(file.read().split()[3].partition(b"/")[0])
    except (OSError, ValueError, IndexError):
        return 1.0
    return min(1.0, (os.cpu_count() or 1) / max(1, wanting - 1))  # we are one of them


def _settle(account: _Account, now: dict[int, _Seen], share: float) -> None:
    """Add what processes have used that are gone since the last look and that nobody waited for.

    Such a process has used what it was last seen to have used and, if it was running then, it is
    taken to have had its `share` of a core until now. That errs to either side and is right on
    average. What is gone is looked for in the time of its nearest ancestor that is still there.
    """
    at, before = time.monotonic(), account.seen
    stays = {pid for pid, each in before.items() if pid in now and now[pid].begun == each.begun}
    gone: dict[int, list[_Seen]] = {}
    for pid, each in before.items():
        if pid not in stays:
            ancestor = each.parent
            while ancestor not in stays and ancestor in before:
                ancestor = before[ancestor].parent
            gone.setdefault(ancestor, []).append(each)
    for ancestor, ended in gone.items():
        used = sum(each.own + each.waited for each in ended)
        paid = now[ancestor].waited - before[ancestor].waited if ancestor in stays else 0.0
        if paid > 0 and paid > used - ROUNDED:
            continue
        used += share * sum(each.runs for each in ended) * (at - account.at)
        account.lost += max(0.0, used - paid)
    account.at, account.seen = at, now


def footprint(root: int, tree: Tree, folders: Sequence[str]) -> int:
    """Return the bytes that a submission holds, kernel and files in memory included.

    `root` is its first process, `tree` what `trees` found below it; its own files in memory lie in
    `folders`.
    """
    shown = tree.threads.get(root, root)
    maps = MAPS * max(0, tree.spaces - UNCOUNTED)
    return tree.memory + _files(shown, folders) + _sockets(shown) + maps


def shares(tree: Tree) -> int:
    """Return the bytes that a tree's processes hold, each page once; slower than `trees`.

    A page that the warm parent and others have too counts in part.
    """
    total = 0
    for thread in tree.threads.values():
        with suppress(OSError):
            total += _kilobytes(_SHARES, f"/proc/{thread}/smaps_rollup")
    return total


def _held(thread: str) -> int:
    return _kilobytes(_NOT_OF_FILES, f"/proc/{thread}/status")


def _of_another_thread(pid: str) -> tuple[int, int]:
    """Return what a process holds whose first thread has ended, and a thread that shows it."""
    found = 0, int(pid)
    for thread in os.listdir(f"/proc/{pid}/task"):
        with suppress(OSError):
            found = max(found, (_held(thread), int(thread)))
    return found


def _files(root: int, folders: Sequence[str]) -> int:
    total = 0
    for folder in folders:
        with suppress(OSError):
            status = os.statvfs(f"/proc/{root}/root{folder}")
            total += (status.f_blocks - status.f_bfree) * status.f_frsize
    return total


def _sockets(root: int) -> int:
    """Return what may wait at the sockets of a network namespace, those in flight included."""
    try:
        with open(f"/proc/{root}/net/unix", "rb") as file:
            kinds = [line.split()[4] for line in file.read().splitlines()[1:]]
    except (OSError, IndexError):
        return 0
    return sum(DATAGRAMS if kind == b"0002" else STREAM for kind in kinds)


def _kilobytes(pattern: re.Pattern[bytes], path: str) -> int:
    with open(path, "rb") as file:
        return sum(1024 * int(kilobytes) for kilobytes in pattern.findall(file.read()))


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
