"""Plans a second of the planner, and the best plan beside loops that try everything.

`.venv/bin/python benchmarks/plans.py`. The planner enumerates all plans of GPT-3's shape on 1,024
devices, computes memory and step time, and picks the best that fits; loops over all numbers up to
1,024, with the formulas for one plan at a time, must pick the same (tests/communication/plans).
Figures are plans per second of processor time, best of all rounds.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

from perfmodel.communication import (
    Tier,
    TieredCluster,
    TrainingJob,
    TransformerShape,
    best_plan,
    enumerate_plans,
    plan_steps,
)

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.communication.plans.test_enumeration import exhaustive

DEVICES, ROUNDS, LEAST = 1024, 5, 10_000.0
JOB = TrainingJob(TransformerShape(96, 12288, 96, 51_200, 2048), 2048, 0.5)
CLUSTER = TieredCluster(191.5e12, 64e9, [Tier(8, 50e9), Tier(DEVICES, 25e9, together=12.5e9)])


def main() -> int:
    """Print one table and return 1 if the bar is missed or the best plans differ."""
    best = {"planner": 0.0, "loops": 0.0}
    for _ in range(ROUNDS):
        began = time.process_time()
        plans = enumerate_plans(JOB, DEVICES)
        chosen = best_plan(JOB, CLUSTER, plans)
        spent = time.process_time() - began
        best["planner"] = max(best["planner"], len(plans) / spent)
    began = time.process_time()
    seen, (plan, seconds) = exhaustive(JOB, CLUSTER, DEVICES)
    best["loops"] = len(seen) / (time.process_time() - began)
    table = Table("who", "plans", "plans/s")
    table.add_row("planner", str(len(plans)), f"{best['planner']:,.0f}")
    table.add_row("loops", str(len(seen)), f"{best['loops']:,.0f}")
    Console(width=80).print(table)
    ours = float(plan_steps(JOB, CLUSTER, chosen).time)
    print(f"best plan: {ours:.4f} s a step by the planner, {seconds:.4f} s by loops: {plan}")
    print(f"bar: {LEAST:,.0f} plans/s")
    return int(best["planner"] < LEAST or abs(ours / seconds - 1) > 1e-9 or len(seen) != len(plans))


if __name__ == "__main__":
    sys.exit(main())
