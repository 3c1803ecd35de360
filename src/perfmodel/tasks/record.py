"""The reader's progress: which tasks are done, in a file of their own on their machine."""

from __future__ import annotations

import ast
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING, Any

import platformdirs

if TYPE_CHECKING:
    from perfmodel.live import Display

FOLDER_VARIABLE = "PERFMODEL_STATE_DIR"
"""Environment variable that names the folder of the progress file."""
LABS = Path(__file__).parents[1] / "labs"
Kept = dict[str, dict[str, dict[str, Any]]]
"""Lab, then title, then `first`, `tries` and `done`; under PRACTICE what `practice` keeps."""
PRACTICE = "practice"
"""Beside the labs: the reader's predictions and reviews."""


@dataclass(frozen=True)
class LabProgress:
    """How far a reader is with the tasks of one lab."""

    page: str
    """The notebook, such as notebooks/scaling/multicore."""
    titles: tuple[str, ...]
    """Of all its tasks, in order."""
    done: int
    tries: int
    """Checks of answers, right and wrong, over all its tasks."""

    @property
    def total(self) -> int:
        """The tasks that the lab has."""
        return len(self.titles)


def path() -> Path:
    """Return the progress file: in PERFMODEL_STATE_DIR, or where this system keeps such things."""
    folder = os.environ.get(FOLDER_VARIABLE)
    return (Path(folder) if folder else platformdirs.user_state_path("perfmodel")) / "progress.json"


def keep(lab: str, title: str, right: bool, said: str) -> str:
    """Record a try at a task and return a message about the file, mostly nothing.

    `lab` is TOPIC/LAB. Once done a task stays so, and what was `said` to the first try is kept.
    """
    try:
        kept, told = read(path())
        now = datetime.now(UTC).isoformat(timespec="seconds")
        task = kept.setdefault(lab, {}).setdefault(title, {"tries": 0, "done": None})
        task.setdefault("first", {"at": now, "right": right, "said": said})
        task["tries"] += 1
        if right and not task["done"]:
            task["done"] = now
        write(path(), kept)
    except OSError as error:
        return f"Your progress could not be kept in {path()}: {error.strerror}."
    return told


def progress() -> list[LabProgress]:
    """Return how far this reader is with each lab that has tasks, in the order of their names.

    The labs' files are read, and none of them is imported.
    """
    try:
        kept, _ = read(path())
    except OSError:
        kept = {}
    return [
        _of(lab, titles, kept.get(lab, {}))
        for file in sorted(LABS.glob("*/*/tasks.py"))
        if (titles := _titles(file)) and (lab := f"{file.parts[-3]}/{file.parts[-2]}")
    ]


def progress_table() -> Display:
    """Return a table of `progress`, to be shown by a notebook."""
    from perfmodel.live import table

    labs = progress()
    rows = [(lab.page.removeprefix("notebooks/"), lab.done, lab.total, lab.tries) for lab in labs]
    done, total = sum(lab.done for lab in labs), sum(lab.total for lab in labs)
    caption = f"Your progress: {done} of {total} tasks done"
    return table(["lab", "tasks done", "tasks", "tries"], rows, caption)


def _of(lab: str, titles: tuple[str, ...], kept: dict[str, dict[str, Any]]) -> LabProgress:
    mine = [kept[title] for title in titles if title in kept]
    page = f"notebooks/{lab.replace('_', '-')}"
    done, tries = sum(bool(task["done"]) for task in mine), sum(task["tries"] for task in mine)
    return LabProgress(page, titles, done, tries)


def _titles(file: Path) -> tuple[str, ...]:
    """Return the titles of the tasks that a file declares, without running it."""
    calls = [
        node.value
        for node in ast.parse(file.read_text("utf-8")).body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
    ]
    return tuple(
        str(call.args[0].value)
        for call in calls
        if isinstance(call.func, ast.Name)
        and call.func.id in ("Task", "Faster")
        and call.args
        and isinstance(call.args[0], ast.Constant)
    )


def read(file: Path) -> tuple[Kept, str]:
    """Return what a progress file holds; one that can't be read is set aside, and that is told."""
    return read_json(file, _check_tasks)


def read_json(
    file: Path, check: Callable[[dict[str, Any]], None] = lambda _: None
) -> tuple[dict[str, Any], str]:
    """Return what a file of the reader's holds; one that fails the `check` is set aside."""
    try:
        kept: dict[str, Any] = json.loads(file.read_text("utf-8"))
        kept.items()
        check(kept)
    except FileNotFoundError:
        return {}, ""
    except (ValueError, KeyError, TypeError, AttributeError):
        aside = _free(file)
        file.replace(aside)
        return {}, f"Your progress file was damaged. It is kept as {aside}, and a new one begun."
    return kept, ""


def _check_tasks(kept: Kept) -> None:
    for lab, tasks in kept.items():
        for task in tasks.values():
            if lab != PRACTICE:
                task["tries"] + 1, task["done"], task["first"]


def _free(file: Path) -> Path:
    count = 1
    while (aside := file.with_name(f"{file.stem}.damaged-{count}{file.suffix}")).exists():
        count += 1
    return aside


def write(file: Path, kept: Mapping[str, Any]) -> None:
    """Replace a file at one stroke, so that a crash leaves the old one or the new one."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile("w", dir=file.parent, delete=False, encoding="utf-8") as new:
        json.dump(kept, new, indent=1, ensure_ascii=False)
    os.replace(new.name, file)
