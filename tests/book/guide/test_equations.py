import re
from pathlib import Path

import nbformat
import pytest
from docutils import nodes
from docutils.utils import new_document

from perfcourse.book import sources
from perfcourse.book.guide import equations

PROJECT = sources.root(Path(__file__))
LABS = sorted((PROJECT / "notebooks").glob("*/*.ipynb"))
PAGES = [*sorted((PROJECT / "book").rglob("*.md")), *LABS]
PAGES += sorted((PROJECT / "solutions").glob("*.ipynb"))


def linked(text, tags=("1", "2")):
    document = new_document("page")
    for tag in tags:
        document += nodes.math_block("", rf"x = 1 \tag{{{tag}}}")
    document += nodes.paragraph("", text)
    equations.link(document)
    return document, [(link.astext(), link["refid"]) for link in document.findall(nodes.reference)]


def test_mentions_lead_to_the_equation():
    document, links = linked("By equation 2, and with (1), all is well.")
    assert links == [("2", "equation-2"), ("1", "equation-1")]
    assert [block["ids"] for block in document.findall(nodes.math_block)] == [
        ["equation-1"],
        ["equation-2"],
    ]


@pytest.mark.parametrize("text", ["(1) First item.", "Do it. (2) Again.", "See (7).", "f(1) is 2"])
def test_lists_and_unknown_numbers_are_left(text):
    assert linked(text)[1] == []


def test_two_at_once():
    assert [number for number, _ in linked("Equations (1) and (2) agree.")[1]] == ["1", "2"]


def test_a_page_without_tags_is_left():
    assert linked("By equation 1.", tags=())[1] == []


@pytest.mark.parametrize("path", LABS, ids=[path.stem for path in LABS])
def test_a_lab_numbers_its_equations_in_order_and_mentions_no_other(path):
    cells = nbformat.read(path, as_version=4).cells
    text = "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    tags = re.findall(r"\\tag\{(.*?)\}", text)
    assert tags == [str(i + 1) for i in range(len(tags))]
    named = re.findall(r"\b[Ee]quations?\s+\(?(\d+)", text)
    assert set(named) <= set(tags)


def wrapped(text):
    r"""Return the displayed formulas that carry a tag and a `\\`, which Sphinx puts into `split`.

    MathJax refuses a tag there; `\cr` ends a line as well and isn't looked for. A bare
    `\begin{align}` outside of dollars is left as it is written, and may hold both.
    """
    formulas = re.findall(r"\$\$(.+?)\$\$", text, re.DOTALL)
    formulas += re.findall(r"^```+\{math\}(.+?)^```", text, re.DOTALL | re.MULTILINE)
    return [f for f in formulas if r"\tag" in f and r"\\" in f]


@pytest.mark.parametrize(
    ("text", "refused"),
    [
        (r"$$\begin{cases} 1 \\ 0 \end{cases} \tag{1}$$", True),
        ("```{math}\n" + r"a \\ b \tag{1}" + "\n```\n", True),
        (r"$$\begin{cases} 1 \cr 0 \end{cases} \tag{1}$$", False),
        (r"$$a \\ b$$ and $$c \tag{1}$$", False),
        (r"\begin{align} a \tag{1} \\ b \tag{2} \end{align}", False),
    ],
)
def test_a_tag_in_a_formula_of_several_lines_is_found(text, refused):
    assert bool(wrapped(text)) == refused


@pytest.mark.parametrize("path", PAGES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_no_tag_stands_where_the_builder_makes_lines(path):
    text = path.read_text("utf-8")
    if path.suffix == ".ipynb":
        cells = nbformat.reads(text, as_version=4).cells
        text = "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    assert wrapped(text) == []
