"""Made-up pages as one document: links, names and answers where a reader of paper needs them."""

import pytest
from bs4 import BeautifulSoup

from perfcourse.book.offline import paper
from perfmodel import live
from perfmodel.worked_examples.queueing import MEAN_WAIT

CONFIG = """
title: Little book
author: Its authors
copyright: "2026"
html: {extra_footer: "Text & code: free."}
"""
CONTENTS = """
root: book/index
parts:
  - caption: First part
    chapters:
      - file: book/laws
        sections:
          - file: notebooks/laws/lab
"""
PAGE = """<html><head><link rel="stylesheet" href="../_static/a.css?v=1"/>
<script>window.MathJax = {{}}</script><script src="../_static/mathjax/m.js"></script>
<script src="../_static/theme.js"></script></head><body><article class="bd-article">
<section id="top"><h1>{title}<a class="headerlink" href="#top">#</a></h1>{body}</section>
<script>acts()</script></article></body></html>"""
PROMPT = """<section class="live-predict"><p class="live-question"><strong>Predict first.</strong>
How many?</p><form></form><details><summary>The computed answer</summary><p>{0}</p></details>
<script type="application/json">{{"form": "{1}"}}</script></section>"""
RADIO = "<label><input type='radio' value='6'>6 or less</label><button>Commit</button>"
TASK = """<section class="live-task"><p><strong>Now you.</strong> Add.</p><details><summary>Hint
</summary>With +</details><details><summary>One way to do it</summary>a + b</details></section>"""
LAWS = (
    '<h2 id="words">Words</h2><p><a href="../notebooks/laws/lab.html#top">lab</a> '
    '<a href="#words">here</a> <a href="https://example.org">away</a> '
    '<a href="../genindex.html">index</a> <a href="index.html">first</a></p>'
    '<img src="../_images/a.png" alt="a"/>'
    + PROMPT.format("seven", RADIO)
    + PROMPT.format("eight", "")
    + TASK
    + live.worked(MEAN_WAIT).html
)
LAB = (
    '<figure aria-labelledby="cap"><figcaption id="cap">C</figcaption><svg><defs>'
    '<clipPath id="clip"></clipPath></defs><g clip-path="url(#clip)"></g></svg></figure>'
    '<details class="hide"><summary>Code</summary>folded</details>'
    "<details><summary>Derivation</summary>shown</details>"
)


@pytest.fixture
def project(tmp_path):
    (tmp_path / "_config.yml").write_text(CONFIG)
    (tmp_path / "_toc.yml").write_text(CONTENTS)
    pages = {"book/index": "", "book/laws": LAWS, "notebooks/laws/lab": LAB}
    for page, body in pages.items():
        path = tmp_path / "html" / f"{page}.html"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(PAGE.format(title=f"About {page}", body=body))
    return tmp_path


@pytest.fixture
def whole(project):
    document = paper.document(project, project / "html", project / "pdf")
    return BeautifulSoup(document.text({"book-laws": 7}), "html.parser")


def test_pages_stand_in_reading_order_with_headings_by_depth(whole):
    ids = [page["id"] for page in whole.select(".paper-page")]
    assert ids == ["book-index", "book-laws", "notebooks-laws-lab"]
    headings = [(h.name, h.get_text()) for h in whole.find_all(["h1", "h2", "h3", "h4"])]
    assert headings == [
        ("h1", "Contents"),
        ("h2", "About book/index"),
        ("h1", "First part"),
        ("h2", "About book/laws"),
        ("h3", "Words"),
        ("h3", "Computed answers"),
        ("h3", "About notebooks/laws/lab"),
    ]


def test_every_link_leads_to_a_place_in_the_document_or_away(whole):
    ids = {piece["id"] for piece in whole.find_all(id=True)}
    assert len(ids) == len(whole.find_all(id=True))
    links = [link["href"] for link in whole.select(".paper-page a")]
    assert links == [
        "#notebooks-laws-lab--top",
        "#book-laws--words",
        "https://example.org",
        "#book-index",
    ]
    assert all(link[1:] in ids for link in links if link.startswith("#"))
    assert "index" in whole.select_one("#book-laws p").get_text()


def test_names_inside_a_page_still_fit_each_other(whole):
    lab = whole.select_one("#notebooks-laws-lab")
    assert lab.figure["aria-labelledby"] == lab.figcaption["id"]
    assert lab.g["clip-path"] == f"url(#{lab.select_one('[id$=clip]')['id']})"


def test_answers_come_after_all_questions(whole):
    laws = whole.select_one("#book-laws").get_text(" ", strip=True)
    order = ["Predict first (1).", "6 or less", "Predict first (2).", "Now you (3).", "With +",
             "The gap (4).", "Alone (5).", "Computed answers", "seven", "eight", "a + b",
             "= 0.75 s", "= 0.24 s"]  # fmt: skip
    places = [laws.index(words) for words in order]
    assert places == sorted(places)
    numbers = [item["value"] for item in whole.select(".paper-answers li[value]")]
    assert numbers == ["1", "2", "3", "4", "5"]


def test_controls_and_folded_code_go_and_derivations_are_open(whole):
    text = str(whole)
    assert "<button" not in text
    assert "acts()" not in text
    assert "folded" not in text
    assert [fold.get_text() for fold in whole.select("details[open]:not(.live-worked *)")] == [
        "Hint\nWith +",
        "Derivationshown",
    ]


def test_styles_pictures_and_formulas_are_found_from_the_documents_folder(whole):
    assert whole.head.link["href"] == "../html/_static/a.css"
    assert [script.get("src") for script in whole.head("script")] == [
        None,
        "../html/_static/mathjax/m.js",
    ]
    assert whole.select_one("#book-laws img")["src"] == "../html/_images/a.png"


def test_contents_show_the_sheets_that_are_known(whole):
    rows = [row.get_text(" ", strip=True) for row in whole.select(".paper-contents p")]
    assert rows == [
        "About book/index",
        "First part",
        "About book/laws 7",
        "About notebooks/laws/lab",
    ]


def test_a_page_that_was_not_built_is_named(project):
    (project / "html" / "book" / "laws.html").unlink()
    with pytest.raises(FileNotFoundError, match="book/laws isn't built: run `make book` first"):
        paper.document(project, project / "html", project / "pdf")
