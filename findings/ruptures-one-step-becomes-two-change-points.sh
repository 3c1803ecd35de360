#!/bin/bash
# ruptures 1.1.10, seen 2026-11-28.
# Every detector looks at each fifth point only (jump=5). A clean step elsewhere is moved to a
# multiple of five, and Pelt reports it as two change points.
# Seen: 40 points, 0 before the step and 1 after it. Step at 12: Pelt (l2, pen=0.5) [10, 15, 40],
# Binseg, Dynp and BottomUp, asked for one change, [10, 40]. Step at 13: Binseg [15, 40].
# With jump=1 all four give [12, 40].
# Expected: one change, at the step; Pelt and Dynp are described as exact searches. The argument's
# docstring says "subsample (one every *jump* points)" and names the default. Misleads whoever blames a
# commit for a performance change: up to two commits early or late, or two commits for one change.
set -eu
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; cd "$tmp"
python3 -m venv v; v/bin/pip install -q ruptures==1.1.10
cat > t.py <<'P'
import importlib.metadata as md
import numpy as np
import ruptures as rpt
print("ruptures", md.version("ruptures"))
assert md.version("ruptures") == "1.1.10"
def step(at):
    return np.r_[np.zeros(at), np.ones(40 - at)]
def found(detector, at, **options):
    search = detector(model="l2", **options).fit(step(at))
    got = search.predict(pen=0.5) if detector is rpt.Pelt else search.predict(n_bkps=1)
    got = [int(end) for end in got]
    print(f"step at {at}, {detector.__name__} {options}: {got}")
    return got
others = (rpt.Binseg, rpt.Dynp, rpt.BottomUp)
assert found(rpt.Pelt, 12) == [10, 15, 40]
for detector in others:
    assert found(detector, 12) == [10, 40]
assert found(rpt.Binseg, 13) == [15, 40]
for detector in (rpt.Pelt, *others):
    assert found(detector, 12, jump=1) == [12, 40]
P
v/bin/python t.py
