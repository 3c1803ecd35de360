"""The table of bugs, and the comparisons that the lab draws from it, worked out beforehand."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from perfmodel.benchmarking import mcnemar, proportion_interval
from perfmodel.labs.benchmarking.kgym.bugs import RUNS, bugs_table, solved, solved_by_sample

GPT, GEMINI = "GPT-4 Turbo, assisted, 10 samples", "Gemini 1.5 Pro, assisted, 10 samples"
UNASSISTED = "GPT-4 Turbo, unassisted"


def test_sizes_of_the_fixes() -> None:
    table = bugs_table()
    assert (table["lines"] == table["added"] + table["removed"]).all()
    assert_allclose(table["lines"].mean(), 14.27, atol=5e-3)
    assert table["lines"].median() == 7
    assert_allclose((table["files"] == 1).mean(), 0.842, atol=5e-4)


def test_size_of_the_fix_does_not_foretell_who_is_solved() -> None:
    lines, won = bugs_table()["lines"].to_numpy(), np.any([solved(run) for run in RUNS], axis=0)
    test = stats.mannwhitneyu(lines[won], lines[~won])
    assert_allclose(test.pvalue, 0.77, atol=5e-3)


def test_pairs_are_those_counted_by_hand() -> None:
    pair = mcnemar(solved(GPT), solved(GEMINI))
    assert (pair.both, pair.only_first, pair.only_second) == (3, 12, 7)
    assert_allclose(pair.p_value, 0.359, atol=5e-4)
    unpaired = stats.fisher_exact([[15, 264], [10, 269]]).pvalue
    assert_allclose(unpaired, 0.414, atol=5e-4)
    assert mcnemar(solved(GPT), solved(UNASSISTED)).both == 0


def test_all_runs_together_solve_twice_what_the_best_does() -> None:
    assert np.any([solved(run) for run in RUNS], axis=0).sum() == 31


def test_wilson_s_ends() -> None:
    low, high = proportion_interval([15, 10, 2], 279)
    assert_allclose(low, [0.0328, 0.0196, 0.0020], atol=5e-5)
    assert_allclose(high, [0.0868, 0.0647, 0.0258], atol=5e-5)


def test_solved_by_sample_ends_at_the_count() -> None:
    for run in (GPT, GEMINI, UNASSISTED):
        by_sample = solved_by_sample(run)
        assert by_sample[-1] == solved(run).sum()
        assert (np.diff(by_sample) >= 0).all()


def test_bad_input_is_named() -> None:
    with pytest.raises(ValueError, match="run must be one of GPT-4 Turbo"):
        solved("GPT-9")
    with pytest.raises(ValueError, match="run must have drawn several samples"):
        solved_by_sample("GPT-4 Turbo, assisted, 1 sample")
