"""Measure figures that the kernel draws: from a control's new value to the new picture's message.

Run `.venv/bin/python benchmarks/live_kernel.py [WORD ...]` to run the notebooks whose path holds
one of the words, all by default, and move every control of every figure 21 times in the kernel
that made it. The browser adds the way there and back and one frame.
"""

from __future__ import annotations

import json
import statistics
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from nbclient.exceptions import CellExecutionError
from nbformat.v4 import new_code_cell
from rich.console import Console
from rich.table import Table

from perfcourse.book import run, sources

MOST_MS = 100
PROBE = """
import json, time
import numpy as np
from perfmodel.live import kernel

def positions(widget):
    if hasattr(widget, "max"):
        low, high = widget.min, widget.max
        if hasattr(widget, "base"):
            low, high = widget.base**low, widget.base**high
        return [type(widget.value)(value) for value in np.linspace(low, high, 21)]
    return list(np.resize([option[1] for option in widget.options], 21))

def moved(figure):
    for name, item in figure.inputs.items():
        if not hasattr(item.widget, "max") and not hasattr(item.widget, "options"):
            continue
        start, times, stops = item.widget.value, [], []
        for value in positions(item.widget):
            begun = time.perf_counter()
            item.widget.value = value
            times.append(time.perf_counter() - begun)
            said = figure.page.state["says"]
            stops += [said] * said.startswith("The drawing function stopped")
        item.widget.value = start
        yield name, type(item.widget).__name__, times, stops

def all_moved():
    return json.dumps([row for figure in kernel.shown() for row in moved(figure)])

print(all_moved())
"""


def main() -> int:
    """Print one line for each control of each figure and return 1 if one misses the bar."""
    project = sources.root()
    words = sys.argv[1:] or [""]
    paths = [path for path in _paths(project) if any(word in str(path) for word in words)]
    table = Table("page", "control", "widget", "median ms", "95 % ms", "stops")
    medians = []
    with ThreadPoolExecutor(2) as pool:
        for path, rows in zip(paths, pool.map(moved, paths), strict=True):
            for name, kind, times, stops in rows:
                medians.append(1e3 * statistics.median(times))
                high = 1e3 * statistics.quantiles(times, n=20)[-1]
                page = str(path.relative_to(project).with_suffix(""))
                cells = [f"{medians[-1]:.1f}", f"{high:.1f}", str(len(stops))]
                table.add_row(page, name, kind, *cells)
                if stops:
                    print(f"{page}, {name}: {stops[0]}", file=sys.stderr)
    Console(width=120).print(table)
    print(f"{len(medians)} controls, median of medians {statistics.median(medians):.1f} ms")
    return 0 if max(medians) < MOST_MS else 1


def _paths(project: Path) -> list[Path]:
    files = [sources.path(project, page) for page in sources.pages(project)]
    return [path for path in files if path is not None and "exercises" not in path.parts]


def moved(path: Path) -> list[tuple[str, str, list[float], list[str]]]:
    """Return name, widget, seconds of each move and errors for every control in `path`."""
    notebook = sources.read(path)
    if notebook is None or "live" not in "".join(cell.source for cell in notebook.cells):
        return []
    notebook.cells.append(new_code_cell(PROBE))
    try:
        run.executed(notebook, path.parent)
    except CellExecutionError as error:
        print(f"{path.name} stopped: {error.ename}: {error.evalue}", file=sys.stderr)
        return []
    return json.loads("".join(output.text for output in notebook.cells[-1].outputs))


if __name__ == "__main__":
    sys.exit(main())
