"""Each sentence is seen to come out in every way."""

import numpy as np

from perfmodel.labs.serving.sleep_time.contexts import ELEMENTS
from perfmodel.labs.serving.sleep_time.findings import said
from perfmodel.labs.serving.sleep_time.index_race import IndexRace

ONES = np.ones(8)
SPREAD = np.linspace(0.95, 1.05, 8)


def race(forecast, raced, ahead=1.0):
    """Return rounds with these medians, raced within 5 %; an answer saves nine tenths."""
    fresh = ahead / forecast / 0.9
    return IndexRace("x", 1.0, ahead * ONES, fresh * ONES, fresh * ONES / 10, raced * SPREAD)


GOOD = race(100, 100, ahead=10.0), race(90, 90), race(20, 20)


def test_all_forecasts_held():
    words = said(race(40, 40), *GOOD)
    assert "said 3 questions for the array; the race took 40.0, 13 times as many" in words
    assert "Of 4 forecasts from seconds, 4 agree with the race." in words
    assert "took 10 times less work than all" in words
    assert (
        "after 90 questions, where the whole table took 100; with popular sources after 20" in words
    )
    assert "knowing what will be asked" in words


def test_counting_additions_may_be_right():
    as_counted = IndexRace(
        "x", 1.0, ELEMENTS * ONES, ELEMENTS / 3 * ONES, ELEMENTS / 3e6 * ONES, 3.0 * ONES
    )
    words = said(as_counted, *GOOD)
    assert "the race took 3.0, about as many. An addition of the table took no more" in words
    slow = said(race(40, 40), *GOOD)
    assert "An addition of the table took 12 times as long" in slow


def test_forecasts_may_be_off_or_unknown():
    words = said(race(40, 60), *GOOD)
    assert "3 agree with the race, 1 does not." in words
    spread = np.geomspace(4, 400, 8)
    unknown = IndexRace("x", 1.0, ONES, ONES / 36, ONES / 360, spread)
    words = said(unknown, race(10, 30), race(10, 30), race(10, 10))
    assert "1 agrees with the race, 2 do not, and of 1 nothing can be told." in words


def test_a_table_that_never_pays():
    words = said(race(40, np.inf), race(100, 100), race(90, np.inf), race(20, 20))
    assert "in most rounds of the race the table never paid" in words
    assert "can't be compared" in words
    assert "inf" not in words


def test_popular_sources_may_not_help():
    words = said(race(40, 40), race(100, 100), race(90, 90), race(80, 80))
    assert "Here popular sources did not halve it." in words
    assert "knowing what will be asked" not in words
