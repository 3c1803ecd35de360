#!/bin/bash
# prom-client 15.1.3 (npm), seen 2026-11-28.
# A Summary with a sliding window puts each value several times into the digest that it reads: all
# age buckets start as one and the same object. Until the first full window has passed, an old value
# weighs up to ageBuckets times as much as a new one.
# Seen: maxAgeSeconds 50, ageBuckets 5; ten values of 1 s, then after 41 s twenty of 0.1 s, all of
# them inside the window: s_count 30 and the quantile 0.5 is 0.743 s. A Summary without a window
# gives 0.4 s for the same thirty values, and exactly 0.743 s for fifty values of 1 s and twenty of
# 0.1 s.
# Expected: 0.4 s with and without the window. The README says only how old a bucket may get. The
# cause is Array(ageBuckets).fill(new TDigest()) in lib/timeWindowQuantiles.js: one object, so that
# observe() adds the value once for each bucket. Misleads whoever watches quantiles in the first
# window after a start or a deployment: the slow start-up stays in them, weighted fivefold.
set -eu
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; cd "$tmp"
npm init -y > /dev/null; npm install --silent --no-audit --no-fund prom-client@15.1.3
cat > t.js <<'J'
const assert = require('node:assert')
let clock = 1e12 // milliseconds
Date.now = () => clock
const { Registry, Summary } = require('prom-client')
const version = require('prom-client/package.json').version
console.log('prom-client', version)
assert.equal(version, '15.1.3')
async function median(window, slow) {
  const registry = new Registry()
  const summary = new Summary({ name: 's', help: 'h', percentiles: [0.5], registers: [registry], ...window })
  for (let i = 0; i < slow; i++) summary.observe(1)
  clock += 41000
  for (let i = 0; i < 20; i++) summary.observe(0.1)
  const text = await registry.metrics()
  console.log(window, slow, 'slow, then 20 fast\n' + text)
  assert(text.includes(`s_count ${slow + 20}\n`))
  return Number(/quantile="0.5"} (\S+)/.exec(text)[1])
}
const near = (got, want) => assert(Math.abs(got - want) < 1e-6, `${got} is not ${want}`)
async function main() {
  const windowed = await median({ maxAgeSeconds: 50, ageBuckets: 5 }, 10)
  near(windowed, 26 / 35)
  near(await median({}, 10), 0.4)
  near(await median({}, 50), windowed)
}
main().catch((error) => { console.error(error); process.exit(1) })
J
node t.js
