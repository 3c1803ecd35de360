import json
import re
from pathlib import Path

import pytest

from perfcourse.book import about, plans, sources
from perfcourse.book.plans import PARTS

PROJECT = Path(__file__).parents[2]
PAGES = ("six-weeks", "twelve-weeks", "flipped-classroom")
READ = {name: plans.read(PROJECT, f"book/instructors/{name}") for name in PAGES}
UNITS = [pytest.param(unit, id=unit.title) for plan in READ.values() for unit in plan.units]
ABOUT = {"objectives": ["count", "bound"], "needs": [], "difficulty": "easy", "core": True}
UNIT = """
## Week 1. Counting

- **Before class**: [One](../one.md), to its middle.
- **In class** (60 minutes): talk (15); [the lab](../../notebooks/t/lab.ipynb).
- **After class**: the rest of [One](../one.md); [t, questions 1 to 3](../../exercises/t.ipynb).
- **Instead**: [Two](../two.md).
"""


def notebook(*cells, minutes):
    course = ABOUT | {"minutes": minutes}
    text = [{"cell_type": "markdown", "source": list(cells)}]
    return json.dumps({"metadata": {"course": course}, "cells": text})


@pytest.fixture
def project(tmp_path):
    """A course of two chapters, a lab and an exercise, and a plan of one week."""
    for folder in ("book/instructors", "notebooks/t", "solutions", "exercises"):
        (tmp_path / folder).mkdir(parents=True)
    front = json.dumps({"course": ABOUT | {"minutes": 50}})
    for page in ("one", "two"):
        (tmp_path / "book" / f"{page}.md").write_text(f"---\n{front}\n---\n# {page}\n")
    (tmp_path / "notebooks" / "t" / "lab.ipynb").write_text(notebook("# Lab", minutes=40))
    questions = "## Level 1\n### 1. a\n### 2. b\n## Level 2\n### 3. c\n"
    (tmp_path / "solutions" / "t.ipynb").write_text(notebook(questions, minutes=30))
    (tmp_path / "exercises" / "t.ipynb").write_text(notebook(questions, minutes=30))
    (tmp_path / "_toc.yml").write_text(
        "root: book/one\nchapters: [{file: book/two}, {file: notebooks/t/lab}, {file: exercises/t}]"
    )
    (tmp_path / "book" / "instructors" / "plan.md").write_text(f"# Plan\n{UNIT}")
    return tmp_path


def changed(project, old, new):
    (project / "book" / "instructors" / "plan.md").write_text(UNIT.replace(old, new))
    return plans.read(project, "book/instructors/plan")


def test_minutes_are_those_of_the_pages(project):
    (unit,) = plans.read(project, "book/instructors/plan").units
    assert unit.minutes == {"Before class": 25, "In class": 40, "After class": 25 + 45}
    assert (unit.room, unit.talk, unit.planned, unit.beside) == (60, 15, 55, 95)


def test_a_question_that_is_asked_twice_counts_once(project):
    again = UNIT.replace("Week 1", "Week 2").replace("1 to 3", "2 and 3")
    plan = changed(project, UNIT, UNIT + again)
    assert (len(plan.units), plan.room, plan.questions) == (2, 120, 3)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("../one.md", "../none.md", "plan, Week 1. Counting: there is no page book/none"),
        (" (60 minutes)", "", "Week 1. Counting: a unit must have Before class, In class, After"),
        ("- **After class**", "- **Later**", "Week 1. Counting: a unit must have Before class"),
        ("1 to 3", "1 to 4", "exercises/t has 3 questions, got 't, questions 1 to 4'"),
        (", questions 1 to 3", "", "a link to an exercise must name its questions, got 't'"),
    ],
)
def test_what_a_plan_gets_wrong_is_named(project, old, new, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        changed(project, old, new)


def test_the_lengths_are_what_the_plans_are_called():
    lengths = [len(READ[name].units) for name in PAGES]
    assert lengths == [6, 12, 8]


@pytest.mark.parametrize("unit", UNITS)
def test_a_unit_fits_its_class_and_says_what_to_do_in_each_part(unit):
    assert 0.5 * unit.room <= unit.planned <= unit.room
    assert {link.part for link in unit.links} >= {"Before class", "After class"}
    assert all(unit.minutes[part] <= 180 for part in PARTS)


def test_six_weeks_hold_measuring_and_the_roofline_and_twelve_all_chapters():
    six, twelve = ({link.page for u in READ[n].units for link in u.links} for n in PAGES[:2])
    assert {"book/measurement", "book/roofline", "exercises/measurement"} <= six
    text = (PROJECT / "book" / "instructors" / "twelve-weeks.md").read_text("utf-8")
    chapters = [p for p in about.contents(PROJECT) if p.startswith("book/")]
    missing = [page for page in chapters if page not in twelve]
    assert all(f"](../{page.removeprefix('book/')}.md)" in text for page in missing)


def test_the_founding_question_names_the_hours_of_the_plans():
    text = (PROJECT / "book" / "founding-question.md").read_text("utf-8")
    for name in PAGES[:2]:
        plan = READ[name]
        assert f"{plan.room / 60:.0f} in class, {plan.beside / 60:.0f} at home" in text, name


def test_each_row_of_the_syllabus_names_a_page_and_a_week():
    text = (PROJECT / "book" / "instructors" / "twelve-weeks.md").read_text("utf-8")
    rows = [line.split("|")[1:-1] for line in text.split("\n") if re.match(r"\| \d+ \|", line)]
    assert [int(row[0]) for row in rows] == list(range(1, 24))
    for number, _, week, taught, _ in rows:
        assert "](" in taught, number
        weeks = set(map(int, re.findall(r"\d+", week)))
        assert set() < weeks <= set(range(1, 13)), number


def test_a_week_of_the_syllabus_links_a_page_that_teaches_the_row():
    text = (PROJECT / "book" / "instructors" / "twelve-weeks.md").read_text("utf-8")
    weeks = {i: {a.page for a in u.links} for i, u in enumerate(READ["twelve-weeks"].units, 1)}
    for line in text.split("\n"):
        if re.match(r"\| \d+ \| .* \| [\d, ]+ \|", line):
            _, number, _, week, taught, *_ = line.split("|")
            pages = {p.lstrip("./") for p in re.findall(r"\]\(([^)]*)\.(?:md|ipynb)\)", taught)}
            named = {page if page.startswith("notebooks/") else f"book/{page}" for page in pages}
            for of_week in map(int, re.findall(r"\d+", week)):
                assert named & weeks[of_week], f"row {number}, week {of_week}"


@pytest.mark.parametrize("name", [*PAGES, "one-day"])
def test_the_sections_that_a_plan_names_are_headings_of_their_chapter(name):
    text = (PROJECT / "book" / "instructors" / f"{name}.md").read_text("utf-8")
    named = re.findall(
        r"\]\(\.\./([a-z-]+)\.md\),? ((?:(?:to|from|and|of|the|end) |\*[^*\n]+\*,? ?)+)", text
    )
    assert any("*" in sections for _, sections in named)
    for chapter, sections in named:
        headings = (PROJECT / "book" / f"{chapter}.md").read_text("utf-8")
        for section in re.findall(r"\*([^*]+)\*", sections):
            assert re.search(f"^#+ .*{re.escape(section)}", headings, re.M), (chapter, section)


def test_the_pages_of_the_plans_are_in_the_book():
    listed = set(sources.pages(PROJECT))
    for name in (*PAGES, "one-day", "projects", "negative-results", "course-plans"):
        assert f"book/instructors/{name}" in listed


def test_levels_are_those_of_the_solution():
    assert plans.levels(PROJECT, "measurement") == [
        (1, 2, 3, 4),
        (5, 6, 7, 8, 9, 10),
        (11, 12, 13, 14),
    ]


def test_stock_counts_labs_questions_and_points():
    (row,) = plans.stock(PROJECT, ["measurement"])
    assert row == ["measurement", 5, 2, 14, 39, 3]
