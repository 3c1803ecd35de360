#!/bin/bash
# pymoo 0.6.2, seen 2026-11-29.
# A budget of evaluations, ("n_eval", n), is tested between generations: it is passed by up to a population.
# Seen: population 100, budget 150: 200 evaluations. Budget 101: 200. Population 40, budget 100: 120.
# Expected: at most the budget. Misleads whoever tunes a system whose evaluations are runs of an hour, and whoever
# compares tuners at equal budgets: this one had a third to a whole budget more.
set -eu
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; cd "$tmp"
python3 -m venv v; v/bin/pip install -q pymoo==0.6.2 2> /dev/null
cat > t.py <<'P'
import importlib.metadata as md
from pymoo.algorithms.soo.nonconvex.ga import GA
from pymoo.core.problem import ElementwiseProblem
from pymoo.optimize import minimize
print("pymoo", md.version("pymoo"))
assert md.version("pymoo") == "0.6.2"
class Runs(ElementwiseProblem):
    count = 0
    def __init__(self):
        super().__init__(n_var=2, n_obj=1, xl=0, xu=1)
    def _evaluate(self, x, out, *args, **kwargs):
        self.count += 1
        out["F"] = x.sum()
for population, budget, want in ((100, 150, 200), (100, 101, 200), (40, 100, 120)):
    problem = Runs()
    minimize(problem, GA(pop_size=population), ("n_eval", budget), seed=1, copy_algorithm=False)
    print(f"population {population}, budget {budget}: {problem.count} evaluations")
    assert problem.count == want
P
v/bin/python t.py
