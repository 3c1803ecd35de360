#!/bin/bash
# richbench 1.0.3, seen 2026-11-29.
# The columns Min, Max and Mean are times of five calls together, the default of its option --times.
# Seen: a function that sleeps 20 ms: Min 0.10 s. With --times 1: 0.02 s.
# Expected: 0.02 s. The title says "number=5", the cells say seconds. Misleads whoever quotes a time: five times too
# long, and by another factor after a change of the option.
set -eu
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; cd "$tmp"
python3 -m venv v; v/bin/pip install -q richbench==1.0.3
mkdir b; cat > b/bench_sleep.py <<'P'
import time
def old():
    time.sleep(0.02)
def new():
    time.sleep(0.02)
__benchmarks__ = [(old, new, "sleep")]
P
v/bin/pip list 2> /dev/null | grep -i richbench
COLUMNS=200 v/bin/richbench b > five; COLUMNS=200 v/bin/richbench --times 1 b > one
python3 - <<'P'
import re
def least(name):
    row = next(line for line in open(name) if "sleep" in line)
    return float(re.findall(r"\d+\.\d+", row)[0])
print("Min:", least("five"), "and with --times 1:", least("one"))
assert least("five") >= 0.1 and least("one") >= 0.02 and least("five") > 3 * least("one")
P
