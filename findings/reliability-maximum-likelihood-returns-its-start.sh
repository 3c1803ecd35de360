#!/bin/bash
# reliability 0.9.0 with Python 3.11, seen 2026-11-29.
# Where its optimiser makes no step, a fit by maximum likelihood returns the least-squares line that it began with, without a
# warning. Then a mean time to failure is wrong by a factor, and a shape depends on the unit.
# Seen: failures at 10 and 20 h, eight items that ran 100 h without one: "Maximum Likelihood Estimation (MLE)", optimizer
# L-BFGS-B, mean 117.2 h; the likelihood is largest at the total time over the failures, 830 h / 2 = 415 h. Times 1 to 10 s have
# the Weibull shape 1.984, and the same times in units of a million seconds 1.508.
# Expected: 415 h, and 1.984 in each unit. Misleads whoever plans spare parts: a good item is replaced three times too often.
set -eu
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; cd "$tmp"
python3 -m venv v; v/bin/pip install -q reliability==0.9.0
cat > t.py <<'P'
import contextlib
import importlib.metadata as md
import io
import math
import warnings
from reliability.Fitters import Fit_Exponential_1P, Fit_Weibull_2P
print("reliability", md.version("reliability"))
quiet = {"show_probability_plot": False, "print_results": False}
said = io.StringIO()
with warnings.catch_warnings(record=True) as warned, contextlib.redirect_stdout(said):
    warnings.simplefilter("always")
    fit = Fit_Exponential_1P(failures=[10, 20], right_censored=[100] * 8, method="MLE", **quiet)
    line = Fit_Exponential_1P(failures=[10, 20], right_censored=[100] * 8, method="LS", **quiet)
def log_likelihood(mean):
    return -2 * math.log(mean) - 830 / mean
mean = 1 / fit.Lambda
print(f"mean {mean:.1f} by maximum likelihood, {1 / line.Lambda:.1f} by least squares, printed {said.getvalue()!r}")
print(f"log-likelihood {log_likelihood(mean):.2f}, at 415 {log_likelihood(415):.2f}")
assert abs(mean * line.Lambda - 1) < 1e-9 and mean < 120 and log_likelihood(415) > log_likelihood(mean) + 2
assert said.getvalue() == "" and not [w for w in warned if "likelihood" in str(w.message).lower()]
shapes = [Fit_Weibull_2P(failures=[unit * t for t in range(1, 11)], **quiet).beta for unit in (1, 1e-6)]
print("Weibull shape of the same times in two units:", *(f"{shape:.3f}" for shape in shapes))
assert abs(shapes[0] - 1.984) < 0.01 and shapes[1] < 1.6
P
v/bin/python t.py 2> /dev/null
