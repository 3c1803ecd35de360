"""The built book in headless Chromium, from the file system, with no way out to a network."""

import os
import shutil
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import pytest
import sampling
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

from perfcourse.book import extension, sources
from perfmodel.live import display

PROJECT = Path(__file__).parents[2]
HTML = PROJECT / "_build" / "html"
CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
SETTLED = """() => Promise.race([
  new Promise((done) => setTimeout(done, 20000)),
  Promise.allSettled(document.getAnimations()
    .filter((a) => Number.isFinite(a.effect.getComputedTiming().endTime))
    .map((a) => a.finished)),
]).then(() => 0)"""
TAB_STOPS = """() => [...document.querySelectorAll("#main-content pre")]
  .filter((area) => area.checkVisibility())
  .every((area) => (area.scrollWidth > area.clientWidth || area.scrollHeight > area.clientHeight)
    === (area.tabIndex === 0))"""
"""Whether the theme has marked what scrolls; on a busy machine it takes a while."""
MATHS = """() => Promise.race([
  new Promise((done) => setTimeout(done, 60000)),
  window.MathJax?.startup?.promise,
]).then(() => 0)"""
THIN = """() => {
  const looks = (piece) => piece.tagName + piece.className;
  const seen = new Map();
  const spare = (look) => (seen.set(look, (seen.get(look) || 0) + 1), seen.get(look) > 5);
  for (const row of document.querySelectorAll("main tbody tr"))
    if (spare([row, ...row.querySelectorAll("*")].map(looks).join())) row.remove();
  for (const word of document.querySelectorAll("pre span[class]"))
    if (spare(looks(word))) word.replaceWith(...word.childNodes);
}"""
SAMPLE = """() => {
  const main = document.querySelector("main");
  const own = (piece) => [piece.tagName, piece.getAttribute("class"),
    piece.getAttribute("style"), piece.getAttribute("fill")].join();
  const look = (piece) => piece === main ? "" : look(piece.parentElement) + "/" + own(piece);
  const text = (piece) => [...piece.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
  const seen = new Map();
  for (const piece of [...main.querySelectorAll("*")].filter(text)) {
    if (!main.contains(piece)) continue;
    const kind = look(piece);
    seen.set(kind, (seen.get(kind) || 0) + 1);
    if (seen.get(kind) > 3) piece.remove();
  }
}"""
CUT = """() => [...document.querySelectorAll("main :is(table, mjx-container, pre, svg, img)")]
  .filter((piece) => piece.checkVisibility() && piece.getClientRects().length)
  .filter((piece) => {
    let edge = innerWidth;
    for (let box = piece; box; box = box.parentElement) {
      const how = getComputedStyle(box).overflowX;
      if (how === "auto" || how === "scroll") return false;
      if (box !== piece && how !== "visible")
        edge = Math.min(edge, box.getBoundingClientRect().right);
    }
    return piece.getBoundingClientRect().right > edge + 1;
  }).map((piece) => piece.outerHTML.slice(0, 100))"""
"""What is cut off at the right, and nothing around it scrolls."""
DESK, PHONE = {"width": 1280, "height": 800}, {"width": 320, "height": 800}
NAMES = "label-content-name-mismatch"
"""WCAG 2.5.3, which axe calls experimental and leaves out unless asked."""
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
PAGES = [*sources.pages(PROJECT), "genindex", "search"]
FIRST = {str(Path(name).parent): name for name in reversed(PAGES)}
KINDS = (
    "book/measurement",
    "book/instructors/index",
    "book/api/queueing",
    "notebooks/queueing/five-questions",
    "exercises/queueing",
)
"""One page of each kind, which every run reads closely."""
ONE_TAB = 20
"""Pages that are seen in a tab: its process keeps some memory of each, and grows slow."""


def pytest_collection_modifyitems(config, items):
    if CHROMIUM and (HTML / "index.html").is_file():
        _sample(config, items)
        return
    what = "no built book: run `make book`" if CHROMIUM else "no Chromium on this machine"
    if "browser" in os.environ.get("PERFCOURSE_REQUIRE", ""):
        raise pytest.UsageError(f"the browser tests must run here, but there is {what}")
    for item in items:
        is_here = Path(__file__).parent in item.path.parents
        if is_here and (not CHROMIUM or sampling.BUILT & set(item.fixturenames)):
            item.add_marker(pytest.mark.skip(reason=what))


def _sample(config, items):
    """Leave out what reads a page closely, for pages that this run doesn't sample."""
    chosen = {*sampling.pages(KINDS), "genindex", "search"}
    out = [
        item
        for item in items
        if item.get_closest_marker("closely") and item.callspec.params["seen"] not in chosen
    ]
    config.hook.pytest_deselected(items=out)
    items[:] = [item for item in items if item not in set(out)]


def pytest_generate_tests(metafunc):
    if "name" in metafunc.fixturenames:
        metafunc.parametrize("name", PAGES)


@pytest.fixture
def html():
    """The folder of the built book."""
    return HTML


@pytest.fixture
def pages():
    """All pages of the book, without their ending."""
    return PAGES


@pytest.fixture(scope="session")
def browser():
    flags = "--no-sandbox --disable-gpu --disable-background-networking --disable-component-update"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=[*flags.split(), "--disable-sync", "--no-first-run"]
        )
        yield browser
        browser.close()


class Visit:
    """An open page with what went wrong on it: console errors and requests off the machine."""

    def __init__(self, page):
        self.page = page
        page.on("console", lambda m: m.type == "error" and self.errors.append(m.text))
        page.on("pageerror", lambda e: self.errors.append(str(e)))
        page.on("requestfailed", self._failed)
        page.on("request", self._note)

    def go(self, name):
        """Open a page of the book, and wait until its maths is drawn."""
        self.errors, self.outside = [], []
        folder = str(Path(name).parent)
        self.shows_colours = folder == "book" or FIRST[folder] == name
        """Whether colours are looked at here: in all chapters, and once in each other folder."""
        self.page.goto((HTML / f"{name}.html").as_uri())
        self.page.evaluate(MATHS)
        return self

    def _failed(self, request):
        """Note a failure, unless the page before was left while it loaded."""
        if request.failure != "net::ERR_ABORTED":
            self.errors.append(f"failed: {request.url}")

    def _note(self, request):
        if not request.url.startswith(("file:", "data:", "blob:", "about:")):
            self.outside.append(request.url)

    def widen(self):
        self.page.set_viewport_size(DESK)

    def narrow(self):
        self.page.set_viewport_size(PHONE)

    def cut(self, width):
        """Return what is cut off at a width of the window: tables, equations, code, figures."""
        self.page.set_viewport_size({"width": width, "height": 800})
        self.page.wait_for_function("(width) => innerWidth === width", arg=width)
        return self.page.evaluate(CUT)

    def thin(self):
        """Keep five of each look: rows of tables, coloured words of code."""
        self.page.evaluate(THIN)

    def sample(self):
        """Keep three pieces of text of each look: of the same kind in the same surroundings."""
        self.page.evaluate(SAMPLE)

    def violations(self, rules=()):
        """Return what axe finds by some rules; by all but that of colours if none is named.

        What scrolls is marked by the theme a while after each change of the window: the width
        asked for, the end of what slides in and out at it, and the marks are waited for in turn.
        """
        width = self.page.viewport_size["width"]
        self.page.wait_for_function("(width) => innerWidth === width", arg=width)
        self.page.evaluate(SETTLED)
        self.page.evaluate("dispatchEvent(new Event('resize'))")
        self.page.wait_for_function(TAB_STOPS)
        if rules:
            return self._axe({"runOnly": {"type": "rule", "values": list(rules)}})
        rules = {"color-contrast": {"enabled": False}, NAMES: {"enabled": True}}
        return self._axe({"runOnly": {"type": "tag", "values": TAGS}, "rules": rules})

    def too_faint(self, where="main"):
        """Return text of too little contrast in a part of the page, by far axe's slowest rule.

        Colours that fade in are waited for, twenty seconds at most.
        """
        self.page.evaluate(SETTLED)
        return self._axe({"runOnly": {"type": "rule", "values": ["color-contrast"]}}, where)

    def _axe(self, options, where=None):
        if not self.page.evaluate("'axe' in window"):
            self.page.evaluate(Axe().axe_script)
        run = "([where, options]) => axe.run(where || document, options).then((r) => r.violations)"
        found = self.page.evaluate(run, [where, {**options, "resultTypes": ["violations"]}])
        return [(v["id"], [node["html"][:150] for node in v["nodes"][:3]]) for v in found]


@contextmanager
def tab(browser, **settings):
    """Open a tab in a fresh profile without a network."""
    context = browser.new_context(viewport=DESK, **settings)
    context.set_default_timeout(60_000)
    context.set_offline(True)
    yield Visit(context.new_page())
    context.close()


@pytest.fixture
def visit(browser):
    """Return a function that opens a page of the book in a profile of its own."""
    with ExitStack() as tabs:
        yield lambda name, **settings: tabs.enter_context(tab(browser, **settings)).go(name)


SCRIPT = f"<script>{extension._classic(display.script())}</script>"


@pytest.fixture
def small_page(browser):
    """Return a function that opens a page with these pieces in a tab of its own."""
    with ExitStack() as tabs:

        def show(*pieces, css="", clock=False, **settings):
            page = tabs.enter_context(closing(browser.new_page(**settings)))
            if clock:
                page.clock.install(time=0)
                page.clock.pause_at(1)
            parts = "".join(piece.html for piece in pieces)
            style = f"<style>{display.style()}{css}</style>"
            page.set_content(f"{style}<h1>Page</h1>{parts}{SCRIPT}")
            return page

        yield show


@pytest.fixture
def small_book(browser):
    """Return a function that gives a tab in which each page of http://book.test has a body.

    `after` follows the script on each page.
    """
    with ExitStack() as contexts:

        def bound(body, after="", **settings):
            def answer(route):
                page = f"<title>x</title>{body(Path(route.request.url).stem)}{SCRIPT}{after}"
                text = f'<!doctype html><html lang="en" data-content_root="../">{page}</html>'
                route.fulfill(body=text, content_type="text/html; charset=utf-8")

            context = contexts.enter_context(closing(browser.new_context(**settings)))
            context.set_default_timeout(20_000)
            context.route("**/*", answer)
            return context.new_page()

        yield bound


class Reader:
    """A tab in which one page after the other is seen: to open another takes as long as a page."""

    def __init__(self, browser):
        self.browser = browser
        self.tabs = ExitStack()
        self.count = 0

    def tab(self):
        """Return the tab, a new one after some pages."""
        if self.count % ONE_TAB == 0:
            self.tabs.close()
            self.one = self.tabs.enter_context(tab(self.browser))
        self.count += 1
        return self.one


@pytest.fixture(scope="session")
def reader(browser):
    reader = Reader(browser)
    with reader.tabs:
        yield reader


@pytest.fixture(scope="module", params=PAGES)
def seen(reader, request):
    """Each page of the book in turn, at phone width, loaded once for all tests that look at it."""
    one = reader.tab()
    one.narrow()
    one.page.emulate_media(color_scheme="light")
    return one.go(request.param)
