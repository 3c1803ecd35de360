"""The table of what tools print: whole, short, and free of answers that give themselves away."""

import re
from collections import Counter
from datetime import date

import pytest

from perfmodel.tool_outputs import PAGES, behaviour, behaviours

ROWS = [pytest.param(row, id=row.id) for row in behaviours()]


@pytest.mark.parametrize("row", ROWS)
def test_a_row_is_whole_and_at_most_forty_words(row):
    parts = (row.prints, row.means, row.misleads, row.instead)
    assert all(part.endswith((".", "?")) for part in parts), parts
    assert len(" ".join(parts).split()) <= 40
    assert all((row.tool, row.version, row.title))
    assert row.page in PAGES
    assert date(2026, 11, 28) <= row.run <= date(2026, 11, 29)
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", row.id)


@pytest.mark.parametrize("row", ROWS)
def test_each_wrong_answer_has_its_reason(row):
    assert 1 <= len(row.reasons) <= 3
    assert row.answer not in row.reasons
    assert row.options.count(row.answer) == 1
    assert len(set(row.options)) == len(row.reasons) + 1
    assert all(reason.endswith(".") and len(reason.split()) >= 1 for reason in row.reasons.values())
    assert row.question.endswith("?")


def test_the_right_answer_has_no_fixed_place():
    places = Counter(row.options.index(row.answer) for row in behaviours())
    assert len(places) == 4
    assert max(places.values()) < len(ROWS) / 2


def test_ids_are_unique_and_found():
    ids = [row.id for row in behaviours()]
    assert len(set(ids)) == len(ids) > 100
    assert behaviour(ids[0]).id == ids[0]
    with pytest.raises(ValueError, match="id must be one of"):
        behaviour("nothing")


def test_rows_are_found_by_page_and_by_tool():
    assert sum(len(behaviours(page=page)) for page in PAGES) == len(behaviours())
    assert {row.tool for row in behaviours(tool="SIEGE")} == {"siege"}
    assert {row.id for row in behaviours(tool="crick")} == {"tdigest-packages-disagree-on-quartile"}
    assert behaviours(tool="nobody's tool") == ()
    with pytest.raises(ValueError, match="page must be one of"):
        behaviours(page="nothing")
