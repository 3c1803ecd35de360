#!/bin/bash
# opossum 9.0.0, seen 2026-11-29.
# With a limit on concurrent calls (option "capacity"), a call that is refused because the limit is
# reached counts as a failure whose latency is 0 ms.
# Seen: capacity 1 and ten calls of 0.5 s at once: one runs, nine are refused; median 0 ms, mean 0.05 s.
# Expected: one latency of 0.5 s: a refused call was not executed, and the documentation says that execution latencies
# are tracked. Calls that an open circuit refuses are indeed left out. Misleads whoever watches latency during an overload: the more calls are
# turned away, the faster the service looks.
set -eu
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; cd "$tmp"
npm init -y > /dev/null; npm install --silent --no-audit --no-fund opossum@9.0.0
cat > t.js <<'J'
const assert = require('node:assert')
const CircuitBreaker = require('opossum')
const version = require('opossum/package.json').version
console.log('opossum', version)
assert.equal(version, '9.0.0')
const wait = () => new Promise((resolve) => setTimeout(resolve, 500))
const fails = () => Promise.reject(new Error('down'))
const fireTen = (breaker) => Promise.allSettled(Array.from({ length: 10 }, () => breaker.fire()))
async function main () {
  const limited = new CircuitBreaker(wait, { capacity: 1, timeout: 50000, volumeThreshold: 1000, rollingCountTimeout: 60000 })
  await fireTen(limited)
  const { successes, failures, semaphoreRejections, latencyTimes, latencyMean, percentiles } = limited.status.stats
  console.log('capacity 1:', { successes, failures, semaphoreRejections }, 'latencies', latencyTimes.length,
    'of them 0:', latencyTimes.filter((ms) => ms === 0).length, 'median', percentiles[0.5])
  assert.deepEqual([successes, failures, semaphoreRejections, latencyTimes.length], [1, 9, 9, 10])
  assert.equal(latencyTimes.filter((ms) => ms === 0).length, 9)
  assert.equal(percentiles[0.5], 0)
  assert.ok(latencyMean < latencyTimes.at(-1) / 9)
  const open = new CircuitBreaker(fails, { rollingCountTimeout: 60000 })
  await open.fire().catch(() => {})
  await fireTen(open)
  console.log('open circuit: refused', open.status.stats.rejects, 'latencies', open.status.stats.latencyTimes.length)
  assert.equal(open.status.stats.rejects, 10)
  assert.equal(open.status.stats.latencyTimes.length, 1)
  process.exit(0)
}
main()
J
timeout 60 node t.js
