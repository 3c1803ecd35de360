#!/bin/bash
# ns.py 0.4.3, seen 2026-11-28.
# DistPacketGenerator stamps a packet and then waits for the time until the next arrival before it
# sends it. Every delay in PacketSink.waits contains one such gap.
# Seen: packets of 100 bytes, 100 s apart, straight into the sink: waits of 100.0 s. Over an idle
# Port that needs 1 s a packet: 101.0 s.
# Expected: 0 and 1 s. The docstring of PacketSink speaks of the waiting times experienced by the
# packets. Misleads whoever compares with M/M/1: the mean delay is too long by a mean gap, at
# load 0.5 by as much as the whole true delay, and it grows as the load falls. 0.4.3 is what Python
# 3.10 to 3.12 get; 0.5.0, for Python 3.14, has the order of stamp and wait changed.
set -eu
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; cd "$tmp"
python3 -m venv v; v/bin/pip install -q --no-deps ns.py==0.4.3 simpy==4.1.2
cat > t.py <<'P'
import importlib.metadata as md
import simpy
from ns.packet.dist_generator import DistPacketGenerator
from ns.packet.sink import PacketSink
from ns.port.port import Port
print("ns.py", md.version("ns.py"), "simpy", md.version("simpy"))
assert md.version("ns.py") == "0.4.3"
def waits(rate):
    env = simpy.Environment()
    sink = PacketSink(env)
    source = DistPacketGenerator(env, "source", lambda: 100.0, lambda: 100, flow_id=0)
    source.out = sink
    if rate:
        source.out = Port(env, rate=rate)
        source.out.out = sink
    env.run(until=1000)
    print("rate", rate, "bit/s:", sink.waits[0])
    return sink.waits[0]
assert waits(None) == [100.0] * 9
assert waits(800) == [101.0] * 9
P
v/bin/python t.py
