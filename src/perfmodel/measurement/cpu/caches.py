"""Sizes of the data caches: from the operating system, or a labelled assumption."""

from __future__ import annotations

import platform
import subprocess
from dataclasses import dataclass
from pathlib import Path

from perfmodel.measurement.load import SYSTEM, usable_cores
from perfmodel.measurement.provenance import Cache, caches_in, host

ASSUMED_SIZES = ((1, 32 << 10), (2, 1 << 20), (3, 32 << 20))
"""Level and bytes of the caches of a common processor, where the system shows none."""

ASSUMED_LINE = 64
"""Bytes of a cache line, where the system shows none."""


@dataclass(frozen=True)
class CacheLevel:
    """One level of data cache as one core sees it."""

    level: int
    size: int
    """Bytes that one core can reach."""
    cores: int
    """Logical cores that share it; 0 where that is unknown."""


@dataclass(frozen=True)
class Hierarchy:
    """The data caches of a core, closest first, and the source of this knowledge."""

    levels: tuple[CacheLevel, ...]
    line: int
    """Bytes of a cache line."""
    source: str
    """`sysfs`, `sysctl`, or `assumed`: then every size chosen from it is a guess."""
    note: str = ""
    """What the system doesn't show, or shows of one core alone; empty if nothing is in doubt."""

    def size(self, level: int) -> int | None:
        """Return the bytes of a level's cache that one core can reach; None if it has none."""
        return next((one.size for one in self.levels if one.level == level), None)

    def last_level(self, threads: int = 1) -> int:
        """Return the bytes of last-level cache that `threads` cores can hold data in.

        Cores that share one cache count it once; where the sharing is unknown, all do.

        >>> split = Hierarchy((CacheLevel(3, 32 << 20, 8),), 64, "sysfs")
        >>> split.last_level(1) >> 20, split.last_level(9) >> 20
        (32, 64)
        """
        last = self.levels[-1]
        instances = -(-threads // last.cores) if last.cores else 1
        return last.size * instances


def hierarchy(root: Path = SYSTEM) -> Hierarchy:
    """Return the data caches of the first core, with the largest last level of any core.

    They are read in `sys` below `root`; the `source` says `assumed` where the system shows no
    cache. A virtual machine shows what its hypervisor lets it see: a shared cache may be listed in
    full although neighbours use it too, or not at all, which `note` says. It also says where cores
    differ, as the fast and slow ones of a hybrid processor do.

    Examples
    --------
    >>> here = hierarchy()
    >>> here.levels[0].level, here.line >= 16
    (1, True)
    """
    linux = _sysfs(root)
    if linux:
        return linux
    return (platform.system() == "Darwin" and _sysctl()) or _assumed()


def memory_nodes(root: Path = SYSTEM) -> int:
    """Return the parts of memory that are near to different cores; 1 where none are shown.

    `root` is the folder that holds `sys`, another one in tests.
    """
    return max(1, len(list((root / "sys/devices/system/node").glob("node[0-9]*"))))


def _sysfs(root: Path) -> Hierarchy | None:
    first = _levels(host(root).caches)
    if not first:
        return None
    folders = (root / "sys/devices/system/cpu").glob("cpu[0-9]*/cache")
    kinds = {first} | {result for item in folders if (result := _levels(caches_in(item)))}
    last = max((levels[-1] for levels in kinds), key=lambda item: (item.level, item.size))
    notes = []
    if len(kinds) > 1:
        notes.append(
            f"cores have {len(kinds)} kinds of caches: sizes are those of core 0, the last level "
            "is the largest"
        )
    if last.level < 3:
        notes.append(f"no L3 is shown, which a hypervisor may hide; L{last.level} is the last")
    inner = tuple(item for item in first if item.level < last.level)
    return Hierarchy((*inner, last), _line(root), "sysfs", "; ".join(notes))


def _levels(caches: tuple[Cache, ...]) -> tuple[CacheLevel, ...]:
    data = [cache for cache in caches if cache.kind != "Instruction" and cache.size > 0]
    return tuple(
        sorted((CacheLevel(c.level, c.size, c.cores) for c in data), key=lambda cache: cache.level)
    )


def _line(root: Path) -> int:
    path = root / "sys/devices/system/cpu/cpu0/cache/index0/coherency_line_size"
    try:
        return int(path.read_text("ascii"))
    except (OSError, ValueError):
        return ASSUMED_LINE


def _sysctl() -> Hierarchy | None:
    """Return the caches of the performance cores of a Mac; an L3 only Intel ones have."""
    levels = []
    for level, names in enumerate(
        (
            ("hw.perflevel0.l1dcachesize", "hw.l1dcachesize"),
            ("hw.perflevel0.l2cachesize", "hw.l2cachesize"),
            ("hw.l3cachesize",),
        ),
        start=1,
    ):
        size = next(filter(None, map(_asked, names)), 0)
        if size:
            levels.append(CacheLevel(level, size, 1 if level == 1 else _sharing(level)))
    line = _asked("hw.cachelinesize") or ASSUMED_LINE
    return Hierarchy(tuple(levels), line, "sysctl") if levels else None


def _sharing(level: int) -> int:
    return _asked(f"hw.perflevel0.cpusperl{level}")


def _asked(name: str) -> int:
    command = ["/usr/sbin/sysctl", "-n", name]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return 0
    return int(answer) if answer.strip().isdecimal() else 0


def _assumed() -> Hierarchy:
    cores = usable_cores()
    levels = [CacheLevel(n, size, cores if n == 3 else 1) for n, size in ASSUMED_SIZES]
    return Hierarchy(tuple(levels), ASSUMED_LINE, "assumed")
