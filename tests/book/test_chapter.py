import nbformat
import pytest

from perfcourse.book import chapter


@pytest.fixture
def plain(tmp_path):
    (tmp_path / "runs.md").write_text("# Runs\n\n```{code-cell}\n1\n```\n")
    (tmp_path / "words.md").write_text("# Words\n")

    def text_of(source, numbers=None):
        cell = nbformat.v4.new_markdown_cell(source)
        chapter.plain(nbformat.v4.new_notebook(cells=[cell]), tmp_path, numbers)
        return cell.source

    return text_of


def test_an_answer_folds_and_its_number_is_said_to_be_in_the_book(plain):
    text = plain(":::{dropdown} 1 (easy). How many?\n{glue:text}`n:.0f`: this many.\n:::\n\nAfter.")
    assert text == (
        "<details><summary>1 (easy). How many?</summary>\n\n"
        f"{chapter.UNKNOWN}: this many.\n\n</details>\n\nAfter."
    )


def test_the_numbers_of_a_built_chapter_stand_in_its_sentences(plain):
    data = {"application/papermill.record/text/plain": "1234.5678"}
    output = nbformat.v4.new_output(
        "display_data", data, metadata={"scrapbook": {"name": "calls", "mime_prefix": "a/"}}
    )
    cell = nbformat.v4.new_code_cell("glue(...)", outputs=[output])
    numbers = chapter.glued(nbformat.v4.new_notebook(cells=[cell]))
    text = plain("{glue:text}`calls:,.1f`, {glue:text}`calls`, {glue:text}`other:.0f`", numbers)
    assert text == f"1,234.6, 1234.5678, {chapter.UNKNOWN}"


def test_an_aside_is_a_quotation_without_its_options(plain):
    text = plain(":::{admonition} From the log\n:class: warning\nIt stopped.\nTwice.\n:::")
    assert text == "> **From the log**\n>\n> It stopped.\n> Twice."


def test_a_frame_without_title_leaves_what_it_holds(plain):
    assert plain(":::{div} cards\n- one\n- two\n:::") == "- one\n- two"


def test_each_of_two_answers_in_a_row_folds_by_itself(plain):
    text = plain("".join(f":::{{dropdown}} {n}\nyes\n:::\n\n" for n in "ab"))
    assert text.count("<details>") == text.count("</details>") == 2


@pytest.mark.parametrize(
    ("link", "led"),
    [
        ("[a](runs.md)", "[a](runs.ipynb)"),
        ("[a](runs.md#part)", "[a](runs.ipynb#part)"),
        ("[a](words.md)", "[a](words.md)"),
        ("[a](https://example.org/runs.md)", "[a](https://example.org/runs.md)"),
    ],
)
def test_links_lead_to_the_notebooks_of_chapters(plain, link, led):
    assert plain(link) == led
