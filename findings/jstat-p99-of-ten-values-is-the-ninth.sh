#!/bin/bash
# jstat 1.9.6, stats-lite 2.2.0, percentile 1.6.0, fast-stats 0.0.7 (npm), seen 2026-11-29.
# jstat interpolates between two values, except next to the last one: there it keeps the lower of the two.
# Seen: 1 to 10: p90, p95 and p99 are all 9 in jstat; 9.5, 10, 10 in stats-lite; 9, 10, 10 in percentile; 10, 10, 10
# in fast-stats. p80 is 8.2 in jstat, as in NumPy, whose p99 is 9.91.
# Expected: 9.91 or 10 from all. Misleads whoever watches p99 of few values: the slowest never shows.
set -eu
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; cd "$tmp"
npm install --silent --no-audit --no-fund --prefix . jstat@1.9.6 stats-lite@2.2.0 percentile@1.6.0 fast-stats@0.0.7 > /dev/null
cat > t.cjs <<'J'
const assert = require("assert");
const { jStat } = require("jstat");
const lite = require("stats-lite");
const nearest = require("percentile");
const { Stats } = require("fast-stats");
const values = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
const got = {
  jstat: [80, 90, 95, 99, 100].map((p) => jStat.percentile(values, p / 100)),
  lite: [90, 95, 99].map((p) => lite.percentile(values, p / 100)),
  percentile: [90, 95, 99].map((p) => nearest(p, values)),
  fast: [90, 95, 99].map((p) => new Stats().push(values).percentile(p)),
};
for (const name of ["jstat", "stats-lite", "percentile", "fast-stats"]) console.log(name, require(name + "/package.json").version);
console.log(got);
assert(Math.abs(got.jstat[0] - 8.2) < 1e-9);
assert.deepEqual(got.jstat.slice(1), [9, 9, 9, 10]);
assert.deepEqual([got.lite, got.percentile, got.fast], [[9.5, 10, 10], [9, 10, 10], [10, 10, 10]]);
J
node t.cjs
