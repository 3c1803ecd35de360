#!/bin/bash
# google-benchmark 1.9.5 (Python), seen 2026-11-29.
# The complexity is fitted to CPU time, in the column "Time" too and also with use_real_time. Rates such as
# items_per_second are per second of CPU time, unless use_real_time is set.
# Seen: 2 ms of work and a wait of n times 10 ms, for n = 1 to 16: the time grows from 12 to 162 ms, the complexity is
# "(1)" with and without use_real_time, and items_per_second is about 500 for each n (in fact 83 to 6).
# Expected: "N" beside "Time", at least with use_real_time, and items per second of the time shown. Misleads whoever
# measures calls that wait (files, networks, locks, accelerators): they seem to scale perfectly, at a rate that is up to
# 80 times too high.
set -eu
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; cd "$tmp"
python3 -m venv v; v/bin/pip install -q google-benchmark==1.9.5
cat > bench.py <<'P'
import time
import google_benchmark as gb
def call(state):
    n = state.range(0)
    while state:
        time.sleep(0.01 * n)
        end = time.thread_time() + 0.002
        while time.thread_time() < end:
            pass
    state.items_processed = state.iterations
    state.complexity_n = n
def options(function):
    for option in (gb.option.range_multiplier(2), gb.option.range(1, 16), gb.option.iterations(5), gb.option.complexity(gb.oAuto)):
        function = option(function)
    return function
@gb.register
@options
def default(state):
    call(state)
@gb.register
@gb.option.use_real_time()
@options
def real(state):
    call(state)
if __name__ == "__main__":
    gb.main()
P
cat > t.py <<'P'
import importlib.metadata as md
import json
import subprocess
print("google-benchmark", md.version("google-benchmark"))
assert md.version("google-benchmark") == "1.9.5"
command = ["v/bin/python", "bench.py", "--benchmark_format=json"]
done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=90)
rows = json.loads(done.stdout)["benchmarks"]
runs = [row for row in rows if row["run_type"] == "iteration" and row["name"].startswith("default/")]
longer = runs[-1]["real_time"] / runs[0]["real_time"]
rate = [run["items_per_second"] for run in runs]
true = [1e9 / run["real_time"] for run in runs]
fits = {row["name"].split("/")[0]: row["big_o"] for row in rows if "big_o" in row}
print(f"n = 1 to 16: at least 8 times longer: {longer > 8}; rate at n = 16 more than 20 times the true one: {rate[-1] > 20 * true[-1]}")
print("complexity", fits)
assert longer > 8 and rate[-1] > 20 * true[-1]
assert fits == {"default": "(1)", "real": "(1)"}
P
v/bin/python t.py
