import pytest
from docutils import nodes
from docutils.utils import new_document
from sphinx import addnodes

from perfcourse.book.about import About
from perfcourse.book.guide import box

LAB = About(("count bytes", "bound a loop"), ("book/a", "book/b"), 30, "easy", True)
OPTIONAL = About(("count bytes", "bound a loop"), (), 30, "hard", False)


@pytest.fixture
def page():
    document = new_document("page")
    section = nodes.section("", nodes.title("", "A title"), nodes.paragraph("", "First words."))
    document += section
    return document


def test_the_box_stands_under_the_title(page):
    box.insert(page, "notebooks/scaling/lab", LAB)
    title, made, text = page.children[0].children
    assert isinstance(title, nodes.title)
    assert made["classes"] == ["about", "about-core"]
    assert text.astext() == "First words."


def test_it_names_what_is_learned_and_links_what_is_needed(page):
    box.insert(page, "notebooks/scaling/lab", LAB)
    items = [item.astext() for item in page.findall(nodes.list_item)]
    assert items == ["count bytes", "bound a loop"]
    links = [link["reftarget"] for link in page.findall(addnodes.pending_xref)]
    assert links == ["/book/a", "/book/b"]


def test_facts_of_an_optional_page_and_of_an_exercise(page):
    made = box._box("notebooks/scaling/lab", OPTIONAL)
    assert made.children[-1].astext() == "Optional · 30 minutes · hard"
    assert "30 minutes for level 1" in box._box("exercises/scaling", OPTIONAL).astext()


def test_a_page_without_a_title_gets_none():
    document = new_document("page")
    box.insert(document, "book/a", LAB)
    assert not document.children


PAGES = {"a": LAB, "b": OPTIONAL, "c": LAB}


class TestFollowing:
    def test_optional_pages_are_passed_over(self):
        assert box.following("a", PAGES) == "c"
        assert box.following("b", PAGES) == "c"

    def test_the_last_page_leads_nowhere(self):
        assert box.following("c", PAGES) is None

    def test_titles_are_escaped(self):
        assert "A &lt; B" in box.way_on("a.html", "A < B")
