from docutils import nodes
from docutils.utils import new_document
from sphinx import addnodes

from perfcourse.book.guide import comparing


def section(title, *inside):
    return nodes.section("", nodes.title("", title), nodes.paragraph("", "Words."), *inside)


def test_sections_that_measure_end_with_the_link_and_no_others():
    page = new_document("page")
    inner, measured = section("Details"), section("Measure it, with care")
    own = section("On your machine", inner)
    page += section("STREAM on your machine", own, section("The model"), measured)
    comparing.link(page, "notebooks/measurement/lab")
    links = list(page.findall(addnodes.pending_xref))
    assert [link.parent.parent for link in links] == [own, measured]
    assert own.index(links[0].parent) == own.index(inner) - 1
    assert {link["reftarget"] for link in links} == {comparing.TARGET}
