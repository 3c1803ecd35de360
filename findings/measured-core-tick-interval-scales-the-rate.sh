#!/bin/bash
# measured-core 2.0.0 (npm), seen 2026-11-28.
# A Meter's option tickInterval does not change how often the averages are updated, only the time
# that each update is divided by. The rates are off by 5 s / tickInterval.
# Seen: ten events a second for an hour, every timer simulated: "1MinuteRate" 10.0 with the default,
# 50.0 with tickInterval 1000, 0.83 with 60000. "mean" and "currentRate" are 10 each time.
# Expected: 10 for all three. Its documentation (MeterProperties) calls it the interval in which the
# averages are updated, 5000 by default; the timer in Meter.js is set to the constant instead.
# Misleads whoever asks for faster averages: load and headroom are wrong by a factor of five.
set -eu
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; cd "$tmp"
npm init -y > /dev/null; npm install --silent --no-audit --no-fund measured-core@2.0.0
cat > t.js <<'J'
const assert = require('node:assert')
const timers = []
let clock = 0 // milliseconds
global.setInterval = (call, every) => {
  const timer = { call, every, next: clock + every, unref() {}, ref() {} }
  timers.push(timer)
  return timer
}
global.clearInterval = (timer) => timers.splice(timers.indexOf(timer), 1)
const { Meter } = require('measured-core')
const version = require('measured-core/package.json').version
console.log('measured-core', version)
assert.equal(version, '2.0.0')
function minuteRate(options) {
  const meter = new Meter({ ...options, getTime: () => clock })
  for (let second = 0; second < 3600; second++) {
    meter.mark(10)
    clock += 1000
    for (const timer of timers) {
      while (timer.next <= clock) { timer.call(); timer.next += timer.every }
    }
  }
  const got = meter.toJSON()
  meter.end()
  console.log(options, 'mean', got.mean, '1MinuteRate', got['1MinuteRate'])
  assert.equal(got.mean, 10)
  return got['1MinuteRate']
}
const near = (got, want) => assert(Math.abs(got - want) < 0.001 * want, `${got} is not ${want}`)
near(minuteRate({}), 10)
near(minuteRate({ tickInterval: 1000 }), 50)
near(minuteRate({ tickInterval: 60000 }), 10 / 12)
J
node t.js
