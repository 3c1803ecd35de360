#!/bin/bash
# lightgbm 4.7.0 and catboost 1.2.10, seen 2026-11-29.
# The metric "mape" divides by max(1, |y|) in LightGBM and CatBoost: below 1 it is the absolute error.
# Seen: every prediction is twice the time. Times of 0.1 and 0.2 s: CatBoost 0.15; the same in ms: 1.0. LightGBM with a
# prediction of 0 for 0.1 s: 0.1; for 100 ms: 1.0.
# Expected: a relative error, the same in every unit. Misleads whoever models runtimes in seconds: an error of 100 %
# is reported as 10 %, and early stopping by mape prefers the long runs.
set -eu
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; cd "$tmp"
python3 -m venv v; v/bin/pip install -q lightgbm==4.7.0 pandas six 2> /dev/null
v/bin/pip install -q --no-deps catboost==1.2.10 2> /dev/null
cat > t.py <<'P'
import importlib.metadata as md
import lightgbm
import numpy as np
from catboost.utils import eval_metric
for name, version in (("lightgbm", "4.7.0"), ("catboost", "1.2.10")):
    print(name, md.version(name))
    assert md.version(name) == version
def of_lightgbm(scale):
    seen, x = {}, np.linspace(0, 1, 100)[:, None]
    data = lightgbm.Dataset(x, np.full(100, 0.1 * scale))
    options = {"objective": "regression", "metric": "mape", "boost_from_average": False, "verbose": -1,
               "learning_rate": 1e-9, "min_data_in_leaf": 1000, "num_threads": 1}
    lightgbm.train(options, data, 1, valid_sets=[data], callbacks=[lightgbm.record_evaluation(seen)])
    return float(seen["training"]["mape"][0])
for scale, unit, want_catboost, want_lightgbm in ((1, "s", 0.15, 0.1), (1000, "ms", 1.0, 1.0)):
    y, guess = [0.1 * scale, 0.2 * scale], [0.2 * scale, 0.4 * scale]
    catboost, ours = eval_metric(y, guess, "MAPE")[0], of_lightgbm(scale)
    print(f"{unit}: CatBoost with twice the time {catboost:.3f}, LightGBM with 0 {ours:.3f}")
    assert abs(catboost - want_catboost) < 1e-5
    assert abs(ours - want_lightgbm) < 1e-5
P
v/bin/python t.py
