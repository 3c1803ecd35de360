"""Per-task results of seven runs of agents on SWE-fficiency, as their authors published them.

Where a patch doesn't apply or a covered test fails, the agent's speedup counts as 1: as if it had
not touched the code. The README next to the table says where it comes from.

Source: J. J. Ma and others, "SWE-fficiency: Can language models optimize real-world repositories
on real workloads?", arXiv:2511.06090, 2025, evaluation reports.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd

from perfmodel.shipped_data import shipped_table
from perfmodel.validation import Floats, one_of

OPENHANDS = {
    "Claude 3.7 Sonnet": "oh_claude37",
    "GPT-5 mini": "oh_gpt5mini",
    "Gemini 2.5 Flash": "oh_gemini25flash",
    "DeepSeek V3.1": "oh_deepseek",
}
"""The four agents of the leaderboard, in its order, and how their columns begin."""
SWE_AGENT = {
    "Claude 3.7 Sonnet": "sa_claude37",
    "GPT-5 mini": "sa_gpt5mini",
    "Gemini 2.5 Flash": "sa_gemini25flash",
}
"""Three of the same models in the other harness."""
FAILED, SLOWER, FASTER, EXPERT = (
    "fails a test",
    "slower than before",
    "faster, below the expert",
    "as fast as the expert",
)
"""How a patch can end."""


@cache
def tasks_table() -> pd.DataFrame:
    """Return the published table, one row a task, indexed by the task's name.

    >>> tasks_table().shape
    (498, 25)
    """
    return shipped_table(__package__, "results.csv", index_col="instance_id")


def expert_speedups() -> Floats:
    """Return how many times as fast the expert's patch made each task, shape (498,)."""
    return np.asarray(tasks_table()["gold_speedup"], dtype=np.float64)


def speedup_ratios(run: str) -> Floats:
    """Return the speedups over the expert's, (498,), of one of `OPENHANDS` and `SWE_AGENT`.

    >>> float(speedup_ratios("oh_claude37").min())
    6.4074e-05
    """
    return _column(run, "SR")


def leaderboard_ratios() -> Floats:
    """Return the ratios of the four agents on the leaderboard, shape (4, 498)."""
    return np.array([speedup_ratios(run) for run in OPENHANDS.values()])


def outcomes(run: str) -> dict[str, float]:
    """Return the share of tasks on which a run's patch ended in each way; they add up to 1.

    >>> {name: round(share, 3) for name, share in outcomes("oh_claude37").items()}[FAILED]
    0.363
    """
    passed = _column(run, "correct") == 1
    speedup, ratio = _column(run, "speedup"), speedup_ratios(run)
    ends = {
        FAILED: ~passed,
        SLOWER: passed & (speedup < 1),
        FASTER: passed & (speedup >= 1) & (ratio < 1),
        EXPERT: passed & (speedup >= 1) & (ratio >= 1),
    }
    return {name: float(mask.mean()) for name, mask in ends.items()}


def _column(run: str, name: str) -> Floats:
    known = [*OPENHANDS.values(), *SWE_AGENT.values()]
    one_of("run", run, known)
    return np.asarray(tasks_table()[f"{run}_{name}"], dtype=np.float64)
