#!/bin/bash
# tinybench 6.2.5, seen 2026-11-28.
# The column "Throughput avg (ops/s)" is the mean of the rates 1/latency of the samples, not runs
# divided by time. One slow call of ten hardly touches it, so it can rank two functions the other way
# round than their mean latency.
# Seen: "steady" takes 2 ms each time: 500 ops/s. "spiky" takes 1 ms nine times and 91 ms once, ten
# calls in 100 ms: "Latency avg" 10 ms and "Throughput avg" 901 ops/s in the same row.
# Expected: 100 ops/s, as ten calls take 100 ms (1/mean, as Benchmark.js and pytest-benchmark
# print it). Misleads whoever ranks functions by the table's ops/s: "spiky" looks 1.8 times as
# fast and is 5 times slower. The type declarations say that the two means are not reciprocal;
# the README says nothing, and its own sample table pairs 63,768 ns with 18,562 ops/s (1/mean: 15,682).
set -eu
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; cd "$tmp"
npm init -y > /dev/null; npm install --silent --no-audit --no-fund tinybench@6.2.5
cat > t.mjs <<'J'
import assert from 'node:assert'
import fs from 'node:fs'
import { Bench } from 'tinybench'
const version = JSON.parse(fs.readFileSync('node_modules/tinybench/package.json')).version
console.log('tinybench', version)
assert.equal(version, '6.2.5')
let clock = 0 // milliseconds, moved by the functions under test alone
let calls = 0
const bench = new Bench({ now: () => clock, iterations: 10, time: 0, warmup: false })
bench.add('steady', () => { clock += 2 })
bench.add('spiky', () => { calls += 1; clock += calls % 10 === 0 ? 91 : 1 })
await bench.run()
console.table(bench.table())
const [steady, spiky] = bench.tasks.map((task) => task.result)
const near = (got, want) => assert(Math.abs(got - want) < 1e-6 * want, `${got} is not ${want}`)
assert.equal(spiky.latency.samplesCount, 10)
near(steady.latency.mean, 2)
near(spiky.latency.mean, 10)
near(steady.throughput.mean, 500)
near(spiky.throughput.mean, (9 * 1000 + 1000 / 91) / 10)
J
node t.mjs
