#!/bin/bash
# hot-shots 17.1.1 (npm) with statsd 0.9.0 (npm, the daemon), seen 2026-11-28.
# gauge(name, -5) sends "name:-5|g". statsd takes a signed value as a change, so the gauge goes down
# by 5 instead of being set to -5.
# Seen: gauge('g', 10), gauge('g', -5): statsd holds 5. Sent a second time: 0.
# Expected: -5 both times. hot-shots lists Etsy's StatsD among its servers and has a method of its
# own for changes, gaugeDelta. The rule stands in statsd's docs/metric_types.md (set it to zero
# first), not in hot-shots' README. Misleads whoever reports balances, clock offsets or headroom
# below zero: the value drifts with the number of reports.
set -eu
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; cd "$tmp"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund --omit=optional statsd@0.9.0 hot-shots@17.1.1
cat > show.js <<'J'
exports.init = (start, config, events) => {
  events.on('flush', (time, metrics) => console.log('FLUSH ' + JSON.stringify(metrics.gauges) + ' END'))
  return true
}
J
cat > t.js <<'J'
const assert = require('node:assert')
const { spawn } = require('node:child_process')
const dgram = require('node:dgram')
const fs = require('node:fs')
const StatsD = require('hot-shots')
const versions = ['hot-shots', 'statsd'].map((name) => require(`${name}/package.json`).version)
console.log('hot-shots, statsd', versions)
assert.deepEqual(versions, ['17.1.1', '0.9.0'])
const free = dgram.createSocket('udp4')
free.bind(0, '127.0.0.1', () => {
  const port = free.address().port
  free.close(() => {
    fs.writeFileSync('config.js', `{ port: ${port}, address: '127.0.0.1', mgmt_port: 0,
      mgmt_address: '127.0.0.1', flushInterval: 1000, backends: ['${process.cwd()}/show.js'] }`)
    const daemon = spawn('node', ['node_modules/statsd/stats.js', 'config.js'])
    const stop = setTimeout(() => { daemon.kill(); console.error('no flush'); process.exit(1) }, 60000)
    // One buffered packet, so that all lines reach the daemon in one piece.
    const client = new StatsD({ host: '127.0.0.1', port, maxBufferSize: 1000, bufferFlushInterval: 50 })
    let text = ''
    daemon.stdout.on('data', (chunk) => {
      text += chunk
      const found = /FLUSH (.*) END/.exec(text)
      if (!found) return
      text = ''
      const got = JSON.parse(found[1])
      if (!('g' in got)) { // every flush before it: the daemon listens, so send
        for (const name of ['g', 'twice']) client.gauge(name, 10)
        for (const name of ['g', 'twice', 'twice']) client.gauge(name, -5)
        return
      }
      clearTimeout(stop)
      daemon.kill()
      console.log(got)
      assert.equal(got.g, 5)
      assert.equal(got.twice, 0)
      process.exit(0)
    })
  })
})
J
node t.js
