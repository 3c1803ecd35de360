#!/bin/bash
# statsd 0.9.0 (npm, the daemon), seen 2026-11-28.
# A timer sent with a sampling rate is scaled up in "count" and "count_ps" only. "sum", "sum_90" and
# "count_90" of the same metric stay those of the samples.
# Seen: ten lines "lat:100|ms|@0.1": count 100, sum 1000, count_90 9, mean 100.
# Expected: sum 10,000, or count 10. docs/metric_types.md introduces the rate in the example of a
# timer and says that statsd figures out "sum" and the rest; further down it calls the third field
# the rate of the timer's counter. Misleads dashboards that divide sum by count (10 ms instead of
# 100 ms) or read the time spent a second from sum: too low by the sampling rate.
set -eu
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; cd "$tmp"
npm init -y > /dev/null; npm install --silent --no-audit --no-fund --omit=optional statsd@0.9.0
cat > show.js <<'J'
exports.init = (start, config, events) => {
  events.on('flush', (time, metrics) => console.log('FLUSH ' + JSON.stringify(metrics.timer_data) + ' END'))
  return true
}
J
cat > t.js <<'J'
const assert = require('node:assert')
const { spawn } = require('node:child_process')
const dgram = require('node:dgram')
const fs = require('node:fs')
const version = require('statsd/package.json').version
console.log('statsd', version)
assert.equal(version, '0.9.0')
const socket = dgram.createSocket('udp4')
const free = dgram.createSocket('udp4')
free.bind(0, '127.0.0.1', () => {
  const port = free.address().port
  free.close(() => {
    fs.writeFileSync('config.js', `{ port: ${port}, address: '127.0.0.1', mgmt_port: 0,
      mgmt_address: '127.0.0.1', flushInterval: 1000, backends: ['${process.cwd()}/show.js'] }`)
    const daemon = spawn('node', ['node_modules/statsd/stats.js', 'config.js'])
    const stop = setTimeout(() => { daemon.kill(); console.error('no flush'); process.exit(1) }, 60000)
    let text = ''
    daemon.stdout.on('data', (chunk) => {
      text += chunk
      const found = /FLUSH (.*) END/.exec(text)
      if (!found) return
      text = ''
      const got = JSON.parse(found[1]).lat
      if (!got) { // every flush before it: the daemon listens, so send the ten lines in one packet
        socket.send(Array(10).fill('lat:100|ms|@0.1').join('\n'), port, '127.0.0.1')
        return
      }
      clearTimeout(stop)
      daemon.kill()
      console.log(got)
      assert.deepEqual([got.count, got.sum, got.mean, got.count_90, got.sum_90], [100, 1000, 100, 9, 900])
      process.exit(0)
    })
  })
})
J
node t.js
