#!/bin/bash
# aiolimiter 1.3.0, seen 2026-11-29.
# AsyncLimiter(n, period) lets n through at once and goes on at n a period from then: in its first period 2 n pass.
# Seen: AsyncLimiter(10, 1): ten in the first 20 ms, 18 to 20 within the first second, ten in the next one.
# Expected: ten in any second, as "max_rate" within "time_period" says. Misleads whoever sends a load at a rate with
# it: short tests run at up to twice the rate, and begin with a burst.
set -eu
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; cd "$tmp"
python3 -m venv v; v/bin/pip install -q aiolimiter==1.3.0 2> /dev/null
cat > t.py <<'P'
import asyncio
import importlib.metadata as md
from aiolimiter import AsyncLimiter
print("aiolimiter", md.version("aiolimiter"))
assert md.version("aiolimiter") == "1.3.0"
async def main():
    loop, limiter, passed = asyncio.get_running_loop(), AsyncLimiter(10, 1), []
    start = loop.time()
    for _ in range(30):
        async with limiter:
            passed.append(loop.time() - start)
    burst, first = sum(t < 0.05 for t in passed), sum(t < 1 for t in passed)
    print(f"within 50 ms {burst}, within the first second {first}, all 30 after {passed[-1]:.1f} s")
    assert 10 <= burst <= 11
    assert 15 <= first <= 20
    assert 1.8 < passed[-1] < 3
asyncio.run(main())
P
v/bin/python t.py
