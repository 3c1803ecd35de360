#!/bin/bash
# autocannon 9.0.0 (npm), seen 2026-11-29.
# With an overall or a connection rate, each latency is recorded with an expected interval of
# ceil(1 / rate), which is 1 ms for every rate. So a request of 40 ms also counts as 39, 38, ... 1 ms.
# Seen: a server that answers after 40 ms, ten requests a second on two connections for 3 s: some 30 answers,
# more than 1,000 latencies, median about 20 ms, minimum 1 ms. Without a rate: median 40 ms.
# Expected: 40 ms. At ten a second no request is held back. Misleads whoever measures at a fixed rate to
# avoid coordinated omission: the median is half of the truth, and the mean, too.
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
serve(40, async (url, close) => {
  const rated = await autocannon({ url, connections: 2, overallRate: 10, duration: 3 });
  const free = await autocannon({ url, connections: 2, duration: 2 });
  const { p50, min, totalCount } = rated.latency;
  console.log("at a rate: median", p50, "minimum", min, "latencies", totalCount, "answers", rated["2xx"]);
  console.log("without: median", free.latency.p50, "minimum", free.latency.min);
  assert(rated["2xx"] <= 40 && totalCount > 20 * rated["2xx"]);
  assert(min === 1 && p50 < 30);
  assert(free.latency.p50 >= 39 && free.latency.min >= 39);
  close();
});
J
node t.cjs
