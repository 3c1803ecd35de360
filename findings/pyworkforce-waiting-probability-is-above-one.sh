#!/bin/bash
# pyworkforce 0.5.1 with Python 3.11, seen 2026-11-29.
# A team that can't keep up has a "probability of waiting" of more than 1, and an occupancy of more than 1, without an error.
# Seen: 30 calls of 3 minutes in 30 minutes, 3 erlangs: 4 positions 0.509 (right), 3 positions 1.000, 2 positions 1.800.
# Expected: an error, or 1. Erlang's C formula holds only for fewer erlangs than positions. Misleads whoever averages the day's
# half hours, where one of 1.8 hides others.
set -eu
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; cd "$tmp"
python3 -m venv v; v/bin/pip install -q pyworkforce==0.5.1
cat > t.py <<'P'
import importlib.metadata as md
from math import factorial
from pyworkforce.queuing import ErlangC
print("pyworkforce", md.version("pyworkforce"))
team = ErlangC(transactions=30, aht=3, asa=1, interval=30)
exact = 3**4 / factorial(4) * 4 / (4 - 3)
exact /= sum(3**k / factorial(k) for k in range(4)) + exact
for positions in (4, 3, 2):
    wait = team.waiting_probability(positions)
    print(positions, f"positions: probability of waiting {wait:.3f}, occupancy {team.achieved_occupancy(positions):.2f}")
assert abs(team.waiting_probability(4) - exact) < 1e-9
assert abs(team.waiting_probability(2) - 1.8) < 1e-9 and abs(team.achieved_occupancy(2) - 1.5) < 1e-9
P
v/bin/python t.py
