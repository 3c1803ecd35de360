"""Measure the live figures of the built book: weight, sampling time, delay from key to picture.

Run `make book` first, then `.venv/bin/python benchmarks/live_figure.py`. The delay is measured in
headless Chromium from the slider's input event to the second frame after it, 60 times a figure, so
it holds at least one whole frame (16.7 ms at 60 Hz).
"""

from __future__ import annotations

import gzip
import re
import shutil
import statistics
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright
from rich.console import Console
from rich.table import Table

from perfcourse.book import sources

MEASURE = """
async (figure) => {
  const slider = figure.querySelector("input[type=range]");
  const times = [];
  for (let i = 0; i < 60; i++) {
    slider.value = i % (Number(slider.max) + 1);
    const start = performance.now();
    slider.dispatchEvent(new Event("input"));
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    times.push(performance.now() - start);
  }
  return times;
}
"""


def main() -> int:
    """Print one line for each live figure and return 1 if one misses a bar."""
    project = sources.root()
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        print("no Chromium on this machine: install it to measure the figures")
        return 0
    table = Table("page", "figure", "kB compressed", "median ms", "95 % ms", "in time and weight")
    worst = True
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-background-networking"]
        )
        page = browser.new_page()
        for name in sources.pages(project):
            file = project / "_build" / "html" / f"{name}.html"
            for i, (size, times) in enumerate(figures(page, file), 1):
                median, high = statistics.median(times), statistics.quantiles(times, n=20)[-1]
                good = size <= 30_000 and median < 50
                worst &= good
                table.add_row(
                    name, str(i), f"{size / 1000:.1f}", f"{median:.1f}", f"{high:.1f}", str(good)
                )
        browser.close()
    Console().print(table)
    return 0 if worst else 1


def figures(page, file: Path):
    """Yield the compressed size and the delays of every live figure of the page in `file`."""
    found = re.findall(r'<figure class="live" data-live.*?</figure>', file.read_text("utf-8"), re.S)
    page.goto(file.as_uri())
    elements = page.query_selector_all("figure[data-live=figure]")
    for html, element in zip(found, elements, strict=True):
        yield len(gzip.compress(html.encode())), element.evaluate(MEASURE)


if __name__ == "__main__":
    sys.exit(main())
