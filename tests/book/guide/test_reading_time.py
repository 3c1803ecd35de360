"""The minutes that pages state are those that follow from what a reader sees of them."""

import json
import shutil
from pathlib import Path

import nbformat
import pytest
from click.testing import CliRunner

from perfcourse.book import __main__ as command, about
from perfcourse.book.guide import reading_time
from perfcourse.book.guide.reading_time import Count, count
from perfmodel import live

PROJECT = Path(__file__).parents[3]
NEW = nbformat.v4


CONTENTS = about.contents(PROJECT)


def shown(display, tags):
    """Return a cell of code with the output that shows `display`."""
    output = NEW.new_output("display_data", {"text/html": display.html})
    return NEW.new_code_cell("x = 1", metadata={"tags": tags}, outputs=[output])


@pytest.fixture
def counted(tmp_path):
    """Return what is counted on a lab of some cells."""
    (tmp_path / "notebooks").mkdir()

    def made(*cells, page="notebooks/lab"):
        (tmp_path / page).parent.mkdir(exist_ok=True)
        texts = [NEW.new_markdown_cell(cell) if isinstance(cell, str) else cell for cell in cells]
        nbformat.write(NEW.new_notebook(cells=texts), tmp_path / f"{page}.ipynb")
        return count(tmp_path, page)

    return made


TABLE = live.table(["p"], [[2]], "Amdahl", "It **grows** with p.")


class TestText:
    def test_words_of_headings_lists_and_links(self, counted):
        text = "# A title\n\nRead [the chapter](x.md) and `code`.\n\n- One item"
        assert counted(text) == Count(words=2 + 5 + 2, cells=1)

    def test_numbered_equations_and_tables_are_no_words(self, counted):
        text = "Then\n\n$$x = 1 \\tag{1}$$\n\n$$y = 2$$\n\n| a | b |\n| - | - |\n| c | d |"
        assert counted(text) == Count(words=1, equations=1, stills=1, cells=1)

    def test_what_is_folded_counts_for_nothing(self, counted):
        fold = "<details><summary>More</summary>\n\nmany words\n\n$$x \\tag{2}$$\n\n</details>"
        assert counted(f"One.\n\n{fold}\n\nTwo.") == Count(words=2, cells=1)

    def test_a_fold_may_go_on_over_cells(self, counted):
        first = "One.\n\n<details><summary>More</summary>\n\nfolded"
        assert counted(first, shown(TABLE, []), "still folded\n\n</details>\n\nTwo.") == Count(
            words=2, cells=2
        )

    def test_a_box_counts_if_it_stands_open(self, counted):
        assert counted("```{note}\nThree more words\n```").words == 3
        assert counted("```{note}\n:class: dropdown\nThree more words\n```").words == 0

    def test_a_page_without_code(self, tmp_path):
        (tmp_path / "page.md").write_text("---\nkey: one two three\n---\n# Two words\n", "utf-8")
        assert count(tmp_path, "page") == Count(words=2, cells=1)

    def test_a_page_that_is_missing(self, tmp_path):
        with pytest.raises(FileNotFoundError, match="there is no page book/none"):
            count(tmp_path, "book/none")


class TestCode:
    def test_code_counts_as_shown_unless_its_tag_hides_it(self, counted):
        for tag, coded in (("now-you", 1), ("hide-input", 0), ("remove-input", 0)):
            assert counted(shown(TABLE, [tag])) == Count(words=4, stills=1, cells=1, coded=coded)

    def test_hidden_outputs_count_for_nothing(self, counted):
        assert counted(shown(TABLE, ["remove-input", "hide-output"])) == Count()
        assert counted(shown(TABLE, ["remove-cell"])) == Count()

    def test_figures_with_and_without_a_control(self, counted):
        def draw(n):
            axis = live.Axis("x", 0, 4, "s")
            return live.Plot(
                axis,
                axis,
                [live.Mark("a", [0, 1], [0, n])],
                says="It rises.",
                values={"a at 1 (s)": n},
            )

        moved = live.figure(draw, "A line", "A line that rises", n=live.Slider("n", [1, 2]))
        still = live.picture(draw(1), "A line", "A line that rises")
        assert counted(shown(moved, ["hide-input"])) == Count(figures=1, cells=1)
        assert counted(shown(still, ["hide-input"])) == Count(stills=1, cells=1)

    def test_a_quiz_counts_the_questions_of_a_visit(self, counted):
        asked = [live.question(f"Is {n} even?", ["yes", "no"], "yes", "It is.") for n in (2, 4, 6)]
        assert counted(shown(live.quiz("all", asked), ["hide-input"])).prompts == 3
        assert counted(shown(live.quiz("some", asked, draw=2), ["hide-input"])).prompts == 2

    def test_an_exercise_ends_with_its_first_level(self, counted):
        role = {"nbgrader": {"solution": True}}
        first, second = (NEW.new_code_cell("a = ...", metadata=role) for _ in range(2))
        cells = ["## Level 1: few", first, "## Level 2: more", second]
        found = counted(*cells, page="exercises/topic")
        assert found == Count(words=3, tasks=1, cells=2, coded=1)


def test_rows_of_claims_are_folded_and_take_no_time(counted):
    from perfmodel.labs.serving.specee import claims

    assert {claim.check().met for claim in claims.SHEET.claims} == {True, False}
    assert counted(shown(live.claims_table(claims.SHEET, "Both"), ["hide-input"])).stills == 0


@pytest.mark.parametrize("page", CONTENTS)
def test_the_minutes_of_the_book_are_true_within_a_fifth(page):
    counted, stated = count(PROJECT, page), CONTENTS[page].minutes
    assert counted.agrees(stated), (
        f"{page} states {stated} minutes and takes {counted.minutes:.0f}: "
        f"python -m perfcourse.book minutes {page} --write"
    )


MAIN_LINE = Count(words=1600, prompts=3, figures=2, stills=3, equations=3, tasks=3, coded=7)
"""What a lab shows at most; the rest is folded."""


@pytest.mark.parametrize("page", [page for page in CONTENTS if page.startswith("notebooks/")])
def test_a_lab_shows_its_main_line(page):
    shown = count(PROJECT, page)
    names = ("words", "prompts", "figures", "stills", "equations", "tasks", "coded")
    too_many = [name for name in names if getattr(shown, name) > getattr(MAIN_LINE, name)]
    assert too_many == [], f"fold what isn't on the main line: {shown}"


@pytest.mark.parametrize("page", [page for page in CONTENTS if page.startswith("exercises/")])
def test_the_text_of_an_exercise_states_the_minutes_of_its_box(page):
    text = (PROJECT / f"{page}.ipynb").read_text("utf-8")
    assert reading_time.LEVEL_1.format(CONTENTS[page].minutes) in text


def test_the_command_marks_and_corrects_what_is_off(tmp_path, monkeypatch):
    page = "notebooks/serving/apex"
    for name in ("_toc.yml", f"{page}.ipynb"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(PROJECT / name, tmp_path / name)
    lab = tmp_path / f"{page}.ipynb"
    notebook = json.loads(lab.read_text("utf-8"))
    notebook["metadata"]["course"]["minutes"] = 5
    lab.write_text(json.dumps(notebook, ensure_ascii=False, indent=1) + "\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    told = CliRunner().invoke(command.main, ["minutes", page, "--write"])
    assert told.exit_code == 0, told.output
    assert f"{page} is corrected" in told.output
    stated = about.contents(tmp_path)[page].minutes
    assert stated % reading_time.STEP == 0
    assert count(tmp_path, page).agrees(stated)
    assert "no page that states" in CliRunner().invoke(command.main, ["minutes", "x"]).output
