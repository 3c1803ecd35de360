"""The authors' counts of solved bugs, recomputed from the table of single bugs."""

from __future__ import annotations

from functools import partial

from perfmodel.labs.benchmarking.kgym.bugs import solved
from perfmodel.ledger import Sheet, re_aggregated


def _share(run: str) -> float:
    return float(solved(run).mean())


def _count(run: str) -> float:
    return float(solved(run).sum())


ABSTRACT = [
    re_aggregated(f"solved by {run}", printed, "abstract", partial(_share, run))
    for run, printed in (
        ("GPT-4 Turbo, assisted, 10 samples", "5.38 %"),
        ("GPT-4 Turbo, unassisted", "0.72 %"),
    )
]
FOLDERS = [
    re_aggregated(
        f"solved by {run}",
        f"{printed} bug{'s' * (printed > 1)}",
        f"result folder {folder}, patches in it",
        partial(_count, run),
    )
    for run, printed, folder in (
        ("GPT-4 Turbo, assisted, 10 samples", 15, "gpt-4-turbo-oracle-results-top-10"),
        ("Gemini 1.5 Pro, assisted, 10 samples", 10, "gemini-1.5-pro-oracle-results-top-10"),
        ("Claude 3 Sonnet, assisted", 5, "claude-3-sonnet-oracle-results"),
        ("GPT-4 Turbo, assisted, 1 sample", 3, "gpt-4-turbo-oracle-results"),
        ("GPT-3.5 Turbo, assisted", 3, "gpt-3.5-oracle-results"),
        ("Gemini 1.5 Pro, assisted, 1 sample", 2, "gemini-1.5-pro-oracle-results"),
        ("GPT-4 Turbo, unassisted", 2, "gpt-4-turbo-bm25-results"),
        ("GPT-3.5 Turbo, unassisted, 10 samples", 1, "gpt-3.5-bm25-results-top-10"),
    )
]

SHEET = Sheet(
    "A. Mathai, C. Huang, P. Maniatis, A. Nogikh, F. Ivančić, J. Yang, B. Ray, 'kGym: A platform "
    "and dataset to benchmark large language models on Linux kernel crash resolution', NeurIPS "
    "2024, arXiv:2407.02680; repository kGym-Kernel-Bench-Experiments, commit 036d27e0",
    [*ABSTRACT, *FOLDERS],
    unheld="We could read only the paper's abstract, not its tables. We found no published "
    "intervals, crash probabilities, or times of building and booting. The judge and the farm here "
    "are this lab's models. We built no kernel.",
)
