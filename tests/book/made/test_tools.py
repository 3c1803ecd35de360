"""The pages on what tools print: made from the table, listed, linked, and readable on a phone."""

import re
from pathlib import Path

import pytest

from perfcourse.book import made, sources
from perfcourse.book.made import tools
from perfmodel.tool_outputs import PAGES, behaviours

PROJECT = Path(__file__).parents[3]
MADE = tools.pages(PROJECT)


def test_each_page_of_the_table_is_in_the_table_of_contents():
    assert set(MADE) == {f"book/tools/{page}" for page in PAGES}


@pytest.mark.parametrize("page", PAGES)
def test_a_page_shows_each_row_with_version_and_date(page):
    text = MADE[f"book/tools/{page}"]
    shown = text.partition("## The tools")[2]
    for row in behaviours(page=page):
        entry = shown.partition(f"### {row.tool}: {row.title}\n")[2].partition("\n###")[0]
        assert f"{row.version}, run on {row.run.day} November 2026 |" in entry
        assert entry.count("\n| ") == 6
    assert max(len(line.split(" | ")) for line in shown.splitlines()) == 2, "two columns"


@pytest.mark.parametrize("page", PAGES)
def test_the_questions_stand_before_the_answers(page):
    text = MADE[f"book/tools/{page}"]
    asked = re.findall(r'id="prompt-(tools-[a-z0-9-]+)"', text)
    assert asked == [f"tools-{row.id}" for row in behaviours(page=page)]
    assert text.index("data-live") < text.index("## The tools")
    assert f'data-draw="{min(10, len(asked))}"' in text


def test_what_somebody_writes_is_left_alone(tmp_path):
    (tmp_path / "book" / "tools").mkdir(parents=True)
    (tmp_path / "_toc.yml").write_text(
        "root: book/index\nchapters:\n  - file: book/tools/index\n  - file: book/tools/serving\n"
    )
    (tmp_path / "book" / "tools" / "index.md").write_text("# By hand\n")
    assert list(tools.pages(tmp_path)) == ["book/tools/serving"]


def test_the_build_names_the_table_as_their_source():
    assert (PROJECT / tools.SOURCE).is_file()
    assert made.source("book/tools/serving") == tools.SOURCE
    assert made.source("book/api/scaling").endswith("scaling/__init__.pyi")


def test_every_page_is_linked_from_a_chapter_or_the_first_page_of_the_tools():
    text = "".join(
        path.read_text("utf-8")
        for page in sources.pages(PROJECT)
        if (path := sources.path(PROJECT, page)) and path.suffix == ".md"
    )
    for page in PAGES:
        assert f"({page}.md)" in text or f"(tools/{page}.md)" in text
    for chapter, page in {
        "measurement": "load-testing",
        "queueing": "queueing",
        "scaling": "clusters",
        "roofline": "models",
        "serving": "serving",
        "benchmarking": "statistics",
    }.items():
        assert f"(tools/{page}.md)" in (PROJECT / f"book/{chapter}.md").read_text("utf-8")
