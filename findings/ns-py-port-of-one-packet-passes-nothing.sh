#!/bin/bash
# ns.py 0.4.3, seen 2026-11-28.
# A Port with qlimit=1 drops every packet, also while it is idle.
# Seen: packets every 2 s, each needs 1 s: 49 of 49 dropped with qlimit=1, none with qlimit=2. In
# bytes, a limit of 100 drops every packet of 100 bytes; 101 lets all pass.
# Expected: no drops, as the port is always idle when a packet comes. The docstring calls qlimit a
# limit in bytes or packets "(including the packet in service), beyond which all packets will be
# dropped". Misleads whoever models a loss system: 100 % lost, where the Erlang formula for one server
# and no room says a/(1 + a). 0.4.3 is what Python 3.10 to 3.12 get.
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
def dropped(qlimit, limit_bytes):
    env = simpy.Environment()
    source = DistPacketGenerator(env, "source", lambda: 2.0, lambda: 100, flow_id=0)
    source.out = port = Port(env, rate=800, qlimit=qlimit, limit_bytes=limit_bytes)
    port.out = PacketSink(env)
    env.run(until=100)
    print("qlimit", qlimit, "bytes:" if limit_bytes else "packets:", port.packets_dropped, "of", port.packets_received)
    assert port.packets_received == 49
    return port.packets_dropped
assert dropped(1, False) == 49
assert dropped(2, False) == 0
assert dropped(100, True) == 49
assert dropped(101, True) == 0
P
v/bin/python t.py
