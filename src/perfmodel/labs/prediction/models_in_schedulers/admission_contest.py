"""Admission rules on the same applications: how many are in time, and how many late.

A block has its own past, from which thresholds and learners come, and its own demands, on which all
rules are judged. Intervals count blocks, because the demands of a block share a past.

The drawing shows a node: its applications, its accelerator's utilization, and each rule's decision.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from perfmodel.labs.prediction.models_in_schedulers.admission_rules import (
    ASKING,
    THRESHOLD,
    Arrivals,
    Rule,
    by_formula,
    by_times,
    by_utilization,
    history,
    learned_rule,
    outcomes,
    tuned_threshold,
)
from perfmodel.labs.queueing.edge_cluster.node import TPU_NODE, admission
from perfmodel.labs.queueing.edge_cluster.placement import demand
from perfmodel.live.drawing import Box, Line, Scene, Shape, Text
from perfmodel.measurement.provenance import record_table, recorded_table
from perfmodel.prediction.arena.paired_losses import Loss, paired_loss
from perfmodel.validation import Floats, whole

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd

BLOCKS, DEMANDS, TUNED_ON = 10, 4, 4
PASTS = (10, 100)
"""Sets of applications that a learner knows the times of."""
FORMULA, TIMES, FIXED, TUNED = (
    "formula",
    "formula's times alone",
    "threshold 0.8",
    "threshold tuned",
)
LEARNED, BOTH = "trees, {} sets", "trees with the formula, {} sets"
RULES = (
    FORMULA, TIMES, FIXED, TUNED,
    *(LEARNED.format(n) for n in PASTS), *(BOTH.format(n) for n in PASTS),
)  # fmt: skip


class Scenario(NamedTuple):
    """How requests arrive, and how long applications may wait."""

    arrivals: Arrivals
    patience: float
    """Limit of an application over its time alone."""

    def __str__(self) -> str:
        """Return a name for tables."""
        return f"{self.arrivals}, limits {self.patience:g} times the time alone"


SCENARIOS = (
    Scenario("Poisson", 3.0),
    Scenario("Poisson", 6.0),
    Scenario("Poisson", 12.0),
    Scenario("bursts", 6.0),
)
_PACKAGE = "perfmodel.labs.prediction.models_in_schedulers"


def rules(scenario: Scenario, block: int) -> dict[str, Rule]:
    """Return the rules by name; rules with a past use the block's own."""
    old = [demand(ASKING, 10_000 + 100 * block + i, scenario.patience) for i in range(TUNED_ON)]
    by_name: dict[str, Rule] = {
        FORMULA: by_formula,
        TIMES: by_times,
        FIXED: partial(by_utilization, THRESHOLD),
        TUNED: partial(by_utilization, tuned_threshold(old, scenario.arrivals)),
    }
    for count in PASTS:
        known = history(count, scenario.arrivals, block)
        by_name[LEARNED.format(count)] = learned_rule(known).admits
        by_name[BOTH.format(count)] = learned_rule(known, with_formula=True).admits
    return by_name


def run_block(scenario: Scenario, block: int) -> pd.DataFrame:
    """Judge all rules on a block's demands, drawn from its number.

    A row for each rule: `rule`, and the means a demand of `in_time` and `late`.
    """
    import pandas as pd

    first = 100 * whole("block", block)
    asked = [demand(ASKING, first + i, scenario.patience) for i in range(DEMANDS)]
    rows = []
    for name, rule in rules(scenario, block).items():
        judged = outcomes(rule, asked, scenario.arrivals, first)
        rows.append(
            (name, *np.mean([(outcome.in_time, outcome.late) for outcome in judged], axis=0))
        )
    return pd.DataFrame(rows, columns=["rule", "in_time", "late"])


def record(path: Path) -> None:
    """Run all blocks of all scenarios and write `path`, with versions in a JSON file next to it."""
    import pandas as pd

    frames = [
        run_block(scenario, block).assign(
            arrivals=scenario.arrivals, patience=scenario.patience, block=block
        )
        for scenario in SCENARIOS
        for block in range(BLOCKS)
    ]
    columns = ["arrivals", "patience", "block", "rule", "in_time", "late"]
    record_table(pd.concat(frames, ignore_index=True)[columns], path)


def scores(scenario: Scenario, column: str = "score") -> dict[str, Floats]:
    """Return the result of each rule in each recorded block, shape (blocks,) each.

    The column is 'in_time', 'late' or 'score'. The score is applications in time minus late ones: a
    broken promise cancels a kept one.
    """
    table = recorded_table(_PACKAGE, "admission_contest.csv")
    table["score"] = table["in_time"] - table["late"]
    blocks = table.query("arrivals == @scenario.arrivals and patience == @scenario.patience")
    wide = blocks.pivot_table(column, "block", "rule")
    return {rule: wide[rule].to_numpy(float) for rule in RULES}


def loss(scenario: Scenario, rule: str) -> Loss:
    """Return how much lower a rule's score is than the formula's, in paired blocks."""
    by_rule = scores(scenario)
    return paired_loss(by_rule[FORMULA], by_rule[rule])


MOST = 8
_SEED, _PATIENCE = 1, 3.0
_LEFT, _TOP, _ROW = 20.0, 40.0, 20.0


def node_with_rule(inside: float) -> Scene:
    """Draw the first applications of a demand on a node, and two rules' decisions on the next.

    >>> node_with_rule(0).values["inside"]
    0
    """
    count = whole("inside", inside, high=MOST)
    asked = demand(MOST + 1, _SEED, _PATIENCE)
    admitted, tried = asked[:count], asked[: count + 1]
    load = admission(TPU_NODE, admitted).utilization if admitted else 0.0
    shapes: list[Shape] = [
        Text("inside, a core each", _LEFT, 16, "start"),
        Text("accelerator", 285, 16),
        Box(235, _TOP, 100, MOST * _ROW, "", 2, "none"),
    ]
    for index in range(count):
        y = _TOP + index * _ROW
        shapes.append(Box(_LEFT, y + 2, 140, _ROW - 4, admitted[index].network.name, 1, "light"))
        shapes.append(Line([(165, y + _ROW / 2), (230, _TOP + MOST * _ROW / 2)], 1, "thin"))
    full = MOST * _ROW * min(load, 1.0)
    if full > 1:
        shapes.append(Box(238, _TOP + MOST * _ROW - full, 94, full, "", 2, "hatch"))
    verdicts = [
        "lets it in" if rule else "turns it away"
        for rule in (by_times([tried])[0], by_utilization(THRESHOLD, [tried])[0])
    ]
    name = tried[-1].network.name
    says = (
        f"{count} admitted applications use {100 * load:.0f} % of the accelerator. {name} asks "
        f"next: the formula {verdicts[0]}, a threshold of {THRESHOLD:g} {verdicts[1]}."
    )
    values = {"inside": count, "utilization": round(load, 3)}
    return Scene(_TOP + MOST * _ROW + 20, shapes, says, values)
