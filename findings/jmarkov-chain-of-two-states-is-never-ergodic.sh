#!/bin/bash
# jmarkov 0.3.13, seen 2026-11-29.
# The period of a discrete chain is searched from the second step on, up to as many steps as there are states. A loop of
# one step is missed, so that each irreducible chain of two states has the period 2 and is not ergodic.
# Seen: a machine that fails with 0.1 and is repaired with 0.5 a step: period 2, not ergodic, and the mean time until it
# fails, which needs the test, is a number of sixteen digits (or an error). With a third state: period 1, ergodic.
# Expected: period 1, since it may stay as it is in each step; ergodic; 10 steps until it fails, which first_passage_time
# does give. Misleads whoever models the plainest machine, up or down: it seems to have no long-run availability.
set -eu
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; cd "$tmp"
python3 -m venv v; v/bin/pip install -q --no-deps --no-compile jmarkov==0.3.13 numpy==2.4.6 scipy==1.17.1
cat > t.py <<'P'
import importlib.metadata as md
import numpy as np
from jmarkov.dtmc import dtmc
print("jmarkov", md.version("jmarkov"))
assert md.version("jmarkov") == "0.3.13"
def look(name, rows):
    chain = dtmc(np.array(rows))
    print(f"{name}: period {chain.period()}, ergodic {chain.is_ergodic()}")
    return chain
two = look("up and down", [[0.9, 0.1], [0.5, 0.5]])
three = look("up, slow and down", [[0.9, 0.1, 0.0], [0.5, 0.4, 0.1], [0.0, 0.5, 0.5]])
passage = float(two.first_passage_time(1)[0, 0])
try:
    absorption = float(two.absorbtion_times(target=1, start=0))
except np.linalg.LinAlgError:
    absorption = float("nan")
print(f"steps until down: first passage {passage:.1f}; mean time until absorption near it: {abs(absorption - 10) < 1}")
assert (two.period(), two.is_ergodic()) == (2, False)
assert (three.period(), three.is_ergodic()) == (1, True)
assert abs(passage - 10) < 1e-9 and not abs(absorption - 10) < 1
P
v/bin/python t.py
