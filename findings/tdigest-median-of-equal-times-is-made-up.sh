#!/bin/bash
# tdigest 0.5.2.2 (crick 0.0.8 and fastdigest 0.12.0 beside it), seen 2026-11-29.
# Equal values become one centroid, and a percentile is interpolated from one centroid to the next,
# however many values they hold.
# Seen: 99 values of 10 and one of 1000: median 19.9, p95 910.9. 95 of 10 and five of 1000: median 59.5.
# crick and fastdigest give 10 for all three, as NumPy does.
# Expected: 10. The digest holds two distinct values and their exact counts. Misleads whoever digests
# times in whole milliseconds: half of the requests seem slower than they were.
set -eu
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; cd "$tmp"
python3 -m venv v; v/bin/pip install -q numpy==2.3.5 tdigest==0.5.2.2 crick==0.0.8 fastdigest==0.12.0
cat > t.py <<'P'
import importlib.metadata as md
import crick
import fastdigest
import tdigest
versions = {name: md.version(name) for name in ("tdigest", "crick", "fastdigest")}
print(versions)
assert versions == {"tdigest": "0.5.2.2", "crick": "0.0.8", "fastdigest": "0.12.0"}
def three(values):
    one, two = tdigest.TDigest(), crick.TDigest()
    one.batch_update(values)
    two.update([float(value) for value in values])
    return one, two, fastdigest.TDigest.from_values(values)
one, two, other = three([10] * 99 + [1000])
got = [round(one.percentile(q), 1) for q in (50, 95)]
print("99 of 10, one of 1000, median and p95:", got)
assert got == [19.9, 910.9]
assert [two.quantile(q) for q in (0.5, 0.95)] == [10, 10]
assert [other.quantile(q) for q in (0.5, 0.95)] == [10, 10]
one, two, other = three([10] * 95 + [1000] * 5)
print("95 of 10, five of 1000, median:", one.percentile(50), two.quantile(0.5), other.quantile(0.5))
assert abs(one.percentile(50) - 59.5) < 0.01
assert two.quantile(0.5) == other.quantile(0.5) == 10
P
v/bin/python t.py
