"""Store notebooks' outputs in the repository: timings from a quiet machine only, or not at all."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
from nbclient.exceptions import CellExecutionError
from rich.console import Console

from perfcourse.book import quiet, run, sources

AGAIN = 15.0
"""Seconds between two looks at a machine that was not quiet."""


class NotQuietError(Exception):
    """The machine was not quiet, and stayed so for as long as the recording may wait."""

    def __init__(self, path: Path, reasons: Iterable[str]) -> None:
        listed = "".join(f"\n  {reason}" for reason in reasons)
        super().__init__(
            f"{path.name} is not recorded: it times the machine, and that isn't quiet:{listed}\n"
            "Stop what else is running, or let the recording wait: --wait MINUTES"
        )


@dataclass(frozen=True)
class Machine:
    """What a recording asks of the machine; tests have one with a clock of its own."""

    look: Callable[[quiet.Usage | None], quiet.Quietness] = quiet.look
    usage: Callable[[], quiet.Usage] = quiet.usage
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep


def is_timed(notebook: Any) -> bool:
    """Return whether outputs of `notebook` depend on a timing.

    It is `alone` in its metadata, or a cell is tagged so that its output is not compared.
    """
    tags = {tag for cell in notebook.cells for tag in cell.metadata.get("tags", [])}
    return bool(notebook.metadata.get("alone")) or "nbval-ignore-output" in tags


def record(
    paths: Iterable[Path],
    cache: Path,
    console: Console,
    *,
    fresh: bool = False,
    minutes: float = 0.0,
    machine: Machine | None = None,
) -> list[Path]:
    """Run the notebooks in `paths` whose inputs changed, store their outputs, and return them.

    A notebook that is timed runs by itself, on a machine that was quiet before and still is after;
    otherwise its outputs are thrown away, and after `minutes` of waiting over all notebooks a
    `NotQuietError` is raised. Those recorded until then stay. With `fresh`, all are run. `cache`
    keeps the outputs of those that aren't timed.
    """
    notebooks = {path: sources.read(path) for path in paths}
    timed = {path: notebook for path, notebook in notebooks.items() if is_timed(notebook)}
    others = [path for path in notebooks if path not in timed]
    for path, notebook in (done := run.run_all(others, cache, console, fresh)).items():
        _store(notebook, path)
    machine = machine or Machine()
    deadline = machine.clock() + 60 * minutes
    errors = {}
    for path, notebook in timed.items():
        digest = sources.key(notebook, path)
        if not fresh and run.stored_digest(path, notebook) == digest:
            continue
        try:
            _quietly(path, notebook, machine, deadline, console)
        except CellExecutionError as error:
            errors[path] = str(error)
            continue
        notebook.metadata[run.STORED] = digest
        _store(notebook, path)
        console.print(f"{path.name} recorded")
    if errors:
        raise run.NotebookError(errors)
    return [*done, *timed]


def _store(notebook: Any, path: Path) -> None:
    """Write `notebook` to `path`, or what a chapter's Markdown at `path` can't hold beside it."""
    target = sources.recording(path)
    if target != path:
        notebook = copy.deepcopy(notebook)
        notebook.cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
        target.parent.mkdir(exist_ok=True)
    nbformat.write(notebook, target)


def _quietly(
    path: Path, notebook: Any, machine: Machine, deadline: float, console: Console
) -> None:
    """Run `notebook` until one of its runs was undisturbed."""
    while True:
        before = machine.usage()
        reasons = machine.look(None).reasons()
        if not reasons:
            run.executed(notebook, path.parent)
            reasons = machine.look(before).reasons()
            if not reasons:
                return
            console.print(f"{path.name} was disturbed, and its outputs are thrown away")
        if machine.clock() + AGAIN > deadline:
            raise NotQuietError(path, reasons)
        console.print(f"{path.name} waits: {'; '.join(reasons)}", soft_wrap=True)
        machine.sleep(AGAIN)
