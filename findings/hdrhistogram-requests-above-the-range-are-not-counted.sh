#!/bin/bash
# hdrhistogram 0.10.8 (PyPI), seen 2026-11-29.
# A value far above the highest trackable one is not recorded. No error: record_value returns False.
# Seen: range 1 to 1000, 98 values of 10 and two of 5000: count 98, maximum 10, p99 10.
# A value of 2047, also above the range, is counted.
# Expected: an error, or the highest trackable value. Java's class raises an error there. Misleads whoever
# sets the range to the time limit: the requests that break it vanish, and p99 and throughput look fine.
set -eu
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; cd "$tmp"
python3 -m venv v; v/bin/pip install -q hdrhistogram==0.10.8
cat > t.py <<'P'
import importlib.metadata as md
from hdrh.histogram import HdrHistogram
print("hdrhistogram", md.version("hdrhistogram"))
assert md.version("hdrhistogram") == "0.10.8"
histogram = HdrHistogram(1, 1000, 3)
for value in [10] * 98 + [5000] * 2:
    histogram.record_value(value)
got = histogram.total_count, histogram.get_max_value(), histogram.get_value_at_percentile(99)
print("count, maximum, p99:", got)
assert got == (98, 10, 10)
assert histogram.record_value(2047) and not histogram.record_value(2048)
P
v/bin/python t.py
