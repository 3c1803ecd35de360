"""Compile the simulation ahead of its first long run: `python -m perfmodel.queueing.simulation`."""

from perfmodel.engine.object_files import is_kept, loaded
from perfmodel.queueing.simulation.core import LOOPS
from perfmodel.queueing.simulation.selection import scan

if __name__ == "__main__":
    for name, loop in LOOPS.items():
        if is_kept(loop) is None:
            print(f"compiling loop {name + 1} of {len(LOOPS)}, once on this machine", flush=True)
        loaded(loop)
    loaded(scan)
    kept = is_kept(scan)
    where = kept.parent if kept else "compiled, but no folder to keep it in can be written"
    print(f"event simulation: {where}")
