"""Pages as they are once the course has an address: each link leads to a file that is there."""

import json
import re
import shutil
from html import unescape

import pytest
from addressed import PAGES, PROJECT, URL, built
from IPython.core.inputtransformer2 import TransformerManager

from perfcourse.book import jupyter
from perfcourse.book.published import buttons

BOOK = "https://ada.github.io/course"
MADE = {f"book/{path.stem}.ipynb" for path in (PROJECT / "book").glob("*.md")}
"""Places of notebooks that git doesn't keep, whether or not JupyterLab has been prepared here."""
EVERYWHERE = set(PAGES)
NOTEBOOKS = {page for page in PAGES if page.startswith(("exercises/", "notebooks/"))}
CHAPTERS = {"book/index", "book/scaling"}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of the built pages: what the branch gh-pages holds."""
    return built(tmp_path_factory.mktemp("course"))


@pytest.fixture(scope="module")
def links(site):
    """All addresses that each page leads to, without their anchors."""
    found = {}
    for page in PAGES:
        text = (site / f"{page}.html").read_text("utf-8")
        found[page] = {unescape(href) for href in re.findall(r'href="([^"#]+)', text)}
    return found


def places(links, start):
    """Return what follows `start` in the links of each page that has such a link."""
    found = {}
    for page, all_ in links.items():
        if rest := [link.removeprefix(start) for link in all_ if link.startswith(start)]:
            found[page] = rest
    return found


def kept(place):
    """Say whether the repository holds a file at this place."""
    return (PROJECT / place).is_file() and place not in MADE


def test_every_page_leads_to_its_source(links):
    sources = places(links, f"{URL}/blob/main/")
    assert set(sources) == EVERYWHERE
    for page, (place,) in sources.items():
        path = place.removesuffix("?plain=1")
        assert kept(path), place
        assert path.startswith(page) or page == "book/api/scaling", place


def test_what_is_written_in_markdown_can_be_edited_and_all_be_discussed(links):
    edited = places(links, f"{URL}/edit/main/")
    assert set(edited) == EVERYWHERE - NOTEBOOKS - {"book/api/scaling"}
    assert all(kept(place) and place.endswith(".md") for (place,) in edited.values())
    assert set(places(links, f"{URL}/issues/new?title=")) == EVERYWHERE
    assert set(places(links, URL)) == EVERYWHERE


def test_each_page_ends_with_a_door_to_people(links, site):
    templates = {path.stem for path in (PROJECT / ".github" / "ISSUE_TEMPLATE").glob("*.md")}
    assert templates == {path.stem for path in (PROJECT / ".gitlab").rglob("*.md")}
    new = places(links, f"{URL}/issues/new?template=")
    assert set(new) == EVERYWHERE
    for page, found in new.items():
        asked = dict(link.split(".md&title=") for link in found)
        edited = page not in NOTEBOOKS | {"book/api/scaling"}
        assert set(asked) == ({"erratum"} if edited else templates)
        assert set(asked.values()) == {f"{page}%3A%20"}
        text = (site / f"{page}.html").read_text("utf-8")
        door = re.search(r'<p class="feedback">(.*?)</p>', text)[1]
        words = re.findall(r"<a [^>]*>([^<]+)</a>", door)
        assert words == ["Report a mistake", "Mistakes reported on this page", "Suggest an edit"]
        assert (f"{URL}/edit/main/" in door) == edited
    listed = places(links, f"{URL}/issues?q=")
    assert listed["book/scaling"] == [
        "is%3Aissue%20label%3Aerratum%20in%3Atitle%20%22book/scaling%22"
    ]


def test_colab_opens_what_the_pages_branch_holds(links, site):
    start = f"https://colab.research.google.com/github/ada/course/blob/{buttons.BRANCH}/"
    opened = places(links, start)
    assert set(opened) == NOTEBOOKS | CHAPTERS
    assert all((site / place).is_file() for (place,) in opened.values())


def test_binder_opens_what_it_has_made_ready(links, tmp_path):
    opened = places(links, "https://mybinder.org/v2/gh/ada/course/main?urlpath=lab/tree/")
    assert set(opened) == NOTEBOOKS | CHAPTERS
    shutil.copytree(PROJECT / "book", tmp_path / "book", ignore=shutil.ignore_patterns("*.ipynb"))
    made = {path.relative_to(tmp_path).as_posix() for path in jupyter.chapters(tmp_path)}
    assert all(kept(place) or place in made for (place,) in opened.values())


def test_downloads_and_pages_on_this_site_are_there(links, site):
    for page, all_ in links.items():
        downloads = [link for link in all_ if link.startswith("../") and "_sources/" in link]
        assert len(downloads) == 1, page
        assert (site / page).parent.joinpath(downloads[0]).is_file()
        own = [link.removeprefix(f"{BOOK}/") for link in all_ if link.startswith(BOOK)]
        assert own == [f"{page}.html"], "the page's canonical address"


def test_sitemap_and_picture_name_files_that_are_there(site):
    listed = re.findall(r"<loc>(.*?)</loc>", (site / "sitemap.xml").read_text("utf-8"))
    assert {link.removeprefix(f"{BOOK}/").removesuffix(".html") for link in listed} == EVERYWHERE
    for page in PAGES:
        head = (site / f"{page}.html").read_text("utf-8").split("</head>")[0]
        tags = dict(re.findall(r'<meta property="(og:\w+)" content="([^"]*)"', head))
        assert (site / tags["og:image"].removeprefix(f"{BOOK}/")).is_file()
        assert tags["og:url"] == f"{BOOK}/{page}.html"
        assert tags["og:site_name"] == "Performance models, by doing"
        assert f'content="{tags["og:description"]}" name="description"' in head or (
            f'name="description" content="{tags["og:description"]}"' in head
        )
    assert (site / ".nojekyll").is_file()


@pytest.mark.parametrize("page", sorted(NOTEBOOKS | CHAPTERS))
def test_a_notebook_that_is_taken_away_installs_the_package_and_leads_to_the_book(site, page):
    cells = json.loads((site / "_sources" / f"{page}.ipynb").read_text("utf-8"))["cells"]
    first = "".join(cells[0]["source"])
    assert f'"perfmodel @ git+{URL}@main"' in first
    shell = []
    scope = {"get_ipython": lambda: type("Shell", (), {"run_line_magic": shell.append})}
    exec(TransformerManager().transform_cell(first), scope)
    assert shell == [], "where the package is, nothing is installed"
    text = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    assert not re.search(r"\{[\w:]+\}`|\]\((?:\.\./|[\w/-]+\.(?:md|ipynb))", text)
    assert f"]({BOOK}/book/" in text


def test_what_the_configuration_says_elsewhere_reaches_the_page(site):
    front = (site / "book" / "index.html").read_text("utf-8")
    assert "Text: CC BY 4.0. Code: BSD 3-Clause." in front
