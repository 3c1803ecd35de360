"""A task graph of benchmarks/pipelines.py played by SimPy; runs in the peers' environment.

`play_tasks.py GRAPH.npz ENDS.npy` reads the arrays of a graph whose stages take their tasks in
order, writes when each task ends, and prints the seconds of processor time from the arrays to the
ends. A stage is a process that goes through its tasks, a message an event, a buffer a Container.
"""

from __future__ import annotations

import sys
import time

import numpy as np
import simpy


def played(order, duration, waits, takes, gives, buffers):
    """Return the ends of all tasks."""
    env = simpy.Environment()
    ended = [env.event() for _ in duration]
    ends = [0.0] * len(duration)
    held = [simpy.Container(env) for _ in range(buffers)]

    def stage(tasks):
        for task in tasks:
            for other, lag in waits[task]:
                yield ended[other]
                if ends[other] + lag > env.now:
                    yield env.timeout(ends[other] + lag - env.now)
            for buffer, units in takes[task]:
                yield held[buffer].put(units)
            yield env.timeout(duration[task])
            for buffer, units in gives[task]:
                yield held[buffer].get(units)
            ends[task] = env.now
            ended[task].succeed()

    for tasks in order:
        env.process(stage(tasks))
    env.run()
    return ends


def gathered(keys, values, count):
    """Return a list of the values of each key."""
    lists = [[] for _ in range(count)]
    for key, value in zip(keys, values, strict=True):
        lists[key].append(value)
    return lists


def main():
    """Read, play, write, print."""
    graph = {name: array.tolist() for name, array in np.load(sys.argv[1]).items()}
    began = time.process_time()
    count = len(graph["stage"])
    stages = max(graph["stage"]) + 1
    by_priority = sorted(range(count), key=graph["priority"].__getitem__)
    order = gathered([graph["stage"][task] for task in by_priority], by_priority, stages)
    first, second = zip(*graph["edges"], strict=True)
    waits = gathered(second, zip(first, graph["lag"], strict=True), count)
    units = list(zip(graph["buffer"], graph["units"], strict=True))
    takes, gives = (gathered(graph[name], units, count) for name in ("first", "last"))
    ends = played(order, graph["duration"], waits, takes, gives, max(graph["buffer"]) + 1)
    print(time.process_time() - began)
    np.save(sys.argv[2], ends)


if __name__ == "__main__":
    main()
