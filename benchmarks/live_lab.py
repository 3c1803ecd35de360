"""Measure figures in JupyterLab in Chromium: from a key on a control to the new picture painted.

Run `.venv/bin/python benchmarks/live_lab.py [WORD ...]` for the chapters and labs whose path holds
one of the words, all by default. JupyterLab serves a copy of the course; each page is run there,
and each slider and radio group of each of its figures and drawings gets ten keys. A key's time
ends in the second frame after the figure's HTML has changed. `live_kernel.py` measures the kernel's
part alone.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from playwright.sync_api import Error, Page, sync_playwright
from rich.console import Console
from rich.progress import track
from rich.table import Table

from perfcourse.book import sources

MOST_MS = 100
KEYS = 10
SERVED = ("_toc.yml", "book", "notebooks", "exercises", "solutions")
SETTINGS = "@jupyterlab/notebook-extension/tracker.jupyterlab-settings"
BOXES = ".widget-vbox:has(> .jupyter-widgets figure.live, > div figure.live)"
DRAWINGS = ".jp-OutputArea-output figure.live[data-live=drawing]"
NAME = "self::label or self::legend"
LABEL = ".//label or .//legend"
TIMED = """([handle, figure]) => {
  window.painted = new Promise((done) => {
    let begun = 0;
    const seen = new MutationObserver(() => {
      seen.disconnect();
      requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - begun)));
    });
    handle.addEventListener("keydown", () => {
      begun = performance.now();
      seen.observe(figure, {subtree: true, childList: true, attributes: true, characterData: true});
    }, {once: true, capture: true});
    setTimeout(() => done(null), 2000);
  });
}"""
Row = tuple[str, str, str, list[float]]


def main() -> int:
    """Print a table of medians; return 1 if a page stopped, or a figure is slow or never moved."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("words", nargs="*", default=[""], help="parts of the pages' paths")
    words = parser.parse_args().words
    project = sources.root()
    chosen = [page for page in sources.pages(project) if any(word in page for word in words)]
    chosen = [page for page in chosen if has_figures(project, page)]
    rows: list[Row] = []
    stopped = 0
    with served(project) as address, sync_playwright() as play:
        browser = play.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        for page in track(chosen, "pages", console=Console(stderr=True)):
            try:
                rows += measured(browser.new_page(), address, page)
            except Error as error:
                stopped += 1
                print(f"{page} stopped: {error.message.splitlines()[0]}", file=sys.stderr)
    report(rows)
    quick = all(times and statistics.median(times) < MOST_MS for *_, times in rows)
    return 0 if rows and quick and not stopped else 1


def has_figures(project: Path, page: str) -> bool:
    """Return whether a page of the book is a chapter or a lab with figures to move."""
    path = sources.path(project, page)
    if page.startswith("exercises/") or path is None:
        return False
    notebook = sources.read(path)
    return notebook is not None and any(
        re.search(r"live\.(figure|drawing)\(", cell.source) for cell in notebook.cells
    )


@contextmanager
def served(project: Path) -> Iterator[str]:
    """Yield the address of a JupyterLab that serves a copy of the course, all cells attached."""
    with tempfile.TemporaryDirectory() as folder:
        home, course = Path(folder), Path(folder) / "course"
        course.mkdir()
        for name in SERVED:
            copy = shutil.copytree if (project / name).is_dir() else shutil.copy
            copy(project / name, course / name)
        (home / SETTINGS).parent.mkdir(parents=True)
        (home / SETTINGS).write_text(json.dumps({"windowingMode": "none"}))
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        places = {"JUPYTER_DATA_DIR": "data", "JUPYTER_CONFIG_DIR": "config", "HOME": "."}
        places |= {"PERFMODEL_STATE_DIR": "state", "JUPYTERLAB_SETTINGS_DIR": "."}
        options = ["--no-browser", "--allow-root", "--ip=127.0.0.1", f"--port={port}"]
        server = subprocess.Popen(
            [sys.executable, "-m", "perfcourse.book", "lab", *options, "--IdentityProvider.token="],
            env={**os.environ, **{name: str(home / place) for name, place in places.items()}},
            cwd=course,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            yield _answering(f"http://127.0.0.1:{port}/lab")
        finally:
            server.terminate()
            server.wait()


def _answering(address: str) -> str:
    end = time.monotonic() + 120
    while True:
        try:
            urlopen(address).close()
            return address
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.5)


def measured(page: Page, address: str, name: str) -> list[Row]:
    """Run the page `name` in JupyterLab and return the milliseconds of each control's moves."""
    page.set_default_timeout(120_000)
    page.goto(f"{address}/workspaces/{name.replace('/', '-')}/tree/{name}.ipynb")
    idle = page.locator("#jp-main-statusbar", has_text="| Idle")
    idle.wait_for()
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
    page.wait_for_function(
        """() => [...document.querySelectorAll(".jp-CodeCell .jp-InputArea-prompt")]
          .every((prompt) => !/\\*/.test(prompt.innerText))
          && document.querySelector("figure.live, .jp-mod-error")"""
    )
    idle.wait_for()
    figures = [
        (f"{kind} {place + 1}", box, box.locator(handles).all())
        for kind, boxes, handles in (
            ("figure", page.locator(BOXES), ".noUi-handle, .widget-radio"),
            ("drawing", page.locator(DRAWINGS), "input[type=range], fieldset"),
        )
        for place, box in enumerate(boxes.all())
    ]
    rows = []
    for place, box, handles in figures:
        figure = box.locator("figure.live").or_(box).first.element_handle()
        for handle in handles:
            label = handle.locator(f"xpath=ancestor-or-self::*[{LABEL}][1]//*[{NAME}]").first
            rows.append((name, place, label.inner_text(), _moves(page, figure, handle)))
    page.close()
    return rows


def _moves(page: Page, figure: Any, control: Any) -> list[float]:
    """Return the milliseconds of those of ten keys that changed the figure."""
    times = []
    for number in range(KEYS):
        radio = control.locator("input:not(:checked)")
        handle = (radio.first if radio.count() else control).element_handle()
        handle.scroll_into_view_if_needed()
        page.evaluate(TIMED, [handle, figure])
        handle.press("Space" if radio.count() else ("ArrowLeft", "ArrowRight")[number % 2])
        if (painted := page.evaluate("window.painted")) is not None:
            times.append(painted)
        elif number and not times:
            break
    return times


def report(rows: list[Row]) -> None:
    """Print one line for each control, then those that miss the bar."""
    table = Table("page", "figure", "control", "median ms", "most ms", "moves")
    for name, place, label, times in rows:
        middle, most = (statistics.median(times), max(times)) if times else (0.0, 0.0)
        table.add_row(name, place, label, f"{middle:.0f}", f"{most:.0f}", str(len(times)))
    Console(width=120).print(table)
    medians = [statistics.median(times) for *_, times in rows if times]
    if medians:
        over = sum(value >= MOST_MS for value in medians)
        print(
            f"{len(rows)} controls, median {statistics.median(medians):.0f} ms, most "
            f"{max(medians):.0f} ms, {over} at {MOST_MS} ms or more, "
            f"{len(rows) - len(medians)} never moved; load {os.getloadavg()[0]:.1f}"
        )


if __name__ == "__main__":
    sys.exit(main())
