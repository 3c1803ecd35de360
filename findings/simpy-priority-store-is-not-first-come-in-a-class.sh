#!/bin/bash
# SimPy 4.1.2, seen 2026-11-29.
# PriorityStore hands out items of equal priority in the order of its heap, not in that of their arrival.
# Seen: ten jobs of one priority, put in the order 0 to 9, come out as 0 2 6 9 8 5 7 4 1 3. One server of
# 10 s and a job each second: job 2 is served ninth and waits 78 s, job 9 fifth. By PriorityResource job 2 waits 18 s.
# Expected: first come, first served within a priority, as in PriorityResource and as the priority queues of
# textbooks. The documentation says that the smallest item is retrieved first and is silent on equal ones.
# Misleads whoever models priority classes with it: mean waits are right, but their spread and p99 are not.
set -eu
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; cd "$tmp"
python3 -m venv v; v/bin/pip install -q simpy==4.1.2
cat > t.py <<'P'
import importlib.metadata as md
import simpy
print("simpy", md.version("simpy"))
assert md.version("simpy") == "4.1.2"
def at_once():
    env = simpy.Environment()
    store = simpy.PriorityStore(env)
    for job in range(10):
        store.put(simpy.PriorityItem(1, job))
    out = []
    def server():
        for _ in range(10):
            out.append((yield store.get()).item)
    env.process(server())
    env.run()
    return out
def by_store():
    env = simpy.Environment()
    store = simpy.PriorityStore(env)
    starts = {}
    def source():
        for job in range(10):
            yield store.put(simpy.PriorityItem(1, job))
            yield env.timeout(1)
    def server():
        for _ in range(10):
            item = yield store.get()
            starts[item.item] = env.now
            yield env.timeout(10)
    env.process(source())
    env.process(server())
    env.run()
    return starts
def by_resource():
    env = simpy.Environment()
    one = simpy.PriorityResource(env, 1)
    starts = {}
    def customer(job):
        yield env.timeout(job)
        with one.request(priority=1) as turn:
            yield turn
            starts[job] = env.now
            yield env.timeout(10)
    for job in range(10):
        env.process(customer(job))
    env.run()
    return starts
first = at_once()
print("put at once, taken:", first)
store, resource = by_store(), by_resource()
for name, starts in (("store", store), ("resource", resource)):
    waits = [starts[job] - job for job in range(10)]
    print(f"{name}: order {list(starts)}, waits {waits}, their sum {sum(waits)}")
assert first == [0, 2, 6, 9, 8, 5, 7, 4, 1, 3]
assert list(resource) == list(range(10))
assert list(store) == [0, 1, 3, 7, 9, 6, 8, 5, 2, 4]
assert (store[2] - 2, resource[2] - 2) == (78, 18)
assert sum(store.values()) == sum(resource.values())
P
v/bin/python t.py
