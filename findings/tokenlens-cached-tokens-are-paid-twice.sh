#!/bin/bash
# tokenlens 1.3.1 (npm), seen 2026-11-28.
# costFromUsage adds the price of the cached tokens to the full price of all input tokens, but both
# usage formats that it reads count cached tokens among the input tokens.
# Seen: gpt-4o, OpenAI's usage {prompt_tokens: 1e6, cached_tokens: 9e5}: 3.625 USD. The same with
# the AI SDK's fields inputTokens and cachedInputTokens. Without cached_tokens: 2.50 USD.
# Expected: 1.375 USD (0.1e6 x 2.50/1e6 + 0.9e6 x 1.25/1e6). The README says that it works with
# provider usage and with the AI SDK's usage. Misleads whoever weighs prompt caching: a cache that
# serves 90 % of the prompt raises the bill by 45 % instead of lowering it by 45 %.
set -eu
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; cd "$tmp"
npm init -y > /dev/null; npm install --silent --no-audit --no-fund tokenlens@1.3.1
cat > t.mjs <<'J'
import assert from 'node:assert'
import fs from 'node:fs'
import { costFromUsage } from 'tokenlens'
const version = JSON.parse(fs.readFileSync('node_modules/tokenlens/package.json')).version
console.log('tokenlens', version)
assert.equal(version, '1.3.1')
function cost(usage, want) {
  const got = costFromUsage({ id: 'openai:gpt-4o', usage })
  console.log(JSON.stringify(usage), got)
  assert(Math.abs(got - want) < 1e-9, `${got} is not ${want}`)
}
cost({ prompt_tokens: 1e6, completion_tokens: 0 }, 2.5)
cost({ prompt_tokens: 1e6, completion_tokens: 0, prompt_tokens_details: { cached_tokens: 9e5 } }, 3.625)
cost({ inputTokens: 1e6, outputTokens: 0, cachedInputTokens: 9e5 }, 3.625)
// All prices come from the package: 2.50 a million tokens in, and 1.25 a million cached.
cost({ prompt_tokens: 0, completion_tokens: 0, prompt_tokens_details: { cached_tokens: 1e6 } }, 1.25)
J
node t.mjs
