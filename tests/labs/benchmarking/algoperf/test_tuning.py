"""The median of minima against enumeration and simulation, and its drawing of one submission."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.benchmarking import profile_area
from perfmodel.labs.benchmarking.algoperf.competition import competition
from perfmodel.labs.benchmarking.algoperf.profile_drawing import profile_drawing
from perfmodel.labs.benchmarking.algoperf.tuning import chance_of_score

TABLE = competition("external")


@given(st.floats(0, 1), st.sampled_from([1, 3, 5]), st.integers(1, 3))
def test_chance_is_the_sum_over_all_outcomes_of_the_studies(success, studies, trials):
    study = 1 - (1 - success) ** trials
    total = sum(
        np.prod([study if won else 1 - study for won in outcome])
        for outcome in product([False, True], repeat=studies)
        if 2 * sum(outcome) > studies
    )
    assert chance_of_score(success, studies, trials) == pytest.approx(total, abs=1e-12)


def test_chance_agrees_with_drawn_trials():
    rng = np.random.default_rng(0)
    times = np.where(rng.random((20_000, 3, 5)) < 0.25, 1.0, np.inf)
    share = np.isfinite(np.median(times.min(axis=2), axis=1)).mean()
    assert chance_of_score(0.25) == pytest.approx(share, abs=0.01)


def test_an_even_number_of_studies_has_no_middle():
    with pytest.raises(ValueError, match="studies must be odd"):
        chance_of_score(0.5, studies=2)


@pytest.mark.parametrize("submission", TABLE.submissions)
@pytest.mark.parametrize("factor", [1, 1.1, 1.5, 2, 2.5, 3, 4])
def test_every_drawing_can_be_read(submission, factor):
    scene = profile_drawing(submission, factor)
    assert scene.faults() == []
    assert len(scene.says) <= 160


def test_the_drawing_ends_with_the_score():
    for submission, ratios in zip(TABLE.submissions, TABLE.ratios, strict=True):
        area = profile_drawing(submission, 4.0).values["area so far"]
        assert area == pytest.approx(profile_area(ratios))
    with pytest.raises(ValueError, match="submission must be one of"):
        profile_drawing("sgd", 2.0)
