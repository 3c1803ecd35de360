#!/bin/bash
# big-O 0.11.0, seen 2026-11-29.
# The class that big_o finds depends on the unit of the times: a more complex class must lower the sum of squared
# residuals, in square seconds, by 1e-6, so whatever takes well below a millisecond is "Constant".
# Seen: times that are exactly proportional to n, n^2 and n^3 for n of 100 to 1000, the longest 0.3 ms:
# "Constant" each. The same times in ms: "Linear", "Quadratic", "Cubic". n^3 up to 1 ms: "Quadratic".
# Expected: the same class in any unit. Misleads whoever checks students' solutions, or a library's calls, at
# sizes that run fast: a cubic one passes as constant.
set -eu
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; cd "$tmp"
python3 -m venv v; v/bin/pip install -q big-O==0.11.0 numpy==2.2.6
cat > t.py <<'P'
import importlib.metadata as md
import big_o
import numpy as np
print("big-O", md.version("big-O"))
n = np.linspace(100, 1000, 10).astype(int)
def found(power, longest):
    times = (n / n[-1]) ** power * longest
    return type(big_o.infer_big_o_class(n, times)[0]).__name__
seen = {}
for label, longest in (("0.3 ms, in s", 3e-4), ("the same, in ms", 0.3), ("1 ms, in s", 1e-3)):
    seen[label] = [found(power, longest) for power in (1, 2, 3)]
    print("times as n, n^2, n^3, the longest", label, seen[label])
assert seen["0.3 ms, in s"] == ["Constant"] * 3
assert seen["the same, in ms"] == ["Linear", "Quadratic", "Cubic"]
assert seen["1 ms, in s"] == ["Constant", "Quadratic", "Quadratic"]
P
v/bin/python t.py
