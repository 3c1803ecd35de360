"""Run notebooks: only those whose inputs changed, several at a time, with their progress shown.

A notebook in the repository carries its outputs and the digest of what they depend on; while that
is still its digest, the outputs count as fresh. Those of a chapter's Markdown lie in a notebook of
its code cells beside it (`sources.recording`). The tests run notebooks again and compare.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from perfcourse.book import sources

TIME_LIMIT = 300
"""Seconds that one cell may take."""
STORED = "outputs_of"
"""Where a notebook's metadata holds the digest that its stored outputs belong to."""
WIDGET = "application/vnd.jupyter.widget-view+json"
"""The form of an output that only a running kernel can show."""


class NotebookError(Exception):
    """Notebooks that did not run, each with the error it stopped at."""

    def __init__(self, errors: dict[Path, str]) -> None:
        super().__init__("\n\n".join(f"{path} stopped:\n{text}" for path, text in errors.items()))
        self.errors = errors


def run_all(
    paths: Iterable[Path], cache: Path, console: Console, fresh: bool = False
) -> dict[Path, Any]:
    """Return the notebooks in `paths` with their outputs, running those that are stale.

    A notebook that times the machine says `alone: true` in its metadata and runs after the others,
    with nothing beside it. `cache` keeps one executed notebook a digest (`sources.key`). A
    `NotebookError` comes after all have been tried, if some stopped with an error.
    """
    cache.mkdir(parents=True, exist_ok=True)
    notebooks = {path: nb for path in paths if (nb := sources.read(path)) is not None}
    keys = {path: sources.key(nb, path) for path, nb in notebooks.items()}
    made = {path: cache / f"{digest}.ipynb" for path, digest in keys.items()}
    stored = {path for path, nb in notebooks.items() if stored_digest(path, nb) == keys[path]}
    stale = [path for path in notebooks if fresh or not (path in stored or made[path].exists())]
    if errors := _run_stale(stale, notebooks, made, console):
        raise NotebookError(errors)
    for path in notebooks:
        is_stored = path in stored and path not in stale
        if not is_stored or path != sources.recording(path):
            _take_outputs(notebooks[path], sources.recording(path) if is_stored else made[path])
            notebooks[path].metadata[STORED] = keys[path]
    return notebooks


def stored_digest(path: Path, notebook: Any) -> str | None:
    """Return the digest that the stored outputs of `notebook`, read from `path`, belong to."""
    recorded = sources.recording(path)
    if recorded != path:
        if not recorded.is_file():
            return None
        notebook = nbformat.read(recorded, as_version=4)
    digest: str | None = notebook.metadata.get(STORED)
    return digest


def _run_stale(
    stale: list[Path], notebooks: dict[Path, Any], targets: dict[Path, Path], console: Console
) -> dict[Path, str]:
    errors: dict[Path, str] = {}
    if not stale:
        return errors
    columns = (
        TextColumn("running notebooks"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[last]}"),
    )
    with Progress(*columns, console=console) as progress, ProcessPoolExecutor(_workers()) as pool:
        task = progress.add_task("", total=len(stale), last="")
        for batch in _batches(stale, notebooks):
            jobs = {pool.submit(_run, notebooks[p], p.parent, targets[p]): p for p in batch}
            for job in as_completed(jobs):
                if error := job.result():
                    errors[jobs[job]] = error
                outcome = "failed" if error else "ran"
                progress.update(task, advance=1, last=f"{jobs[job].name} {outcome}")
    return errors


def _batches(stale: list[Path], notebooks: dict[Path, Any]) -> list[list[Path]]:
    alone = [path for path in stale if notebooks[path].metadata.get("alone")]
    return [[path for path in stale if path not in alone], *([path] for path in alone)]


def _workers() -> int:
    return max(1, min(os.cpu_count() or 1, 8))


def _run(notebook: Any, folder: Path, target: Path) -> str | None:
    """Run `notebook` in `folder`, write it to `target`, and return its error if it had one."""
    try:
        executed(notebook, folder)
    except CellExecutionError as error:
        return str(error)
    part = target.with_suffix(".part")
    nbformat.write(notebook, part)
    part.replace(target)
    return None


def executed(notebook: Any, folder: Path) -> Any:
    """Run `notebook` in `folder` and return it with its outputs.

    They are made to be the same each time: without widgets, whose random names mean nothing once
    the kernel is gone, and with what a cell prints in a row as one output, however it arrived.
    """
    client = NotebookClient(
        notebook,
        timeout=TIME_LIMIT,
        kernel_name="python3",
        store_widget_state=False,
        record_timing=False,
        extra_arguments=["--IPKernelApp.log_level=ERROR"],
        resources={"metadata": {"path": str(folder)}},
    )
    client.execute()
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = _tidy(cell.outputs)
    return notebook


def _tidy(outputs: list[Any]) -> list[Any]:
    tidy: list[Any] = []
    for output in outputs:
        output.get("data", {}).pop(WIDGET, None)
        if output.output_type == "stream" and tidy and tidy[-1].get("name") == output.name:
            tidy[-1].text += output.text
        else:
            tidy.append(output)
    return tidy


def _take_outputs(notebook: Any, target: Path) -> None:
    """Give `notebook` the outputs stored in `target`; its text may have changed since."""
    stored = [
        cell for cell in nbformat.read(target, as_version=4).cells if cell.cell_type == "code"
    ]
    fresh = [cell for cell in notebook.cells if cell.cell_type == "code"]
    for cell, old in zip(fresh, stored, strict=True):
        cell.outputs, cell.execution_count = old.outputs, old.execution_count
