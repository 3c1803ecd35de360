"""Rules of admission on the same applications: whom each keeps in time, and whom it lets down.

A block has a past of its own, from which thresholds and learners come, and demands of its own, on
which all rules are judged. Blocks are what an interval counts: demands of one block share a past.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from perfmodel.labs.prediction.models_in_schedulers.admission_rules import (
    ASKING,
    THRESHOLD,
    Rule,
    by_formula,
    by_times,
    by_utilization,
    learn,
    outcomes,
    past,
    tuned_threshold,
)
from perfmodel.labs.prediction.models_in_schedulers.node_trial import Arrivals
from perfmodel.labs.queueing.edge_cluster.placement import demand
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
    """How requests arrive, and how patient applications are."""

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
    """Return the rules by name, those of a past with the block's own."""
    old = [demand(ASKING, 10_000 + 100 * block + i, scenario.patience) for i in range(TUNED_ON)]
    found: dict[str, Rule] = {
        FORMULA: by_formula,
        TIMES: by_times,
        FIXED: partial(by_utilization, THRESHOLD),
        TUNED: partial(by_utilization, tuned_threshold(old, scenario.arrivals)),
    }
    for count in PASTS:
        known = past(count, scenario.arrivals, block)
        found[LEARNED.format(count)] = learn(known).admits
        found[BOTH.format(count)] = learn(known, with_formula=True).admits
    return found


def run_block(scenario: Scenario, block: int) -> pd.DataFrame:
    """Judge all rules on a block's demands, drawn from its number.

    A row for each rule: `rule`, and the means a demand of `in_time` and `late`.
    """
    import pandas as pd

    first = 100 * whole("block", block)
    asked = [demand(ASKING, first + i, scenario.patience) for i in range(DEMANDS)]
    rows = []
    for name, rule in rules(scenario, block).items():
        got = outcomes(rule, asked, scenario.arrivals, first)
        rows.append((name, *np.mean([(one.in_time, one.late) for one in got], axis=0)))
    return pd.DataFrame(rows, columns=["rule", "in_time", "late"])


def record(path: Path) -> None:
    """Run all blocks of all scenarios and write `path`, with versions in a JSON file beside it."""
    import pandas as pd

    frames = [
        run_block(one, block).assign(arrivals=one.arrivals, patience=one.patience, block=block)
        for one in SCENARIOS
        for block in range(BLOCKS)
    ]
    columns = ["arrivals", "patience", "block", "rule", "in_time", "late"]
    record_table(pd.concat(frames, ignore_index=True)[columns], path)


def scores(scenario: Scenario, column: str = "score") -> dict[str, Floats]:
    """Return what each rule got in each recorded block, by rule, shape (blocks,) each.

    The column is 'in_time', 'late' or 'score', applications in time less those late: a broken
    promise undoes a kept one.
    """
    table = recorded_table(_PACKAGE, "admission_contest.csv")
    table["score"] = table["in_time"] - table["late"]
    mine = table.query("arrivals == @scenario.arrivals and patience == @scenario.patience")
    wide = mine.pivot_table(column, "block", "rule")
    return {rule: wide[rule].to_numpy(float) for rule in RULES}


def loss(scenario: Scenario, rule: str) -> Loss:
    """Return the applications that a rule has fewer than the formula, in paired blocks."""
    found = scores(scenario)
    return paired_loss(found[FORMULA], found[rule])
