#!/bin/bash
# jmarkov 0.3.13, seen 2026-11-29.
# mmk, "an M/M/k queue", adds up the first hundred states only: numbers and times miss all states with more customers.
# No argument, message or warning says so.
# Seen: 50 servers with service of mean 1, 98 % busy: time in the system 0.91, less than the service alone (exact 1.84).
# One server, 99 % busy: 26.2 customers (exact 99). 100 servers, 95 % busy: nobody ever waits (exact 9.6).
# Expected: the values of the formula of Erlang, as for small queues, where they agree. Misleads whoever sizes a large
# or busy group of servers: the nearer to overload and the larger the group, the better it looks.
set -eu
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; cd "$tmp"
python3 -m venv v; v/bin/pip install -q --no-deps --no-compile jmarkov==0.3.13 numpy==2.4.6 scipy==1.17.1
cat > t.py <<'P'
import importlib.metadata as md
from jmarkov.queue.mmk import mmk
print("jmarkov", md.version("jmarkov"))
assert md.version("jmarkov") == "0.3.13"
def exact_waiting(servers, offered):
    lost = 1.0
    for one in range(1, servers + 1):  # Erlang B, then C
        lost = offered * lost / (one + offered * lost)
    waits = lost / (1 - offered / servers * (1 - lost))
    return waits * offered / (servers - offered)
def compare(servers, busy):
    offered = servers * busy
    queue = mmk(servers, offered, 1.0)
    waiting, system, time = (
        float(value)
        for value in (queue.mean_number_entities_queue(), queue.mean_number_entities(), queue.mean_time_system())
    )
    exact = exact_waiting(servers, offered)
    print(
        f"{servers} servers, {busy:.0%} busy: waiting {waiting:.2f}, exact {exact:.2f}; in the system {system:.2f},"
        f" exact {exact + offered:.2f}; time {time:.2f}, exact {1 + exact / offered:.2f}"
    )
    return waiting, system, time, exact
small = compare(4, 0.8)
assert abs(small[0] - small[3]) < 1e-6
assert compare(50, 0.98)[2] < 0.92
one = compare(1, 0.99)
assert one[1] < 27 and one[3] > 98
large = compare(100, 0.95)
assert large[0] == 0 and large[3] > 9
P
v/bin/python t.py
