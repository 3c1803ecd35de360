#!/bin/bash
# apache-otava 0.8.0 (formerly Hunter), seen 2026-11-28.
# One slow run is a change point as long as it is among the last few, and none once five normal runs
# have followed. In between the reported size of the change moves from run to run.
# Seen: 30 runs of 100 to 104, then one of 150: change point, mean 102 to 150. After one more normal
# run: 102 to 125; after two: 102 to 117.3; after three: 102 to 150; after four: 102 to 150 and
# back to 101.75; after five: no change. The same run in the middle of the series: no change.
# Expected: no change at all: the README promises to notify only about persistent, statistically
# significant changes. Misleads whoever runs it after each commit, as it is meant: each outlier
# blames the newest commit by "+47 %", and the message cannot be reproduced a week later.
set -eu
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; cd "$tmp"
python3 -m venv v; v/bin/pip install -q --no-deps apache-otava==0.8.0 numpy==2.2.0 scipy==1.16.3
cat > t.py <<'P'
import importlib.metadata as md
from otava.series import AnalysisOptions, Metric, Series
print("apache-otava", md.version("apache-otava"))
assert md.version("apache-otava") == "0.8.0"
def changes(values):
    times = list(range(1, len(values) + 1))
    series = Series("test", None, times, {"m": Metric()}, {"m": values}, {})
    found = series.analyze(AnalysisOptions()).change_points["m"]
    return [(int(c.index), round(float(c.stats.mean_1), 2), round(float(c.stats.mean_2), 2)) for c in found]
normal = [100.0 + i * 7 % 5 for i in range(30)]
assert sorted(set(normal)) == [100, 101, 102, 103, 104]
seen = []
for after in range(7):
    seen.append(changes([*normal, 150.0, *normal[:after]]))
    print(after, "normal runs after it:", seen[-1])
assert seen[0] == [(30, 102.0, 150.0)]
assert seen[1] == [(30, 102.0, 125.0)]
assert seen[2] == [(30, 102.0, 117.33)]
assert seen[3] == [(30, 102.0, 150.0)]
assert seen[4] == [(30, 102.0, 150.0), (31, 150.0, 101.75)]
assert seen[5] == seen[6] == []
middle = changes([*normal[:15], 150.0, *normal[15:]])
print("in the middle:", middle)
assert middle == []
P
v/bin/python t.py
