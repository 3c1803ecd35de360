#!/bin/bash
# ddsketch 3.0.1, seen 2026-11-29.
# A sketch with a limit of bins keeps the highest ones and moves all lower values into the lowest bin that is left.
# The accuracy no longer holds below it, and nothing in the sketch or its result says so.
# Seen: LogCollapsingLowestDenseDDSketch(0.01, bin_limit=100), 98 values of 0.001 and two of 1000: median 138.4.
# Expected: 0.001 to 1 %, or a mark that the median was lost. Misleads whoever caps the memory of a sketch and
# reads its median: two outliers move it by a factor of 138,000.
set -eu
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; cd "$tmp"
python3 -m venv v; v/bin/pip install -q ddsketch==3.0.1
cat > t.py <<'P'
import importlib.metadata as md
from ddsketch import DDSketch, LogCollapsingLowestDenseDDSketch
print("ddsketch", md.version("ddsketch"))
assert md.version("ddsketch") == "3.0.1"
capped, free = LogCollapsingLowestDenseDDSketch(0.01, bin_limit=100), DDSketch(0.01)
for value in [0.001] * 98 + [1000.0] * 2:
    capped.add(value)
    free.add(value)
got = [round(sketch.get_quantile_value(0.5), 4) for sketch in (capped, free)]
print("medians, with 100 bins and without a limit:", got)
assert 138 < got[0] < 139 and abs(got[1] - 0.001) < 0.0001
P
v/bin/python t.py
