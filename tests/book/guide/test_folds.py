"""Sections that a reader opens: HTML in the book, collapsed headings in JupyterLab."""

import nbformat
import pytest

from perfcourse.book import jupyter
from perfcourse.book.guide import folds
from perfcourse.book.guide.reading_time import count

NEW = nbformat.v4
TAGGED = {"tags": [folds.TAG]}


def notebook(*cells):
    """Return a notebook of `cells`: texts, None for code, and a text in a list for a folded one."""
    made = []
    for cell in cells:
        if cell is None:
            made.append(NEW.new_code_cell("1"))
        elif isinstance(cell, list):
            made.append(NEW.new_markdown_cell(cell[0], metadata=TAGGED))
        else:
            made.append(NEW.new_markdown_cell(cell))
    return NEW.new_notebook(cells=made)


def sources(made):
    return [cell.source for cell in made.cells]


def opening(title):
    return f'<details class="derivation"><summary>{title}</summary>\n\n'


def test_a_section_is_folded_up_to_the_next_heading():
    given = notebook("# Lab", ["## More & more\n\nText."], None, "Still folded.", "## Next")
    kept = given.copy()
    assert sources(folds.closed(given)) == [
        "# Lab",
        f"{opening('More &amp; more')}Text.",
        "1",
        "Still folded.",
        "</details>\n\n## Next",
    ]
    assert given == kept


def test_one_folded_section_may_follow_another_and_end_the_page():
    given = notebook("# Lab", ["## One"], None, ["## Two\n\nText."], "Last.")
    assert sources(folds.closed(given))[1:] == [
        opening("One"),
        "1",
        f"</details>\n\n{opening('Two')}Text.",
        "Last.\n\n</details>",
    ]


def test_a_hash_in_code_is_no_heading():
    text = "```\n# a comment\n```"
    assert sources(folds.closed(notebook(["## One"], text, "## Two")))[1] == text


def test_a_folded_section_in_which_a_reader_measures_says_why_numbers_differ():
    said = sources(folds.closed(notebook(["## On your machine"], "Last.")))[0]
    assert said.startswith(opening("On your machine"))
    assert "{ref}`Why is my number different? <why-different>`" in said


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ((["Text only."], "## Next"), "one plain heading: 'Text only.'"),
        ((["# Lab"], "## Next"), "one plain heading"),
        ((["## With `code`"], "## Next"), "one plain heading"),
        ((["## One\n\n### Two"], "## Next"), "one plain heading"),
        ((["## One"], "Text.\n\n## Two"), "doesn't end where 'Text"),
        ((["## One"], "### Inside"), "doesn't end where '### Inside"),
        ((["## One"], None), "ends with code"),
    ],
)
def test_a_section_that_cannot_be_folded_is_named(cells, message):
    with pytest.raises(ValueError, match=message):
        folds.closed(notebook(*cells))


def test_what_is_folded_is_not_counted(tmp_path):
    given = notebook("# A lab", ["## Much more of it\n\nHidden words."], None, "Hidden.", "## End")
    nbformat.write(given, tmp_path / "lab.ipynb")
    assert count(tmp_path, "lab").words == len(["A", "lab", "End"])


def test_jupyterlab_opens_it_collapsed():
    given = notebook(["## More"], "## Next")
    jupyter.tidy(given, {})
    assert [cell.metadata.get(folds.COLLAPSED) for cell in given.cells] == [True, None]
