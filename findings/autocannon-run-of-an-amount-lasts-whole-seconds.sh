#!/bin/bash
# autocannon 9.0.0 (npm), seen 2026-11-29.
# A run of an amount of requests ends at the next sampling tick of one second, and its mean rate is taken
# over whole seconds.
# Seen: 40 requests of 5 ms on two connections, done after 0.2 to 0.3 s: duration 1.0 s, 40 requests a second. 20
# requests, done after 0.1 s: duration 1.0 s, 20 requests a second.
# Expected: above 100 requests a second for both. Misleads whoever compares servers by -a: every
# run below a second has the rate of its amount.
set -eu
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; cd "$tmp"
npm install --silent --no-audit --no-fund --prefix . autocannon@9.0.0 > /dev/null
cat > server.cjs <<'J'
const http = require("http");
const seen = { count: 0 };
exports.seen = seen;
exports.serve = (delay, run) => {
  const server = http.createServer((_, answer) => {
    seen.count++;
    setTimeout(() => answer.end("ok"), delay);
  });
  server.listen(0, "127.0.0.1", () => run(`http://127.0.0.1:${server.address().port}`, () => server.close()));
};
J
cat > t.cjs <<'J'
const assert = require("assert");
const autocannon = require("autocannon");
const { serve } = require("./server.cjs");
console.log("autocannon", require("autocannon/package.json").version);
assert.equal(require("autocannon/package.json").version, "9.0.0");
async function run(url, amount) {
  const start = Date.now();
  let last = start;
  const done = autocannon({ url, connections: 2, amount });
  done.on("response", () => { last = Date.now(); });
  const result = await done;
  console.log(amount, "requests: last answer after", (last - start) / 1000, "s, duration", result.duration,
    "s, mean rate", result.requests.average);
  return [(last - start) / 1000, result];
}
// A busy machine takes more than one second; the rate is then the amount over these whole seconds.
const whole = (last, seen, amount) => last < seen.duration + 0.5 && seen.duration >= 0.99
  && Math.abs(seen.requests.average - amount / seen.samples) < 0.02;
serve(5, async (url, close) => {
  const [seconds, result] = await run(url, 40);
  assert(whole(seconds, result, 40));
  const [fewer, half] = await run(url, 20);
  assert(whole(fewer, half, 20));
  close();
});
J
node t.cjs
