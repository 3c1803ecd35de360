"""Every page of the built book: works offline, has no errors, and can be read by anyone."""

import gzip
import re
from pathlib import Path
from urllib.parse import unquote

import pytest

from perfcourse.book import about, sources

WIDTHS = (360, 768, 1280, 1920)
OF_WIDTH = ["target-size", "scrollable-region-focusable"]
WORST_PAGE, WORST_FIGURES = 100_000, 120_000
MARKUP = r"\{(ref|cite|term|doc|eq|numref)[:}]|\]\(|\$\$|\\frac|```|:::"


def test_page_works_from_the_file_system(seen):
    """No network, no errors, maths drawn, no raw markup, no dead link."""
    assert seen.outside == []
    assert seen.errors == []
    maths = seen.page.locator(".math")
    assert seen.page.locator(".math mjx-container").count() >= maths.count()
    assert seen.page.locator("mjx-merror").count() == 0
    assert not re.search(MARKUP, prose(seen.page))
    assert dead_links(seen.page) == []


@pytest.mark.closely
def test_page_can_be_read_by_anyone(seen):
    """No accessibility violation in light, in dark and at phone width; nothing sticks out there.

    Dark changes colours alone, and width all but colours. Around the main part all pages look
    alike, which the next test sees to.
    """
    assert seen.page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    assert seen.cut(320) == []
    seen.thin()
    assert seen.violations(OF_WIDTH) == []
    assert [seen.cut(width) for width in WIDTHS] == [[]] * len(WIDTHS)
    seen.widen()
    assert seen.violations() == []
    if seen.shows_colours:
        seen.sample()
        turn(seen.page, "dark")
        assert seen.too_faint() == []
        turn(seen.page, "light")
        seen.narrow()
        assert seen.too_faint() == []


def test_frame_of_the_pages_can_be_read(visit):
    page = visit("book/index")
    assert page.too_faint("body") == []
    turn(page.page, "dark")
    assert page.too_faint("body") == []


def turn(page, scheme):
    page.emulate_media(color_scheme=scheme)
    page.wait_for_function(f"document.documentElement.dataset.theme == '{scheme}'")


def prose(page):
    """Return the text of the page without its code."""
    main = page.locator("main")
    text = main.inner_text()
    for piece in main.locator("pre, code").all_inner_texts():
        text = text.replace(piece, "")
    return text


def dead_links(page):
    links = page.eval_on_selector_all("a[href]", "all => all.map(a => a.href)")
    dead = []
    for link in {link for link in links if link.startswith("file:")}:
        path, _, anchor = unquote(link.removeprefix("file://")).partition("#")
        target = Path(path.partition("?")[0])
        found = target.is_file()
        if found and anchor and target.suffix == ".html":
            found = f'id="{anchor}"' in target.read_text("utf-8")
        if not found:
            dead.append(link)
    return dead


def test_every_page_has_its_own_title_and_description(html, pages):
    heads = [(html / f"{name}.html").read_text("utf-8").split("</head>")[0] for name in pages]
    titles = [re.search(r"<title>(.*?)</title>", head, re.S)[1] for head in heads]
    assert len(set(titles)) == len(pages)
    for name, head in zip(pages, heads, strict=True):
        assert '<link rel="icon" href=' in head, name
    written = [description(head) for head in heads]
    shared = [(n, d, h) for n, d, h in zip(pages, written, heads, strict=True) if d is not None]
    assert [n for n in pages if n not in {page for page, *_ in shared}] == ["genindex", "search"]
    assert len({said for _, said, _ in shared}) == len(shared)
    for name, said, head in shared:
        assert 15 <= len(said) <= 155, name
        assert '<meta property="og:site_name" content="Performance models' in head, name
        assert f'<meta property="og:description" content="{said}"' in head, name


def description(head):
    """Return what a page's head says of it to search engines; nothing on pages made by Sphinx."""
    tag = re.search(r'<meta [^>]*name="description"[^>]*>', head)
    return tag and re.search(r'content="([^"]*)"', tag[0])[1]


def test_without_an_address_no_page_offers_what_lies_at_one(html, pages):
    for name in pages:
        text = (html / f"{name}.html").read_text("utf-8")
        for word in (
            "launch-buttons",
            "source-buttons",
            'rel="canonical"',
            "og:url",
            "og:image",
            'class="feedback"',
        ):
            assert word not in text, name
    assert not (html / "sitemap.xml").exists()


def test_chapters_labs_and_exercises_open_with_their_box(html, pages):
    described = about.contents(sources.root(Path(__file__)))
    for name in pages:
        text = (html / f"{name}.html").read_text("utf-8")
        boxes = len(re.findall(r'<div class="about[ "]', text))
        assert boxes == (name in described), name


def test_the_list_of_pages_marks_the_core_path(visit):
    page = visit("notebooks/scaling/multicore").page
    core = [said for said in about.contents(sources.root(Path(__file__))).values() if said.core]
    assert page.locator(".bd-links a:has(.core-dot)").count() == len(core)
    assert page.locator(".more-labs details[open] a.current").inner_text().startswith("Hill")
    assert page.locator(".way-on a").get_attribute("href") == "../../book/roofline.html"


def test_images_have_a_text_alternative(html, name):
    text = (html / f"{name}.html").read_text("utf-8")
    for image in re.findall(r"<img\b[^>]*>", text):
        alt = re.search(r'alt="([^"]*)"', image)
        assert alt, image
        assert 15 <= len(alt[1]) <= 250 or "logo" in image, image
        assert not re.search(r"\.(png|svg|jpe?g|webp)$", alt[1]), image


def test_pages_are_light(html, name):
    page = (html / f"{name}.html").read_bytes()
    figures = b"".join(re.findall(rb'<figure class="live".*?</figure>', page, re.S))
    assert len(gzip.compress(figures)) <= WORST_FIGURES
    assert len(gzip.compress(page.replace(figures, b""))) <= WORST_PAGE


def test_first_load_is_light(html):
    page = (html / "book" / "scaling.html").read_text("utf-8")
    files = re.findall(r'(?:src|href)="(\.\./_static/[^"?]+\.(?:js|css))', page)
    size = sum(len(gzip.compress((html / "book" / file).read_bytes())) for file in set(files))
    assert size + len(gzip.compress(page.encode())) <= 660_000
