"""EvalPerf's published means, win rates and examples of the score, recomputed."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from perfmodel.labs.benchmarking.dpe_evalperf.leaderboard import TaskScores, printed, task_scores
from perfmodel.labs.benchmarking.dpe_evalperf.references import ReferenceClusters
from perfmodel.ledger import Claim, Sheet, re_aggregated
from perfmodel.validation import Floats

_FILE = "COMBINED-RESULTS.json"
_FOUR = ReferenceClusters(np.array([40.0, 30.0, 20.0, 10.0]), np.array([30.0, 50.0, 80.0, 100.0]))
_NINE = 9


def _value(read: Callable[[TaskScores], Floats], model: str) -> float:
    table = task_scores()
    return float(read(table)[table.models.index(model)])


def _rows(quantity: str, column: str, read: Callable[[TaskScores], Floats]) -> list[Claim]:
    return [
        re_aggregated(
            f"{quantity} of {model}", text, f"{_FILE}, {column}", partial(_value, read, model)
        )
        for model, text in printed()[column].items()
    ]


def _nine_references() -> float:
    """Return the mean normalised score of 16 samples in cluster 9 of 9 and 4 in cluster 5."""
    table = ReferenceClusters(np.arange(_NINE, 0, -1.0), np.linspace(0, 100, _NINE + 1)[1:])
    return float(np.mean([table.placement(cost).normalised for cost in [1.0] * 16 + [5.0] * 4]))


EXAMPLES = [
    re_aggregated(
        "score in the third of clusters that end at 30, 50, 80 and 100 %",
        "80",
        "arXiv:2408.06450, section 3, worked example",
        lambda: _FOUR.placement(20.0).score,
    ),
    re_aggregated(
        "normalised score in the third of four clusters",
        "75",
        "arXiv:2408.06450, section 3, worked example",
        lambda: _FOUR.placement(20.0).normalised,
    ),
    re_aggregated(
        "normalised score of gpt-4o-2024-08-06 on HumanEval/9, from its 20 matched clusters",
        "91.11",
        "results/evalperf/gpt-4o-2024-08-06_openai_temp_1.0_evalperf_results.brief.json",
        _nine_references,
    ),
]
SHEET = Sheet(
    "J. Liu, S. Xie, J. Wang, Y. Wei, Y. Ding, L. Zhang, 'Evaluating language models for efficient "
    "code generation', COLM 2024, arXiv:2408.06450; github.com/evalplus/evalplus.github.io, "
    "results/evalperf",
    [
        *EXAMPLES,
        *_rows("mean score", "dps", TaskScores.own_means),
        *_rows("task win rate", "task_win_rate", TaskScores.task_win_rates),
        *_rows("model win rate", "model_win_rate", TaskScores.model_win_rates),
    ],
    unheld="The scores on single tasks, from which we start, because they need the authors' "
    "references, hardware counters and generated programs. The normalised means and the fractions "
    "of correct samples, because the table of scores doesn't determine them. The ranking on common "
    "tasks and the intervals aren't published; we computed them.",
)
"""Three examples, and three numbers of each of 34 models."""
