"""Two pages of the built book printed: formulas set, sheets numbered, links that lead to them."""

from contextlib import nullcontext
from dataclasses import replace

import pytest
import yaml
from pypdf import PdfReader

from perfcourse.book.offline import paper, printing

PAGES = ["book/scaling", "notebooks/scaling/qcd-chip"]


@pytest.fixture
def printed(html, tmp_path, monkeypatch, browser):
    """The PDF of two pages, printed by the browser that is open here."""
    project = html.parents[1]
    contents = yaml.safe_load((project / "_toc.yml").read_text("utf-8"))
    every = {leaf.page: leaf for leaf in paper.leaves(contents)}
    short = [replace(every[PAGES[0]], part="Chapters"), every[PAGES[1]]]
    monkeypatch.setattr(paper, "leaves", lambda contents: short)
    monkeypatch.setattr(printing, "_browser", lambda: nullcontext(browser))
    return PdfReader(printing.pdf(project, tmp_path))


def test_a_printed_page(printed):
    text = "\n".join(sheet.extract_text() for sheet in printed.pages)
    assert "\\frac" not in text
    assert "\\(" not in text
    assert "Show without predicting" not in text
    begins = {page: printed.named_destinations["/" + paper.anchor(page)] for page in PAGES}
    sheets = {
        page: printed.get_destination_page_number(place) + 1 for page, place in begins.items()
    }
    contents = printed.pages[1].extract_text()
    for sheet in sheets.values():
        assert f" {sheet}" in contents.replace("\n", " ")
        assert str(sheet) in printed.pages[sheet - 1].extract_text().split()
    links = [note.get_object() for sheet in printed.pages for note in sheet.get("/Annots", [])]
    inside = [link["/Dest"] for link in links if "/Dest" in link]
    assert len(inside) > 10
    assert {str(name).removeprefix("/") for name in inside} <= {
        name.removeprefix("/") for name in printed.named_destinations
    }
    assert not [link for link in links if "file:" in str(link.get("/A", ""))]
    assert [item["/Title"] for item in printed.outline if not isinstance(item, list)] == [
        "Chapters"
    ]
    chapter, (lab,) = printed.outline[1]
    assert printed.get_destination_page_number(chapter) + 1 == sheets[PAGES[0]]
    assert printed.get_destination_page_number(lab) + 1 == sheets[PAGES[1]]
