"""What is clear with intervals as recorded, and with wider ones."""

import pandas as pd

from perfmodel.labs.prediction.shootout import leaderboards, sureness
from tests.labs.prediction.shootout.test_evidence import ERRORS, board


def with_ends(low):
    """Return a board whose families are behind by what their errors say, with a lower end."""
    frame = board(ERRORS)
    teams = frame[frame["contestant"] == "team"]
    least = teams.groupby(["dataset", "split", "test", "points"])["error"].transform("min")
    behind = (teams["error"] - least).reindex(frame.index).fillna(0)
    return frame.assign(behind=behind, behind_low=low * behind, ties=~(low * behind > 0))


def test_an_interval_that_holds_by_more_than_a_quarter_stays_clear():
    frame = with_ends(0.3)
    pd.testing.assert_series_equal(sureness.widened(frame)["ties"], frame["ties"])
    assert sureness.widened(with_ends(0.19))["ties"].all()


def test_both_counts_are_told():
    said = sureness.with_wider_intervals(with_ends(0.19))
    assert "in 0 of 3 questions with the largest budget in place of 3; of all 4," in said
    assert (
        "both clearly behind in 0 in place of 2, whitebox and graybox both in 0 in place of 2."
        in said
    )


def test_recorded_ties_are_those_of_the_recorded_ends():
    recorded = leaderboards.recorded()
    assert ((~(recorded["behind_low"] > 0)) == recorded["ties"]).all()
    assert (sureness.widened(recorded)["ties"] >= recorded["ties"]).all()
