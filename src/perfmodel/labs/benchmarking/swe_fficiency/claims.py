"""The published leaderboard, recomputed from the authors' results of single tasks."""

from __future__ import annotations

from functools import partial

import numpy as np

from perfmodel.benchmarking import geometric_mean, harmonic_mean
from perfmodel.labs.benchmarking.swe_fficiency.results import (
    OPENHANDS,
    expert_speedups,
    leaderboard_ratios,
    speedup_ratios,
    tasks_table,
)
from perfmodel.ledger import Sheet, Trend, re_aggregated
from perfmodel.validation import Floats

BINS = {"below 0.25": (0, 0.25), "to 0.5": (0.25, 0.5), "to 1": (0.5, 1), "1 or more": (1, np.inf)}
"""The page's four classes of speedup ratios."""


def by_class(run: str, column: str) -> Floats:
    """Return the geometric mean of a column of the table in each of the page's four classes.

    >>> by_class("oh_claude37", "gold_speedup").round(1).tolist()
    [33.2, 3.1, 2.7, 7.2]
    """
    ratios, values = speedup_ratios(run), tasks_table()[column].to_numpy(float)
    inside = [(low <= ratios) & (ratios < high) for low, high in BINS.values()]
    return np.array([geometric_mean(values[mask]) for mask in inside])


def _score(run: str) -> float:
    return float(harmonic_mean(speedup_ratios(run)))


def _below_a_hundredth() -> Trend:
    scores = harmonic_mean(leaderboard_ratios())
    return Trend(bool(scores.max() < 0.01), f"highest {scores.max():.5f}")


def _over_a_hundred() -> Trend:
    count = int((expert_speedups() > 100).sum())
    return Trend(count > 0, f"{count} of {expert_speedups().size} tasks")


def _weakest_largest(column: str) -> Trend:
    scores = np.array([by_class(run, column) for run in OPENHANDS.values()])
    shown = ", ".join(f"{row[0]:.3g} v {row[1:].max():.3g}" for row in scores)
    return Trend(bool((scores[:, :1] > scores[:, 1:]).all()), shown)


_PAGE = "swefficiency.com, Leaderboard"
SCORES = [
    re_aggregated(f"score of {agent} (OpenHands)", printed, _PAGE, partial(_score, run))
    for (agent, run), printed in zip(
        OPENHANDS.items(), ("0.010", "0.006", "0.002", "0.002"), strict=True
    )
]
EXPERTS = [
    re_aggregated(
        "smallest speedup of an expert's patch",
        "1.1",
        "swefficiency.com, Expert-Anchored Evaluation",
        lambda: float(expert_speedups().min()),
        miss="In the reports 18 of the 498 tasks are below 1.1; the page gives a rounded range.",
    ),
    re_aggregated(
        "largest speedups of experts' patches",
        "over 100x",
        "swefficiency.com, Expert-Anchored Evaluation",
        _over_a_hundred,
    ),
]
TRENDS = [
    re_aggregated(
        "average speedup ratio of the top agents",
        "less than 0.01x",
        "swefficiency.com, Overview",
        _below_a_hundredth,
    ),
    re_aggregated(
        "expert's speedup where agents are weakest, and the largest elsewhere",
        "agents struggle on tasks with larger expert speedups",
        "swefficiency.com, Figure 3, middle",
        partial(_weakest_largest, "gold_speedup"),
    ),
    re_aggregated(
        "time before the edit where agents are weakest (s), and the longest elsewhere",
        "agents struggle on tasks with longer workload runtime",
        "swefficiency.com, Figure 3, left",
        partial(_weakest_largest, "t_pre_s"),
    ),
]

SHEET = Sheet(
    "J. J. Ma, M. Hashemi, A. Yazdanbakhsh, K. Swersky, O. Press, E. Li, V. J. Reddi, "
    "P. Ranganathan, 'SWE-fficiency: Can language models optimize real-world repositories on real "
    "workloads?', arXiv:2511.06090, 2025; its project page, swefficiency.com, and the evaluation "
    "reports of its repository, commit fa356b74",
    [*SCORES, *EXPERTS, *TRENDS],
    unheld="The four scores are printed to three decimals. The right panel of Figure 3 (lines of "
    "the expert's patch) needs a count that differs from report to report, and our table has one. "
    "Scores of later versions of the paper belong to runs whose per-task results we don't have. "
    "The agents themselves were not run.",
)
