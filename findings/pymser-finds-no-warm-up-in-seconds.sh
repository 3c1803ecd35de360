#!/bin/bash
# pymser 1.0.22 with torch 2.13.0, seen 2026-11-29.
# The rule MSER looks for the start of equilibrium at the smallest squared standard error. pymser first replaces
# every error below 1e-9 by the largest one, whatever the unit.
# Seen: 2,000 response times, the first 200 of them longer (warm-up): in microseconds and in milliseconds the start is
# 201 and the mean 30.3 microseconds. In seconds the start is 0 and the mean 38.3: nothing is removed, without a warning.
# Expected: the same start in each unit; the rule has no scale. Misleads whoever removes the warm-up of a simulation or
# benchmark whose times are in seconds: it stays in the mean, 26 % here.
set -eu
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; cd "$tmp"
python3 -m venv v
v/bin/pip install -q --no-deps --no-compile torch==2.13.0 pymser==1.0.22 numpy==2.4.6 scipy==1.17.1 statsmodels==0.15.0 \
  pandas==3.1.1 patsy==1.0.3 packaging==26.4 python-dateutil==4.0.0 typing_extensions==4.16.0 \
  filelock==4.3.1 sympy==1.14.0 mpmath==1.3.0 networkx==3.6.1 jinja2==3.1.6 markupsafe==3.0.4 fsspec==2026.9.0
cat > t.py <<'P'
import importlib.metadata as md
import warnings
import numpy as np
import pymser
print("pymser", md.version("pymser"))
assert md.version("pymser") == "1.0.22"
warnings.simplefilter("ignore")  # of a fit that has no part in the start
number = np.arange(2000)
steady = 20 + 10 * -np.log(1 - np.random.RandomState(1).random_sample(2000))
times = np.where(number < 200, 80.0, 0.0) + steady
print(f"microseconds: mean of all {times.mean():.1f}, from 200 on {times[200:].mean():.1f}")
def start(unit, scale):
    found = pymser.equilibrate(
        times * scale, LLM=False, batch_size=1, ADF_test=False, uncertainty="uSE", print_results=False
    )
    print(f"in {unit}: start {int(found['t0'])}, mean {float(found['average']) / scale:.1f} microseconds")
    return int(found["t0"])
assert 190 <= start("microseconds", 1.0) <= 230
assert 190 <= start("milliseconds", 1e-3) <= 230
assert start("seconds", 1e-6) == 0
P
timeout 100 v/bin/python t.py
