#!/bin/bash
# hdrhistogram 0.10.8 (PyPI) and hdr-histogram-js 3.0.1 (npm), seen 2026-11-29.
# The Python port rounds the rank p n / 100 to the nearest, the JavaScript port rounds it up.
# Seen: values 1 to 60: p99 is 59 in Python and 60 in JavaScript. Values 1 to 10: p90 is 9 in both.
# Expected: one rule for two ports of one library. Misleads whoever compares two services: for fewer than
# a few hundred requests the p99 of one is its maximum, the other's the request before.
set -eu
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; cd "$tmp"
python3 -m venv v; v/bin/pip install -q hdrhistogram==0.10.8
npm install --silent --no-audit --no-fund --prefix . hdr-histogram-js@3.0.1 > /dev/null
cat > t.py <<'P'
import importlib.metadata as md
from hdrh.histogram import HdrHistogram
print("hdrhistogram", md.version("hdrhistogram"))
assert md.version("hdrhistogram") == "0.10.8"
def percentile(count, at):
    histogram = HdrHistogram(1, 10**6, 3)
    for value in range(1, count + 1):
        histogram.record_value(value)
    return histogram.get_value_at_percentile(at)
print("p99 of 60, p90 of 10:", percentile(60, 99), percentile(10, 90))
assert (percentile(60, 99), percentile(10, 90)) == (59, 9)
P
v/bin/python t.py
cat > t.cjs <<'J'
const assert = require("assert");
const hdr = require("hdr-histogram-js");
console.log("hdr-histogram-js", require("hdr-histogram-js/package.json").version);
assert.equal(require("hdr-histogram-js/package.json").version, "3.0.1");
function percentile(count, at) {
  const histogram = hdr.build();
  for (let value = 1; value <= count; value++) histogram.recordValue(value);
  return histogram.getValueAtPercentile(at);
}
console.log("p99 of 60, p90 of 10:", percentile(60, 99), percentile(10, 90));
assert.deepEqual([percentile(60, 99), percentile(10, 90)], [60, 9]);
J
node t.cjs
