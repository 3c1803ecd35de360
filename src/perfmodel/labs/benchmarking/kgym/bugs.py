"""279 kernel bugs and, for eight runs of language models, which of them each solved.

The README next to the table says where it comes from.

Source: A. Mathai and others, "kGym: A platform and dataset to benchmark large language models on
Linux kernel crash resolution", NeurIPS 2024 Datasets and Benchmarks, arXiv:2407.02680.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd

from perfmodel.shipped_data import shipped_table
from perfmodel.validation import Floats, one_of

RUNS = {
    "GPT-4 Turbo, assisted, 10 samples": "gpt4t_oracle_top10",
    "Gemini 1.5 Pro, assisted, 10 samples": "gemini15_oracle_top10",
    "Claude 3 Sonnet, assisted": "claude3s_oracle",
    "GPT-4 Turbo, assisted, 1 sample": "gpt4t_oracle_1",
    "GPT-3.5 Turbo, assisted": "gpt35_oracle",
    "Gemini 1.5 Pro, assisted, 1 sample": "gemini15_oracle_1",
    "GPT-4 Turbo, unassisted": "gpt4t_bm25",
    "GPT-3.5 Turbo, unassisted, 10 samples": "gpt35_bm25_top10",
}
"""Model, whether it was told which files to change, and the column."""
SAMPLES = 10
"""Patches that a run of ten samples drew for each bug."""


@cache
def bugs_table() -> pd.DataFrame:
    """Return the table, one row a bug, indexed by its identifier.

    >>> bugs_table().shape
    (279, 15)
    """
    texts = dict.fromkeys(RUNS.values(), str)
    return shipped_table(__package__, "bugs.csv", index_col="id", dtype=texts)


def solved(run: str) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Return whether a run solved each bug, shape (279,).

    >>> int(solved("GPT-4 Turbo, assisted, 10 samples").sum())
    15
    """
    return np.asarray(_winners(run).notna(), dtype=np.bool_)


def solved_by_sample(run: str) -> Floats:
    """Return how many bugs the first 1 to 10 samples solved, each by the sample that is named.

    >>> solved_by_sample("GPT-4 Turbo, assisted, 10 samples").astype(int).tolist()
    [3, 6, 7, 8, 9, 10, 10, 11, 13, 15]
    """
    winners = _winners(run).dropna()
    if not winners.str.isdigit().all():
        raise ValueError(f"run must have drawn several samples, got {run!r}")
    indices = winners.astype(int).to_numpy()
    return np.array([float((indices < k).sum()) for k in range(1, SAMPLES + 1)])


def _winners(run: str) -> pd.Series[str]:
    one_of("run", run, RUNS)
    return bugs_table()[RUNS[run]]
