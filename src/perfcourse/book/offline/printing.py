"""The document printed to PDF by headless Chromium, twice: the second time with sheets' numbers."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from perfcourse.book.offline import paper

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
FOOTER = (
    '<div style="font-size:8pt;width:100%;text-align:center;color:#555">'
    '<span class="pageNumber"></span></div>'
)
MINUTES = 20
"""What one printing may take: thousands of formulas are set."""


class PrintingError(RuntimeError):
    """The book can't be printed here; the message says what is missing."""


def pdf(project: Path, place: Path) -> Path:
    """Print the built book into the folder `place` and return the file.

    A `PrintingError` says that there is no Chromium, or which package is missing.
    """
    place.mkdir(parents=True, exist_ok=True)
    source, target = place / "book.html", place / "performance-models.pdf"
    document = paper.document(project, project / "_build" / "html", place)
    numbers: dict[str, int] = {}
    with _browser() as browser:
        for _ in range(2):
            source.write_text(document.text(numbers), "utf-8")
            _print(browser, source, target)
            numbers = sheets(target)
    _add_bookmarks(target, document.contents, numbers)
    return target


def sheets(path: Path) -> dict[str, int]:
    """Return the sheet, from 1, on which each place of a PDF that links lead to begins."""
    from pypdf import PdfReader

    reader = PdfReader(path)
    return {
        name.removeprefix("/"): number + 1
        for name, destination in reader.named_destinations.items()
        if (number := reader.get_destination_page_number(destination)) is not None
    }


@contextmanager
def _browser() -> Iterator[Any]:
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        raise PrintingError("printing needs Chromium. On Debian: sudo apt install chromium")
    try:
        import pypdf  # noqa: F401
        from playwright.sync_api import sync_playwright
    except ImportError as error:
        raise PrintingError(f"printing needs {error.name}: pip install 'perfmodel[pdf]'") from error
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=list(FLAGS))
        yield browser
        browser.close()


def _print(browser: Any, source: Path, target: Path) -> None:
    page = browser.new_context(offline=True).new_page()
    page.set_default_timeout(60_000 * MINUTES)
    page.emulate_media(media="print")
    page.goto(source.as_uri())
    page.evaluate("window.MathJax?.startup?.promise.then(() => 0)")
    page.pdf(
        path=target,
        prefer_css_page_size=True,
        print_background=True,
        display_header_footer=True,
        header_template="<span></span>",
        footer_template=FOOTER,
        tagged=True,
    )
    page.context.close()


def _add_bookmarks(
    path: Path, contents: Sequence[tuple[paper.Leaf, str]], numbers: Mapping[str, int]
) -> None:
    """Give a PDF the book's parts and pages as its outline: Chromium's own garbles titles."""
    from pypdf import PdfWriter

    writer = PdfWriter(clone_from=path)
    above: list[Any] = [None]
    for leaf, title in contents:
        number = numbers[paper.anchor(leaf.page)] - 1
        if leaf.part:
            above = [writer.add_outline_item(title=leaf.part, page_number=number)]
        del above[leaf.depth :]
        above.append(writer.add_outline_item(title=title, page_number=number, parent=above[-1]))
    writer.write(path)
