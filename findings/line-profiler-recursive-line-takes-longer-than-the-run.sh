#!/bin/bash
# line_profiler 5.1.0, seen 2026-11-29.
# A line that calls its own function gets the whole time of the inner call, at each depth again. The total and
# "% Time" are sums over these lines.
# Seen: a function that sleeps 0.1 s and calls itself four times runs for 0.5 s: the total is 1.5 s, three times the
# run, and the sleep has a third of it; the recursive call has two thirds.
# Expected: a total of 0.5 s, all of it in the sleep, as cProfile shows; "% Time" is described as the share of the
# time spent in the function. Misleads whoever tunes recursive code (parsers, trees, divide and conquer): the line that
# costs nothing itself leads the list, and the deeper the recursion, the smaller the share of the real work.
set -eu
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; cd "$tmp"
python3 -m venv v; v/bin/pip install -q line_profiler==5.1.0
cat > t.py <<'P'
import cProfile
import importlib.metadata as md
import pstats
import time
from line_profiler import LineProfiler
print("line_profiler", md.version("line_profiler"))
assert md.version("line_profiler") == "5.1.0"
def work(depth):
    time.sleep(0.1)
    if depth:
        work(depth - 1)
lines = LineProfiler(work)
lines.enable()
work(4)
lines.disable()
stats = lines.get_stats()
rows = next(iter(stats.timings.values()))
seconds = {line: time * stats.unit for line, hits, time in rows}
sleep, total = seconds[min(seconds)], sum(seconds.values())
print("line_profiler: total at least 1.5 times the sleep:", total > 1.5 * sleep)
function = cProfile.Profile()
function.runcall(work, 4)
whole = next(value for key, value in pstats.Stats(function).stats.items() if key[2] == "work")
asleep = next(value for key, value in pstats.Stats(function).stats.items() if "sleep" in key[2])
print("cProfile: total below 1.5 times the sleep:", whole[3] < 1.5 * asleep[3])
assert total > 1.5 * sleep and whole[3] < 1.5 * asleep[3]
P
timeout 60 v/bin/python t.py
