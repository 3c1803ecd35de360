"""The models of benchmarks/simulation.py in Ciw, SimPy and LINE; runs in the peers' environment.

`simulate.py PEER MODEL CUSTOMERS SEED` prints JSON: mean response time, half width, percentiles,
customers completed and seconds of processor time, start of Python and imports left out.
"""

from __future__ import annotations

import heapq
import itertools
import json
import math
import random
import resource
import sys
import time

import numpy as np

BALANCED = 0.5 + 0.5 * math.sqrt(3 / 5)
"""Share of the short jobs in a hyperexponential law of mean 1, scv 4 and balanced means."""
RATES = {"M/M/1": 0.8, "M/M/4": 3.2, "tandem of 3": 0.8, "M/G/1-PS": 0.8, "M/G/1-SRPT": 0.8}
STATIONS = {"tandem of 3": 3, "closed N = 20": 3, "closed, routed": 3}
POPULATION = 20


def hyperexponential(rng):
    """Draw a service time of mean 1 and scv 4."""
    share = BALANCED if rng.random() < BALANCED else 1 - BALANCED
    return rng.expovariate(2 * share)


def summary(responses):
    """Return mean, half width of 20 batches and percentiles of response times."""
    x = np.array(responses)
    batches = x[x.size % 20 :].reshape(20, -1).mean(axis=1)
    half = 2.093 * batches.std(ddof=1) / math.sqrt(20)
    return float(batches.mean()), float(half), np.percentile(x, [50, 90, 95, 99]).tolist()


def cycles(visits):
    """Return the response times of cycles of three visits; a visit is (node, arrival, exit)."""
    return [visits[i + 2][2] - visits[i][1] for i in range(0, len(visits) - 2, 3)]


def routed_cycles(visits):
    """Return those of cycles that end before every other visit to the first node."""
    times, start = [], visits[0][1]
    for (_, _, end), (node, arrival, _) in itertools.pairwise(visits):
        if node == 1 and random.random() < 0.5:
            times.append(end - start)
            start = arrival
    return times


def ciw_run(model, customers, seed):
    """Simulate in Ciw."""
    import ciw

    stations = STATIONS.get(model, 1)
    law = ciw.dists.Exponential(rate=1.0)
    if "G" in model:
        shares = [BALANCED, 1 - BALANCED]
        law = ciw.dists.HyperExponential(rates=[2 * s for s in shares], probs=shares)
    closed = model.startswith("closed")
    first = ciw.dists.Sequential([0.0, float("inf")]) if closed else None
    arrivals = [first or ciw.dists.Exponential(rate=RATES[model]), *[None] * (stations - 1)]
    routing = [[float(j == i + 1) for j in range(stations)] for i in range(stations)]
    more = {}
    if model == "closed, routed":
        routing = [[0.5, 0.25, 0.25]] * 3
    if closed:
        routing[-1][0] = routing[-1][0] or 1.0
        batch = ciw.dists.Deterministic(value=POPULATION)
        more["batching_distributions"] = [batch, *[ciw.dists.Deterministic(value=1)] * 2]
    servers = float("inf") if model == "M/G/1-PS" else 4 if model == "M/M/4" else 1
    if model == "M/G/1-PS":
        more["ps_thresholds"] = [1]
    network = ciw.create_network(
        arrival_distributions=arrivals,
        service_distributions=[law] * stations,
        number_of_servers=[servers] * stations,
        routing=routing,
        **more,
    )
    began = time.process_time()
    ciw.seed(seed)
    node = {"node_class": ciw.PSNode} if model == "M/G/1-PS" else {}
    simulation = ciw.Simulation(network, **node)
    if closed:
        longest = 2 if model == "closed, routed" else (POPULATION + 2) / POPULATION
        simulation.simulate_until_max_time(customers * longest)
        records = simulation.get_all_records()
        ends = {}
        for r in sorted(records, key=lambda r: r.exit_date):
            ends.setdefault(r.id_number, []).append((r.node, r.arrival_date, r.exit_date))
        responses = [
            span
            for visits in ends.values()
            for span in (routed_cycles if model == "closed, routed" else cycles)(visits)
        ]
    else:
        simulation.simulate_until_max_customers(customers, method="Complete")
        spans = {}
        for r in simulation.get_all_records():
            start, end = spans.get(r.id_number, (math.inf, 0.0))
            spans[r.id_number] = (min(start, r.arrival_date), max(end, r.exit_date))
        responses = [end - start for end, start in sorted((e, s) for s, e in spans.values())]
    found = summary(responses)
    return found, len(responses), time.process_time() - began


def simpy_run(model, customers, seed):
    """Simulate in SimPy."""
    import simpy

    rng, responses = random.Random(seed), []
    began = time.process_time()
    env = simpy.Environment()
    over = env.event()

    def ended(start):
        responses.append(env.now - start)
        if len(responses) == customers:
            over.succeed()

    def stages(resources):
        start = env.now
        for resource_ in resources:
            with resource_.request() as turn:
                yield turn
                yield env.timeout(rng.expovariate(1.0))
        ended(start)

    def routed(resources):
        start, at = env.now, 0
        while at < len(resources):
            with resources[at].request() as turn:
                yield turn
                yield env.timeout(rng.expovariate(1.0))
            at = rng.randrange(len(resources) + 1)
        ended(start)

    def forever(resources):
        while True:
            yield from (routed if model == "closed, routed" else stages)(resources)

    def served(server):
        start, done = env.now, env.event()
        server.put((hyperexponential(rng), done))
        yield done
        ended(start)

    def arrivals(job):
        while True:
            yield env.timeout(rng.expovariate(RATES[model]))
            env.process(job())

    if model.startswith("closed"):
        resources = [simpy.Resource(env) for _ in range(3)]
        for _ in range(POPULATION):
            env.process(forever(resources))
    elif model in SERVERS:
        server = simpy.Store(env)
        env.process(SERVERS[model](env, server))
        env.process(arrivals(lambda: served(server)))
    else:
        servers = 4 if model == "M/M/4" else 1
        resources = [simpy.Resource(env, servers) for _ in range(STATIONS.get(model, 1))]
        env.process(arrivals(lambda: stages(resources)))
    env.run(until=over)
    return summary(responses), len(responses), time.process_time() - began


def sharing(env, server):
    """Serve all jobs at once: a heap of virtual finishing times and the events that end them."""
    heap, virtual, count = [], 0.0, 0
    coming = server.get()
    while True:
        since = env.now
        if heap:
            yield coming | env.timeout(max(heap[0][0] - virtual, 0.0) * len(heap))
            virtual += (env.now - since) / len(heap)
        else:
            yield coming
            virtual = 0.0
        if coming.processed:
            count += 1
            size, done = coming.value
            heapq.heappush(heap, (virtual + size, count, done))
            coming = server.get()
        while heap and heap[0][0] <= virtual + 1e-9:
            heapq.heappop(heap)[2].succeed()


def shortest_first(env, server):
    """Serve the job with the shortest remaining time: a heap of what is left of each."""
    heap, count = [], 0
    coming = server.get()
    while True:
        since = env.now
        if heap:
            yield coming | env.timeout(heap[0][0])
            left, number, done = heap[0]
            left -= env.now - since
            if left <= 1e-9:
                heapq.heappop(heap)
                done.succeed()
            else:
                heapq.heapreplace(heap, (left, number, done))
        else:
            yield coming
        if coming.processed:
            count += 1
            size, done = coming.value
            heapq.heappush(heap, (size, count, done))
            coming = server.get()


SERVERS = {"M/G/1-PS": sharing, "M/G/1-SRPT": shortest_first}
"""Disciplines that SimPy has no resource for; a customer is a process there too, as in its docs."""


def line_run(model, customers, seed):
    """Simulate in LINE's discrete-event solver, which runs as a process of its own."""
    import line_solver as line

    network = line.Network("model")
    stations = STATIONS.get(model, 1)
    policy = {"M/G/1-PS": "PS", "M/G/1-SRPT": "SRPT"}.get(model, "FCFS")
    policy = getattr(line.SchedStrategy, policy)
    shares = (BALANCED, 1 - BALANCED)
    law = line.HyperExp(shares[0], 2 * shares[0], 2 * shares[1]) if "G" in model else line.Exp(1.0)
    if model.startswith("closed"):
        queues = [line.Queue(network, f"q{i}", policy) for i in range(stations)]
        job = line.ClosedClass(network, "job", POPULATION, queues[0])
        chain = queues
    else:
        source = line.Source(network, "source")
        queues = [line.Queue(network, f"q{i}", policy) for i in range(stations)]
        sink = line.Sink(network, "sink")
        job = line.OpenClass(network, "job")
        source.setArrival(job, line.Exp(RATES[model]))
        chain = [source, *queues, sink]
    for queue in queues:
        queue.setService(job, law)
        if model == "M/M/4":
            queue.setNumberOfServers(4)
    if model == "closed, routed":
        routes = network.initRoutingMatrix()
        for origin in queues:
            for j, goal in enumerate(queues):
                routes.set(job, job, origin, goal, 0.5 if j == 0 else 0.25)
        network.link(routes)
    else:
        network.link(line.Network.serialRouting(*chain))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    completions = customers * (4 if model == "closed, routed" else stations)
    table = line.SolverLDES(network, samples=completions, seed=seed, verbose=False).getAvgTable()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    mean = float(table["RespT"][table["Station"].str.startswith("q")].sum())
    return (mean, 0.0, []), customers, spent


if __name__ == "__main__":
    peer, model, customers, seed = sys.argv[1:]
    run = {"Ciw": ciw_run, "SimPy": simpy_run, "LINE": line_run}[peer]
    (mean, half, percentiles), done, seconds = run(model, int(customers), int(seed))
    print(json.dumps([mean, half, percentiles, done, seconds]))
