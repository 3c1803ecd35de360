"""Flows over shared links by SimGrid: reads a case as JSON, prints seconds and the flows' ends.

Run by benchmarks/flows.py with a Python that has SimGrid 4.1. Its network model is the fluid one
without latencies, window limits and cross-traffic, so that it shares links max-min fairly as ours.
"""

import json
import sys
import time

from simgrid import Comm, Engine, LinkInRoute, this_actor


def main() -> None:
    """Build the platform, send every flow at its moment, and note when it ends."""
    with open(sys.argv[1]) as file:
        case = json.load(file)
    quiet = ["--cfg=network/model:CM02", "--cfg=network/crosstraffic:0", "--log=root.thres:error"]
    engine = Engine(
        [sys.argv[0], *quiet, "--cfg=network/weight-S:0", "--cfg=precision/timing:1e-12"]
    )
    zone = engine.netzone_root
    hosts = [zone.add_host(f"host{i}", 1e9).seal() for i in range(case["hosts"])]
    links = [
        zone.add_link(f"link{i}", capacity).set_latency(0).seal()
        for i, capacity in enumerate(case["capacities"])
    ]
    for source, target, route in case["routes"]:
        way = [LinkInRoute(links[i]) for i in route]
        zone.add_route(hosts[source], hosts[target], way, False)
    zone.seal()
    ends = [0.0] * len(case["flows"])

    def send() -> None:
        waiting = []
        for source, target, size, arrival in case["flows"]:
            this_actor.sleep_until(arrival)
            waiting.append(Comm.sendto_async(hosts[source], hosts[target], int(size)))
        for flow, comm in enumerate(waiting):
            comm.wait()
            ends[flow] = comm.finish_time

    hosts[0].add_actor("sender", send)
    began = time.process_time()
    engine.run()
    print(json.dumps([time.process_time() - began, ends]))


if __name__ == "__main__":
    main()
