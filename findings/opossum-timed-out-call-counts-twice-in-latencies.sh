#!/bin/bash
# opossum 9.0.0, seen 2026-11-29.
# A call that times out is a "timeout" and a "failure", and each of the two adds its time to the
# latencies: mean and percentiles of status.stats hold it twice.
# Seen: 60 calls answered at once and 40 that time out after 2 s: 140 latencies; the median is 2 s and
# the mean 1.14 s.
# Expected: 100 latencies for 100 calls, so a median of some milliseconds and a mean of 0.8 s. The documentation shows
# both counters and names the latencies once, as those of executions. Misleads whoever watches the median of a
# dependency: it is the time-out as soon as a third of the calls time out, where half of them should be needed.
set -eu
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; cd "$tmp"
npm init -y > /dev/null; npm install --silent --no-audit --no-fund opossum@9.0.0
cat > t.js <<'J'
const assert = require('node:assert')
const CircuitBreaker = require('opossum')
const version = require('opossum/package.json').version
console.log('opossum', version)
assert.equal(version, '9.0.0')
const call = (answers) => answers ? Promise.resolve() : new Promise(() => {})
const breaker = new CircuitBreaker(call, { timeout: 2000, volumeThreshold: 1000, rollingCountTimeout: 60000 })
const calls = Array.from({ length: 100 }, (_, i) => breaker.fire(i < 60))
Promise.allSettled(calls).then(() => {
  const { fires, successes, failures, timeouts, latencyTimes, latencyMean, percentiles } = breaker.status.stats
  console.log({ fires, successes, failures, timeouts }, 'latencies', latencyTimes.length)
  console.log('median is the time-out:', percentiles[0.5] >= 1900, 'mean above 1 s:', latencyMean > 1000)
  assert.deepEqual([fires, successes, failures, timeouts], [100, 60, 40, 40])
  assert.equal(latencyTimes.length, 140)
  assert.ok(percentiles[0.5] >= 1900 && latencyMean > 1000)
  process.exit(0)
})
J
timeout 60 node t.js
