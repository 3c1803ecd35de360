import pytest
from bs4 import BeautifulSoup
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace, patch_docutils

from perfcourse.book.guide import sidebar

LIST = """<ul><li class="toctree-l1"><a class="reference" href="../../book/scaling.html">Scaling</a>
<details><summary></summary><ul>
<li class="toctree-l2"><a class="reference" href="one.html">One</a></li>
<li class="toctree-l2 current"><a class="reference" href="#">Two</a></li>
<li class="toctree-l2"><a class="reference" href="../../exercises/scaling.html">Exercise</a></li>
</ul></details></li></ul>"""
CORE = {"book/scaling", "notebooks/scaling/one", "exercises/scaling"}


@pytest.fixture
def marked():
    soup = BeautifulSoup(LIST, "html.parser")
    return sidebar.mark(soup, "notebooks/scaling/two", CORE)


def test_the_core_path_is_marked_for_eyes_and_ears(marked):
    dotted = [link.get_text() for link in marked.select("a:has(.core-dot)")]
    assert dotted == ["Scaling (core path)", "One (core path)", "Exercise (core path)"]


def test_other_labs_are_folded_behind_the_rest(marked):
    items = marked.select_one("li.toctree-l1 ul").find_all("li", recursive=False)
    names = [item.a.get_text() for item in items]
    assert names == ["One (core path)", "Exercise (core path)", "Two"]
    assert items[-1].summary.get_text() == sidebar.FOLD


def test_the_fold_is_open_where_one_reads(marked):
    assert marked.select_one(".more-labs details").has_attr("open")
    elsewhere = LIST.replace(" current", "").replace('"#"', '"two.html"')
    soup = BeautifulSoup(elsewhere, "html.parser")
    fold = sidebar.mark(soup, "notebooks/scaling/one", CORE).select_one(".more-labs details")
    assert not fold.has_attr("open")


def test_a_chapter_of_core_pages_has_no_fold():
    soup = BeautifulSoup(LIST, "html.parser")
    everything = CORE | {"notebooks/scaling/two"}
    assert not sidebar.mark(soup, "notebooks/scaling/two", everything).select(".more-labs")


PAGES = {
    "index": "Book\n====\n\n.. toctree::\n   :caption: One\n\n   a/one\n   a/two\n\n"
    ".. toctree::\n   :caption: Two\n\n   b/three\n",
    "a/one": "One\n===\n\n.. toctree::\n\n   below\n   ../b/also\n",
    "a/below": "Below & beside\n==============\n\nPart\n----\n",
    "b/also": "Also\n====\n",
    "a/two": "Two\n===\n",
    "b/three": "Three\n=====\n",
}


@pytest.mark.parametrize("page", [*PAGES, "search"])
def test_the_list_is_the_one_that_sphinx_makes(page, tmp_path):
    for name, text in PAGES.items():
        path = tmp_path / "pages" / f"{name}.rst"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    how = {"maxdepth": -1, "collapse": False, "includehidden": True, "titles_only": True}
    places = (tmp_path / "pages", None, tmp_path / "html", tmp_path / "trees")
    with patch_docutils(), docutils_namespace():
        app = Sphinx(
            *(place and str(place) for place in places), "html", status=None, confoverrides={}
        )
        app.builder.read()
        app.builder.prepare_writing(set(PAGES))
        app.builder.current_docname = page
        assert sidebar.toctree(app, page, **how) == app.builder._get_local_toctree(page, **how)
