#!/bin/bash
# pymdptoolbox 4.0b3, seen 2026-11-29.
# ValueIteration stops when the values of all states rise by nearly the same amount, which finds the best
# policy but not the values. Its attribute V, "the optimal value function", is then far too small.
# Seen: a machine that fails with 0.1 and is repaired with 0.5 a step, 10 for each step up, discount 0.99: 104.8 and
# 88.3; PolicyIteration and a linear solve give 836.1 and 819.5. With epsilon 1e-10 it is still 238.0.
# Expected: values within epsilon (0.01 by default). Misleads whoever reads V as worth or cost of a state: an eighth of
# it here, while the difference between states is right.
set -eu
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; cd "$tmp"
python3 -m venv v; v/bin/pip install -q pymdptoolbox==4.0b3 numpy==2.4.6 scipy==1.17.1
cat > t.py <<'P'
import importlib.metadata as md
import numpy as np
from mdptoolbox.mdp import PolicyIteration, ValueIteration
print("pymdptoolbox", md.version("pymdptoolbox"))
assert md.version("pymdptoolbox") == "4.0b3"
steps = np.array([[[0.9, 0.1], [0.5, 0.5]]])
reward = np.array([[10.0], [0.0]])
exact = np.linalg.solve(np.eye(2) - 0.99 * steps[0], reward[:, 0])
def values(method, **options):
    found = method(steps, reward, 0.99, **options)
    found.run()
    print(method.__name__, options, "V", [round(float(value), 2) for value in found.V])
    return np.array(found.V)
print("linear solve", exact.round(2))
assert np.allclose(values(PolicyIteration), exact, rtol=1e-6)
default = values(ValueIteration)
tight = values(ValueIteration, epsilon=1e-10)
assert np.allclose(default, [104.83, 88.27], atol=0.01)
assert np.allclose(tight, [237.98, 221.43], atol=0.01)
assert abs((default[0] - default[1]) - (exact[0] - exact[1])) < 0.01
P
v/bin/python t.py
