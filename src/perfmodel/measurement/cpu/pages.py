"""Fresh memory for measuring, in huge pages where the system gives them, and what it gave.

A processor caches the addresses of some thousand pages. With pages of 4 KiB that is a few
megabytes: a random walk through more waits for page tables too. Pages of 2 MiB hide that wait, and
memory that is asked for in them is faster. A system may refuse, or give some: a measurement then
says how much.
"""

from __future__ import annotations

import mmap
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from perfmodel.validation import whole

PAGE = 2 << 20
"""Bytes of a huge page on x86-64, and on most of 64-bit ARM."""

MAPS = Path("/proc/self/smaps")


def fresh(size: int) -> NDArray[np.uint64]:
    """Return zeros that were never touched, for `size` bytes in words of 8, asking for huge pages.

    They begin at a multiple of 2 MiB if they are as long as one page, and of 4 KiB otherwise. Where
    the system knows no such request (macOS, Windows) the pages are those that the system gives.

    >>> words = fresh(4 << 20)
    >>> words.size, words.ctypes.data % PAGE
    (524288, 0)
    """
    words = -(-whole("size", size, 1) // 8)
    unit = PAGE if 8 * words >= PAGE else mmap.PAGESIZE
    # Memory that could be shared with a child gets no huge pages; Windows has no such choice.
    private = getattr(mmap, "MAP_PRIVATE", 0) | getattr(mmap, "MAP_ANONYMOUS", 0)
    room = mmap.mmap(
        -1, -(-8 * words // unit) * unit + unit, **{"flags": private} if private else {}
    )
    advice: Any = getattr(mmap, "MADV_HUGEPAGE", None)
    if advice is not None and unit == PAGE:
        with suppress(OSError):
            room.madvise(advice)
    raw = np.frombuffer(room, np.uint64)
    skip = (-raw.ctypes.data % unit) // 8
    return raw[skip : skip + words]


def huge_page_fraction(array: NDArray[Any], maps: Path = MAPS) -> float | None:
    """Return the share of the memory around an array that lies in huge pages, 0 to 1.

    `array` was touched before; `maps` is the system's list of this process's memory, another one in
    tests. None where the system does not tell.
    """
    try:
        lines = maps.read_text("ascii", "replace").splitlines()
    except OSError:
        return None
    middle = int(array.ctypes.data) + array.nbytes // 2
    inside, there = False, 0
    for line in lines:
        region = re.match(r"([0-9a-f]+)-([0-9a-f]+) ", line)
        if region:
            inside = int(region[1], 16) <= middle < int(region[2], 16)
        elif inside and line.startswith("Rss:"):
            there = int(line.split()[1])
        elif inside and line.startswith("AnonHugePages:") and there:
            return min(1.0, int(line.split()[1]) / there)
    return None


def described(array: NDArray[Any], maps: Path = MAPS) -> str:
    """Return in words what pages hold an array, which decides the cost of loads beyond the caches.

    `array` and `maps` are those of `huge_page_fraction`.

    >>> described(fresh(64), Path("/nowhere"))
    'page size unknown'
    """
    fraction = huge_page_fraction(array, maps)
    if fraction is None:
        return "page size unknown"
    if fraction > 0.95:
        return "huge pages"
    return f"{100 * fraction:.0f} % in huge pages" if fraction > 0.05 else "small pages"
