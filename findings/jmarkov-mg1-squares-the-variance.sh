#!/bin/bash
# jmarkov 0.3.13, seen 2026-11-29.
# mg1 takes the variance of the service time, and then squares it once more in the formula of Pollaczek and Khinchine.
# Seen: exponential service, half busy (exact: 0.5 waiting). With 5 arrivals a second, mean 0.1 s and variance 0.01:
# 0.2525 waiting. The same queue in milliseconds (0.005, 100, 10,000): 2500.25 waiting. With mean and variance 1: 0.5.
# Expected: 0.5 in each unit, as for M/M/1; the class says that the third argument is the variance. Misleads whoever
# tries it with mean 1, where it is right, and then plans in seconds: variability seems harmless.
set -eu
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; cd "$tmp"
python3 -m venv v; v/bin/pip install -q --no-deps --no-compile jmarkov==0.3.13 numpy==2.4.6
cat > t.py <<'P'
import importlib.metadata as md
from jmarkov.queue.mg1 import mg1
print("jmarkov", md.version("jmarkov"))
assert md.version("jmarkov") == "0.3.13"
def waiting(unit, rate, mean):
    queue = mg1(rate, mean, mean**2)  # exponential: the variance is the square of the mean
    found = float(queue.mean_number_entities_queue())
    busy = rate * mean
    print(f"{unit}: busy {busy}, waiting {found:.4f}, M/M/1 {busy**2 / (1 - busy):.4f}")
    return found
assert abs(waiting("mean 1", 0.5, 1.0) - 0.5) < 1e-9
assert abs(waiting("seconds", 5.0, 0.1) - 0.25 - 0.0025) < 1e-9
assert abs(waiting("milliseconds", 0.005, 100.0) - 2500.25) < 1e-6
P
v/bin/python t.py
