#!/bin/bash
# pycachesim 0.3.1, seen 2026-11-29.
# The byte counts between caches are those of the loads that missed, not of the lines that were moved.
# Seen: 1,000 loads of 8 bytes, one after the other, into a cache of 64-byte lines: 125 misses, and memory's LOAD_byte is
# 1,000. One load of 8 bytes across two lines: 16 bytes from memory.
# Expected: 125 lines of 64 bytes, 8,000 bytes. Misleads whoever feeds LOAD_byte into a roofline or divides it by a
# bandwidth: the traffic of a stream is 8 times too small.
set -eu
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; cd "$tmp"
python3 -m venv v; v/bin/pip install -q pycachesim==0.3.1 2> /dev/null
cat > t.py <<'P'
import importlib.metadata as md
from cachesim import Cache, CacheSimulator, MainMemory
print("pycachesim", md.version("pycachesim"))
assert md.version("pycachesim") == "0.3.1"
def loads(addresses):
    memory, cache = MainMemory(), Cache("L1", 64, 8, 64, "LRU")
    memory.load_to(cache)
    memory.store_from(cache)
    simulator = CacheSimulator(cache, memory)
    for address in addresses:
        simulator.load(address, length=8)
    first, last = simulator.stats()
    print(f"misses {first['MISS_count']}, from memory {last['LOAD_count']} loads of {last['LOAD_byte']} bytes in all")
    return first["MISS_count"], last["LOAD_count"], last["LOAD_byte"]
assert loads(range(0, 8000, 8)) == (125, 125, 1000)
assert loads([60]) == (2, 2, 16)
P
v/bin/python t.py
