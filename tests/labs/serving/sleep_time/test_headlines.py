import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.labs.serving.sleep_time import headlines
from perfmodel.labs.serving.sleep_time.claims import SHEET
from perfmodel.labs.serving.sleep_time.inputs import EXAMPLE, FACTOR, QUERIES, SAVING, WEIGHT


def test_two_headlines_by_hand():
    """10 (1 / 2.5 - 1 / 5) = 2 answers; 2 / 0.8 = 2.5 questions."""
    assert headlines.implied_ahead().value == pytest.approx(2.0)
    assert headlines.implied_break_even().value == pytest.approx(2.5)


@given(saving=st.floats(2.45, 2.55), factor=st.floats(4.5, 5.5))
def test_ends_hold_whatever_was_rounded(saving, factor):
    """Any two numbers that are printed as 2.5 and 5 imply work between the ends."""
    work = QUERIES * (1 / saving - 1 / factor)
    _, low, high = headlines.implied_ahead()
    assert low - 1e-9 <= work <= high + 1e-9
    _, least, most = headlines.implied_break_even()
    assert least - 1e-9 <= work / (1 - 1 / factor) <= most + 1e-9
    queries = np.array([0.5, 1.0, 3.0, 10.0, 50.0])
    below, above = headlines.saving_band(queries)
    curve = 1 / (work / queries + 1 / factor)
    assert (below <= curve + 1e-9).all()
    assert (curve <= above + 1e-9).all()


def test_the_way_back_leads_to_the_headline_and_so_is_no_test():
    plan = headlines.plan(headlines.implied_ahead().value, FACTOR)
    assert plan.saving(QUERIES) == pytest.approx(SAVING)


def test_round_example_is_not_the_papers():
    assert EXAMPLE.weight == WEIGHT
    assert EXAMPLE.relative_work < headlines.implied_ahead().low / 10


def test_nothing_is_claimed_and_the_sheet_says_why():
    assert not SHEET.claims
    assert "A third number would be a test" in SHEET.unheld
