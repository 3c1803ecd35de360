#!/bin/bash
# autocannon 9.0.0 (npm), seen 2026-11-29.
# At a rate, each connection starts its count of sent requests with its whole rate.
# Seen: rate 10 on two connections, 3 s: "requests sent" is about ten more than the server received.
# Expected: the number sent. Misleads whoever takes the difference of sent and answered requests as
# lost: a quarter seems lost, and none is.
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
const { serve, seen } = require("./server.cjs");
console.log("autocannon", require("autocannon/package.json").version);
assert.equal(require("autocannon/package.json").version, "9.0.0");
serve(20, async (url, close) => {
  const rated = await autocannon({ url, connections: 2, overallRate: 10, duration: 3 });
  console.log("sent", rated.requests.sent, "received by the server", seen.count, "answers", rated["2xx"]);
  assert(rated.requests.sent - seen.count >= 7);
  assert(seen.count - rated["2xx"] <= 3);
  close();
});
J
node t.cjs
