"""Hits of libcachesim and cachetools at given sizes; run by benchmarks/caches.py in its own venv.

Prints JSON: policy, then seconds of processor time and hits of each size. libcachesim reads its own
binary format in machine code, and gets a hash table of the trace's size, with which it is five
times as fast as with its default. Objects have size 1, and their metadata isn't counted.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import cachetools
import libcachesim
import numpy as np

POLICIES = {"LRU": "LRU", "FIFO": "FIFO", "CLOCK": "Clock", "SIEVE": "Sieve", "in-cache LFU": "LFU"}
ROW = np.dtype([("time", "<u4"), ("object", "<u8"), ("size", "<u4"), ("next", "<i8")])


def by_libcachesim(trace: np.ndarray, sizes: list[int], folder: Path) -> dict[str, list[list]]:
    """Return seconds and hits of each size, by policy."""
    rows = np.zeros(trace.size, ROW)
    rows["time"], rows["object"], rows["size"], rows["next"] = range(trace.size), trace + 1, 1, -1
    file = folder / "trace.oracleGeneral.bin"
    rows.tofile(file)
    power = int(np.ceil(np.log2(trace.max() + 2)))
    found = {}
    for policy, name in POLICIES.items():
        found[policy] = []
        for size in sizes:
            reader = libcachesim.TraceReader(str(file), libcachesim.TraceType.ORACLE_GENERAL_TRACE)
            cache = getattr(libcachesim, name)(size, hashpower=power, consider_obj_metadata=False)
            began = time.process_time()
            missed, _ = cache.process_trace(reader)
            seconds = time.process_time() - began
            found[policy].append([seconds, round((1 - missed) * trace.size)])
    return found


def by_cachetools(trace: list[int], sizes: list[int]) -> dict[str, list[list]]:
    """Return the same of the three policies that cachetools shares."""
    kinds = {
        "LRU": cachetools.LRUCache,
        "FIFO": cachetools.FIFOCache,
        "in-cache LFU": cachetools.LFUCache,
    }
    found = {}
    for policy, kind in kinds.items():
        found[policy] = []
        for size in sizes:
            cache, hits = kind(size), 0
            began = time.process_time()
            for new in trace:
                if cache.get(new) is None:
                    cache[new] = True
                else:
                    hits += 1
            found[policy].append([time.process_time() - began, hits])
    return found


if __name__ == "__main__":
    place = Path(sys.argv[1])
    references, asked = np.load(place / "trace.npy"), np.load(place / "sizes.npy").tolist()
    if sys.argv[2] == "libcachesim":
        print(json.dumps(by_libcachesim(references, asked, place)))
    else:
        print(json.dumps(by_cachetools(references.tolist(), asked)))
