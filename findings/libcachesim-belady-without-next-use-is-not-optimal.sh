#!/bin/bash
# libcachesim 0.3.5, seen 2026-11-29.
# Belady needs to know when an object is used next. It takes that from the trace, and formats other
# than oracleGeneral don't hold it. On a CSV trace it runs without an error or a warning, and can
# evict worse than the optimum by far.
# Seen: 1, 2, 3, 4, fifty times, a cache of three: miss ratio 0.755 from CSV, 0.345 from oracleGeneral
# with next uses. A cache of two: 1.0, as LRU, and 0.670.
# Expected: an error where next uses are missing. The ratio is read as the bound of all policies.
set -eu
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; cd "$tmp"
python3 -m venv v; v/bin/pip install -q libcachesim==0.3.5 numpy
cat > t.py <<'P'
import importlib.metadata as md
import libcachesim as sim
import numpy as np
print("libcachesim", md.version("libcachesim"))
assert md.version("libcachesim") == "0.3.5"
trace = [1, 2, 3, 4] * 50
with open("loop.csv", "w") as file:
    file.write("time,obj,size\n" + "".join(f"{i},{x},1\n" for i, x in enumerate(trace)))
rows = np.zeros(200, np.dtype([("t", "<u4"), ("id", "<u8"), ("size", "<u4"), ("next", "<i8")]))
rows["t"], rows["id"], rows["size"] = range(200), trace, 1
rows["next"] = [i + 4 if i + 4 < 200 else -1 for i in range(200)]
rows.tofile("loop.oracleGeneral.bin")
def csv():
    p = sim.ReaderInitParam()
    p.time_field, p.obj_id_field, p.obj_size_field = 1, 2, 3
    p.has_header, p.delimiter = True, ","
    return sim.TraceReader("loop.csv", sim.TraceType.CSV_TRACE, p)
def oracle():
    return sim.TraceReader("loop.oracleGeneral.bin", sim.TraceType.ORACLE_GENERAL_TRACE)
def optimum(size):
    held, misses = set(), 0
    for i, x in enumerate(trace):
        if x not in held:
            misses += 1
            held.add(x)
            if len(held) > size:
                rest = trace[i + 1 :]
                held.remove(max(held - {x}, key=lambda y: rest.index(y) if y in rest else 999))
    return misses / len(trace)
for size in (2, 3):
    lru, plain, known = (
        cache(size).process_trace(reader())[0]
        for cache, reader in ((sim.LRU, csv), (sim.Belady, csv), (sim.Belady, oracle))
    )
    print(f"size {size}: LRU {lru:.3f}, Belady from CSV {plain:.3f}, with next uses {known:.3f},",
          f"optimum {optimum(size):.3f}")
    assert abs(lru - 1) < 1e-9
    assert plain > known + 0.3
    assert abs(known - optimum(size)) < 1e-9
P
v/bin/python t.py
