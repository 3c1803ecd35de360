"""The rows of PerfCastDB that a learner may see: dealt one by one, or run by run.

A row is one iteration of one component of one run. Dealt one by one, the rows of a run fall on both
sides of every split: other iterations of the same component, and other components of the same
server. A learner then needs only a memory, and no knowledge about fast servers.

The drawing shows a table of runs by iterations, dealt to folds in both ways.

>>> made = synthetic_runs(8, 3, seed=1)
>>> by_rows, by_runs = (folded_error(made, tree(), protocol) for protocol in PROTOCOLS)
>>> by_rows < 0.02, by_runs > 0.1
(True, True)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.model_selection import GroupKFold, cross_val_predict
from sklearn.tree import DecisionTreeRegressor

from perfmodel.labs.prediction.ncpp import capacity, perfcast
from perfmodel.live.drawing import Cells, Fill, Scene, Shape, Text
from perfmodel.live.drawing.chart import legend
from perfmodel.prediction.arena import metrics
from perfmodel.validation import non_negative, one_of, whole

if TYPE_CHECKING:
    import pandas as pd

PROTOCOLS = ("random rows", "whole runs")
"""How rows are dealt to five folds: one by one, or a run's rows all to the same fold."""


def rows(suite: str) -> pd.DataFrame:
    """Return the components' ratios, a row for each iteration: what a careless split is made of.

    Columns: the features of `perfcast.dataset`, with `run`, `iteration` and `value`.
    """
    one_of("suite", suite, perfcast.SUITES)
    given = perfcast.scores()
    given = given[given["suite"].isin(perfcast.SUITES[suite]) & ~given["composite"]]
    return given.rename(columns={"test": "component"})[
        [*perfcast.UNITS, "run", "iteration", "value"]
    ].reset_index(drop=True)


def synthetic_runs(
    runs: int, iterations: int, seed: int, hidden: float = 0.05, noise: float = 0.003
) -> pd.DataFrame:
    """Return runs of ten components on servers that we made up, in the shape of `rows`.

    A component spends a fraction of its time in memory; the rest goes with cores and clock. Each
    server, with one run, also has a factor of its own that no feature shows, as cooling and
    firmware do. `hidden` and `noise` are the standard deviations of the logarithm of that factor,
    and of an iteration's.
    """
    import pandas as pd

    rng = np.random.default_rng(seed)
    whole("iterations", iterations, 1)
    servers = pd.DataFrame(
        {
            "cores": 2.0 * rng.integers(32, 61, whole("runs", runs, 2)),
            "all_core_clock": rng.uniform(2.4e9, 3.4e9, runs),
            "base_clock": rng.uniform(1.7e9, 2.7e9, runs),
            "memory_bandwidth": rng.choice([614.4e9, 3276.8e9], runs, p=[0.75, 0.25]),
            "machine": [f"server {number}" for number in range(runs)],
            "run": range(runs),
            "factor": np.exp(non_negative("hidden", hidden) * rng.standard_normal(runs)),
        }
    )
    programs = pd.DataFrame(
        {
            "component": [f"program {number}" for number in range(10)],
            "work": rng.uniform(200, 1000, 10),
            "in_memory": rng.beta(0.7, 1.5, 10),
        }
    )
    table = servers.merge(programs, how="cross").merge(
        pd.DataFrame({"iteration": range(iterations)}), how="cross"
    )
    slower = (1 - table["in_memory"]) * 300e9 / capacity.capacity(table)
    slower = slower + table["in_memory"] * (614.4e9 / table["memory_bandwidth"]) ** 0.5
    luck = np.exp(non_negative("noise", noise) * rng.standard_normal(len(table)))
    return table.assign(value=table["work"] / slower * table["factor"] * luck).drop(
        columns=["work", "in_memory", "factor"]
    )


def folded_error(table: pd.DataFrame, estimator: Any, protocol: str, seed: int = 0) -> float:
    """Return the mean absolute percentage error, as a fraction, over five folds of the rows.

    Each fold is predicted from the others, by one of `PROTOCOLS`. With fewer than five runs there
    are as many folds as runs.
    """
    one_of("protocol", protocol, PROTOCOLS)
    together = np.arange(len(table)) if protocol == "random rows" else table["run"].to_numpy()
    folds = min(5, whole("runs", np.unique(together).size, 2))
    dealt = GroupKFold(folds, shuffle=True, random_state=seed)
    features, target = table[list(perfcast.UNITS)], table["value"].to_numpy()
    guess = cross_val_predict(estimator, features, target, cv=dealt, groups=together)
    return metrics.mape(target, guess)


def tree() -> Any:
    """Return a regression tree that is grown until it has told all its rows apart.

    The plainest learner with a perfect memory. It sees what `capacity.learned` sees.
    """
    return capacity.learned(DecisionTreeRegressor(random_state=0))


RUNS, PROGRAMS, ITERATIONS = 5, 3, 3
_LEFT, _TOP, _SIDE = 66.0, 54.0, 30.0


def fold_drawing(protocol: str) -> Scene:
    """Draw which rows of five runs one fold tests, three programs with three iterations each.

    >>> fold_drawing("whole runs").values["tested rows seen in another iteration (%)"]
    0.0
    """
    one_of("protocol", protocol, PROTOCOLS)
    columns = PROGRAMS * ITERATIONS
    rows = np.arange(RUNS * columns)
    run, program = rows // columns, rows % columns // ITERATIONS
    together = rows if protocol == PROTOCOLS[0] else run
    dealt = GroupKFold(5, shuffle=True, random_state=0).split(rows, groups=together)
    trained, tested = next(iter(dealt))
    looks: dict[tuple[int, int], tuple[int, Fill]] = {}
    for part, look in ((trained, (1, "light")), (tested, (2, "hatch"))):
        for row in part:
            looks[divmod(int(row), columns)] = look  # type: ignore[assignment]
    test = run * PROGRAMS + program
    sisters = 100 * float(np.isin(test[tested], test[trained]).mean())
    wide = ITERATIONS * _SIDE
    shapes: list[Shape] = [Cells(_LEFT, _TOP, RUNS, columns, _SIDE, looks)]
    shapes += [
        Text(f"run {'ABCDE'[i]}", _LEFT - 8, _TOP + (i + 0.5) * _SIDE, anchor="end")
        for i in range(RUNS)
    ]
    for i in range(PROGRAMS):
        shapes.append(Text(f"program {i + 1}", _LEFT + (i + 0.5) * wide, 14))
        shapes += [
            Text(str(k + 1), _LEFT + i * wide + (k + 0.5) * _SIDE, 40) for k in range(ITERATIONS)
        ]
    below = _TOP + RUNS * _SIDE + 14
    shapes += legend(_LEFT, below, [("learned from", 1, "light"), ("tested on", 2, "hatch")])
    says = (
        f"{protocol.capitalize()}: for {sisters:.0f} % of the tested rows the learner has seen "
        "another iteration of the same program in the same run."
    )
    return Scene(below + 26, shapes, says, {"tested rows seen in another iteration (%)": sisters})
