#!/bin/bash
# utilsforecast 0.2.17 and sktime 1.2.0, seen 2026-11-29.
# "Symmetric mean absolute percentage error" is |e| / (|y| + |f|) in utilsforecast and twice that in sktime.
# Seen: a forecast of 110 for 100: 0.0476 and 0.0952. A forecast of 0: 1.0 and 2.0.
# Expected: one value, with at most 1 or 2 in both; nothing in either result says which. Misleads whoever compares a
# model of one package with a published table of the other: one is twice as good for nothing.
set -eu
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; cd "$tmp"
python3 -m venv v; v/bin/pip install -q utilsforecast==0.2.17 sktime==1.2.0 2> /dev/null
cat > t.py <<'P'
import importlib.metadata as md
import numpy as np
import pandas as pd
from sktime.performance_metrics.forecasting import mean_absolute_percentage_error
from utilsforecast.losses import smape
for name, version in (("utilsforecast", "0.2.17"), ("sktime", "1.2.0")):
    print(name, md.version(name))
    assert md.version(name) == version
for forecast, want in ((110.0, 10 / 210), (0.0, 1.0)):
    table = pd.DataFrame({"unique_id": ["a"] * 2, "ds": [1, 2], "y": 100.0, "m": forecast})
    first = float(smape(table, ["m"])["m"].iloc[0])
    second = mean_absolute_percentage_error(np.full(2, 100.0), np.full(2, forecast), symmetric=True)
    print(f"forecast {forecast:g} for 100: {first:.4f} and {second:.4f}")
    assert abs(first - want) < 1e-9
    assert abs(second - 2 * want) < 1e-9
P
v/bin/python t.py
