#!/bin/bash
# piscina 5.3.2 (npm), seen 2026-11-29.
# pool.utilization divides a mean run time in seconds by a duration in milliseconds.
# Seen: one thread, ten tasks of 100 ms submitted at once: busy for 1.0 of 1.1 s, utilization 0.001.
# Expected: near 1. Its readme promises "a fraction between 0 and 1", of the mean run time to the duration times
# the threads. Misleads whoever scales out by it, or checks the utilization law: the pool never seems busy.
set -eu
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; cd "$tmp"
npm install --silent --no-audit --no-fund --prefix . piscina@5.3.2 > /dev/null
echo 'export default () => new Promise(done => setTimeout(done, 100));' > task.mjs
cat > t.mjs <<'J'
import assert from "assert";
import {readFileSync} from "fs";
import {Piscina} from "piscina";
const version = JSON.parse(readFileSync("node_modules/piscina/package.json")).version;
console.log("piscina", version);
assert.equal(version, "5.3.2");
const pool = new Piscina({filename: new URL("task.mjs", import.meta.url).href, minThreads: 1, maxThreads: 1});
await Promise.all(Array.from({length: 10}, () => pool.run()));
const {duration, utilization} = pool;
console.log(`busy 1.0 of ${(duration / 1000).toFixed(1)} s, utilization ${utilization.toFixed(4)}`);
assert.ok(duration < 5000);
assert.ok(utilization > 0 && utilization < 0.01);
await pool.destroy();
J
node t.mjs
