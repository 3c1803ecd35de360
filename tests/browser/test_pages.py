"""Every page of the built book: works offline, has no errors, and can be read by anyone."""

import gzip
import re
from pathlib import Path

import pytest

from .conftest import HTML, PAGES

WORST_PAGE, WORST_FIGURES = 100_000, 120_000


@pytest.mark.parametrize("name", PAGES)
def test_page_needs_no_network_and_has_no_errors(visit, name):
    seen = visit(name)
    assert seen.outside == []
    assert seen.errors == []


@pytest.mark.parametrize("name", PAGES)
def test_maths_is_drawn(visit, name):
    page = visit(name).page
    wanted = page.locator(".math").count()
    assert page.locator(".math mjx-container").count() >= wanted
    assert page.locator("mjx-merror").count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_no_accessibility_violations(visit, name, scheme):
    assert visit(name, scheme).violations() == []


@pytest.mark.parametrize("name", PAGES)
def test_phone_width(visit, name):
    seen = visit(name, width=320)
    wide = seen.page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert wide <= 0
    assert seen.violations() == []


@pytest.mark.parametrize("name", PAGES)
def test_no_raw_markup_shows(visit, name):
    main = visit(name).page.locator("main")
    text = main.inner_text()
    code = main.locator("pre, code").all_inner_texts()
    for piece in code:
        text = text.replace(piece, "")
    assert not re.search(r"\{(ref|cite|term|doc|eq|numref)[:}]|\]\(|\$\$|\\frac|```|:::", text)


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_somewhere(visit, name):
    page = visit(name).page
    links = page.eval_on_selector_all("a[href]", "all => all.map(a => a.href)")
    for link in {link for link in links if link.startswith("file:")}:
        path, _, anchor = link.removeprefix("file://").partition("#")
        path = path.partition("?")[0]
        target = Path(path)
        assert target.is_file(), link
        if anchor and target.suffix == ".html" and anchor != "__next":
            assert f'id="{anchor}"' in target.read_text("utf-8"), link


def test_every_page_has_its_own_title_and_description():
    heads = [(HTML / f"{name}.html").read_text("utf-8").split("</head>")[0] for name in PAGES]
    titles = [re.search(r"<title>(.*?)</title>", head, re.S)[1] for head in heads]
    assert len(set(titles)) == len(PAGES)
    for name, head in zip(PAGES, heads, strict=True):
        description = re.search(r'<meta name="description" content="([^"]*)"', head)
        assert description, name
        assert len(description[1]) >= 15 or name in ("genindex", "search"), name


@pytest.mark.parametrize("name", PAGES)
def test_images_have_a_text_alternative(name):
    html = (HTML / f"{name}.html").read_text("utf-8")
    for image in re.findall(r"<img\b[^>]*>", html):
        alt = re.search(r'alt="([^"]*)"', image)
        assert alt, image
        assert 15 <= len(alt[1]) <= 250 or "logo" in image, image
        assert not re.search(r"\.(png|svg|jpe?g|webp)$", alt[1]), image


@pytest.mark.parametrize("name", PAGES)
def test_pages_are_light(name):
    html = (HTML / f"{name}.html").read_bytes()
    figures = b"".join(re.findall(rb'<figure class="live".*?</figure>', html, re.S))
    assert len(gzip.compress(figures)) <= WORST_FIGURES
    assert len(gzip.compress(html.replace(figures, b""))) <= WORST_PAGE


def test_first_load_is_light():
    html = (HTML / "book" / "scaling.html").read_text("utf-8")
    files = re.findall(r'(?:src|href)="(\.\./_static/[^"?]+\.(?:js|css))', html)
    size = sum(len(gzip.compress((HTML / "book" / file).read_bytes())) for file in set(files))
    assert size + len(gzip.compress(html.encode())) <= 660_000
