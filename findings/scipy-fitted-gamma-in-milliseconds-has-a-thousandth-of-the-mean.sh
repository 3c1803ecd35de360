#!/bin/bash
# SciPy 1.17.1 with Python 3.11, seen 2026-11-29.
# Distributions are fitted with a free location, and a search that ended far from the data returns what it has, without a warning.
# Seen: gamma.fit of 1,000 exponential times of mean 1.02: shape 1.01 and mean 1.02 in seconds, shape 0.012 and mean 0.5 in
# milliseconds (of 1,022). weibull_min.fit of the same times begins at 0.085: 64 of the 1,000 have the density 0.
# Expected: the same fit in each unit, and a positive likelihood; floc=0 gives both. Misleads programs that choose the best of
# several distributions: which one is best depends on the unit.
set -eu
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; cd "$tmp"
python3 -m venv v; v/bin/pip install -q scipy==1.17.1 numpy
cat > t.py <<'P'
import warnings
import numpy as np
import scipy
from scipy import stats
warnings.simplefilter("error")
print("scipy", scipy.__version__)
times = np.random.default_rng(0).exponential(1, 1000)
for unit in (1, 1000):
    free, fixed = stats.gamma.fit(unit * times), stats.gamma.fit(unit * times, floc=0)
    means = [float(stats.gamma.mean(*fit)) for fit in (free, fixed)]
    print(f"unit {unit}: mean of the times {unit * times.mean():.4g}, of the fit {means[0]:.3g}, with floc=0 {means[1]:.4g}")
    assert abs(means[1] / (unit * times.mean()) - 1) < 1e-3
    assert (means[0] < 0.01 * unit) == (unit == 1000)
weibull = stats.weibull_min.fit(times)
impossible = int(np.sum(stats.weibull_min.pdf(times, *weibull) == 0))
print(f"weibull_min.fit: location {weibull[1]:.4f}, {impossible} of {len(times)} times have the density 0")
assert impossible > 0
P
v/bin/python t.py
