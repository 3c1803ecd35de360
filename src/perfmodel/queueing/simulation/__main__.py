"""Compile the simulation ahead of its first long run: `python -m perfmodel.queueing.simulation`."""

from perfmodel.queueing.simulation.core import advance
from perfmodel.queueing.simulation.loading import is_kept, loaded
from perfmodel.queueing.simulation.selection import Query, Series, scan
from perfmodel.queueing.simulation.state import Plan, State

if __name__ == "__main__":
    if is_kept(advance) is None or is_kept(scan) is None:
        print("compiling the event simulation, once: about ten seconds", flush=True)
    loaded(advance, (Plan, State))
    loaded(scan, (Query, Series))
    kept = is_kept(advance)
    print(f"event simulation: {kept or 'compiled, but no folder to keep it in can be written'}")
