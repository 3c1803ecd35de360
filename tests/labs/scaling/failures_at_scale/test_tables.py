"""The shipped tables: their sums, and what a table says of itself."""

from __future__ import annotations

import pytest

from perfmodel.labs.scaling.failures_at_scale.tables import (
    board_lives,
    causes,
    cluster,
    interruptions,
    yearly_rates,
)
from perfmodel.scaling import fit_weibull_life


def test_only_one_row_of_the_causes_contradicts_its_count() -> None:
    wrong = [
        cause.component
        for cause in causes()
        if abs(float(cause.printed.split()[0]) - 100 * cause.times / interruptions()) > 0.05
    ]
    assert wrong == ["Faulty GPU"]
    assert sum(float(c.printed.split()[0]) for c in causes()) == pytest.approx(94.9)


def test_boards_by_batch() -> None:
    old, new = board_lives("old"), board_lives("new")
    assert old.failures.sum() + new.failures.sum() == 5089
    assert old.exposure.sum() + new.exposure.sum() == pytest.approx(100_820, abs=1)
    rates = [lives.failures.sum() / lives.exposure.sum() for lives in (old, new)]
    assert rates[0] / rates[1] == pytest.approx(27, abs=0.2)
    assert 1 / rates[1] == pytest.approx(405, abs=1)
    assert 100 * yearly_rates("old") == pytest.approx(
        [0.09, 0.82, 11.96, 13.43, 12.51, 15.18], abs=0.005
    )


def test_a_weibull_distribution_fitted_to_two_years_misses_the_next_four() -> None:
    early = fit_weibull_life(*board_lives("old", until=2))
    assert early.shape_low < early.shape < early.shape_high
    predicted = early.failure_rate([2, 3, 4, 5], [3, 4, 5, 6])
    assert predicted[0] < yearly_rates("old")[2] / 3
    assert predicted[3] > 2 * yearly_rates("old")[5]


def test_all_ages_give_the_shape_of_the_batch() -> None:
    assert fit_weibull_life(*board_lives("old")).shape == pytest.approx(2.64, abs=0.005)
    assert fit_weibull_life(*board_lives("new")).shape_low < 1


def test_readme_lacks_gpu_jobs_only() -> None:
    both = [cluster("Seren"), cluster("Kalos")]
    jobs, gpu_jobs = (sum(getattr(c, n) for c in both) for n in ("jobs", "gpu_jobs"))
    assert jobs - 880_740 == gpu_jobs - 470_497 == 213_223


def test_unknown_names_are_refused() -> None:
    with pytest.raises(ValueError, match="batch must be one of old, new, got 'middle'"):
        board_lives("middle")
    with pytest.raises(ValueError, match="until must be 0.5 or more"):
        board_lives("old", until=0.1)
    with pytest.raises(ValueError, match="name must be one of Seren"):
        cluster("PAI")
