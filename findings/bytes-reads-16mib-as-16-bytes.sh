#!/bin/bash
# bytes 3.1.2 (npm), seen 2026-11-28.
# bytes.parse takes a leading number and drops what it does not know: a binary unit, a single
# letter or a rate is read as plain bytes.
# Seen: '16MiB' 16, '1.5GiB' 1, '10M' 10, '10MB/s' 10; '16mb' 16,777,216.
# Expected: 16,777,216 for '16MiB', or null, the README's answer for an error. Its list of units
# has no KiB or MiB, and it does not say what becomes of an unknown unit. Misleads whoever writes
# body limits, throttles or cache sizes as '16MiB': the value is a million times too small, without
# an error. body-parser and raw-body read their limits through it.
set -eu
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; cd "$tmp"
npm init -y > /dev/null; npm install --silent --no-audit --no-fund bytes@3.1.2
cat > t.js <<'J'
const assert = require('node:assert')
const bytes = require('bytes')
const version = require('bytes/package.json').version
console.log('bytes', version)
assert.equal(version, '3.1.2')
const seen = { '16mb': 16777216, '16MiB': 16, '16 MiB': 16, '1.5GiB': 1, '10M': 10, '10MB/s': 10 }
for (const [text, want] of Object.entries(seen)) {
  console.log(JSON.stringify(text), bytes.parse(text))
  assert.equal(bytes.parse(text), want)
}
assert.equal(bytes.parse('MiB'), null)
J
node t.js
