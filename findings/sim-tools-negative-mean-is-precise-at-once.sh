#!/bin/bash
# sim-tools 1.3.0, seen 2026-11-29.
# Both methods for the number of replications divide the half-width by the mean and ask whether the quotient is at most
# the wanted precision. For a negative mean it is negative, so that any number of replications will do.
# Seen: 4,000 differences between two systems of 15 and -5 in turn (mean 5, precision 10 %): 1,537 replications by
# confidence_interval_method and 1,541 by ReplicationsAlgorithm. The same differences with the sign turned: 6, with an
# interval from -16.5 to 6.5, and 3.
# Expected: the same numbers; the documentation speaks of the percentage deviation of the interval from the mean.
# Misleads whoever compares two systems by their difference (or a cost by a negative profit): which system is
# subtracted decides whether six runs seem enough.
set -eu
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; cd "$tmp"
python3 -m venv v
v/bin/pip install -q --no-compile sim-tools==1.3.0 numpy==2.4.6 pandas==3.1.1 scipy==1.17.1
cat > t.py <<'P'
import importlib.metadata as md
import numpy as np
from sim_tools.output_analysis import ReplicationsAlgorithm, confidence_interval_method
print("sim-tools", md.version("sim-tools"))
assert md.version("sim-tools") == "1.3.0"
difference = np.where(np.arange(4000) % 2 == 0, 15.0, -5.0)
class Model:
    def __init__(self, runs):
        self.runs = runs
    def single_run(self, replication):
        return {"difference": float(self.runs[replication])}
def needed(name, runs):
    first, table = confidence_interval_method(runs, desired_precision=0.1)
    row = table.loc[first]
    algorithm = ReplicationsAlgorithm(half_width_precision=0.1, replication_budget=3900)
    second = algorithm.select(Model(runs), ["difference"])[0]["difference"]
    low, high = float(row["Lower Interval"]), float(row["Upper Interval"])
    print(f"{name}: {first} with the interval {low} to {high}, and {second}")
    return int(first), int(second), low, high
one = needed("A - B", difference)
other = needed("B - A", -difference)
assert one[0] > 1000 and one[1] > 1000 and one[2] > 0
assert other[:2] == (6, 3) and other[2] < 0 < other[3]
P
v/bin/python t.py
