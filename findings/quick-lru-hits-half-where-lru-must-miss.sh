#!/bin/bash
# quick-lru 7.3.0 (npm), seen 2026-11-29.
# It keeps two generations of up to maxSize each: up to twice maxSize entries are found, while size says maxSize.
# Seen: maxSize 100, a loop over 150 keys: 49.7 % hits and a size of 100; a loop over 199 keys: above 0, too.
# Expected: no hit, as an LRU cache of 100 must miss each key of a longer loop. Misleads whoever measures hit ratios
# with it to size a cache, or compares them with a model of LRU.
set -eu
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; cd "$tmp"
npm install --silent --no-audit --no-fund --prefix . quick-lru@7.3.0 lru-cache@11.2.2 > /dev/null
cat > t.mjs <<'J'
import assert from "assert";
import {readFileSync} from "fs";
import QuickLRU from "quick-lru";
import {LRUCache} from "lru-cache";
const version = JSON.parse(readFileSync("node_modules/quick-lru/package.json")).version;
console.log("quick-lru", version);
assert.equal(version, "7.3.0");
function hits(cache, keys) {
  let found = 0, most = 0;
  for (let round = 0; round < 100; round++)
    for (let key = 0; key < keys; key++) {
      if (cache.get(key) !== undefined) found++;
      else cache.set(key, 1);
      most = Math.max(most, cache.size);
    }
  return [found / (100 * keys), most];
}
for (const keys of [150, 199]) {
  const [quick, most] = hits(new QuickLRU({maxSize: 100}), keys);
  const [exact] = hits(new LRUCache({max: 100}), keys);
  console.log(`${keys} keys: quick-lru ${quick.toFixed(3)} at a size of at most ${most}, lru-cache ${exact}`);
  assert.equal(exact, 0);
  assert.equal(most, 100);
  assert.ok(quick > (keys === 150 ? 0.45 : 0));
}
J
node t.mjs
