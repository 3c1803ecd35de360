"""The command `perfcourse new-assignment`: a bank, its notebook and its data."""

from __future__ import annotations

import json
import re
from pathlib import Path
from string import Template
from typing import Any

import click

from perfcourse.commands.console import course_root

TEMPLATES = Path(__file__).parent / "templates"
FILES = {
    "bank.txt": "{}.py",
    "notebook.txt": "{}.ipynb",
    "times.csv": "{}-times.csv",
    "times-hidden.csv": "{}-times-hidden.csv",
}
"""Which template becomes which file in solutions/."""
_CELL = re.compile(r"(?m)^# %%(.*)\n")


@click.command("new-assignment")
@click.argument("name")
@click.option("--title", default="", help="Title that students read; default: the name.")
def new_assignment_command(name: str, title: str) -> None:
    """Start an assignment of your own: solutions/NAME.py, NAME.ipynb and a data file.

    It has six questions of different kinds. You can release, diagnose and grade them as they are.
    Replace them by your own one by one.
    """
    root = course_root()
    try:
        made = new_assignment(root / "solutions", name, title)
    except (OSError, ValueError) as error:
        raise click.ClickException(str(error)) from error
    for path in made:
        click.echo(path.relative_to(root))
    click.echo(f"Next: perfcourse diagnose {name}, then perfcourse release {name}")


def new_assignment(solutions: Path, name: str, title: str = "") -> list[Path]:
    """Write an assignment of six questions to the folder `solutions` and return the files made.

    `name` is the topic, in lower-case letters, digits and `_`; the title is the name where left
    out.
    """
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        raise ValueError(f"name must be a lower-case word like midterm_1, got {name!r}")
    texts = {solutions / file: made for file, made in filled(name, title).items()}
    for path in texts:
        if path.exists():
            raise ValueError(f"name must be new, got {name!r}: {path} exists")
    for path, text in texts.items():
        path.write_text(text, "utf-8")
    return list(texts)


def filled(name: str, title: str = "") -> dict[str, str]:
    """Return the texts of an assignment's files, by their names."""
    title = title or name.replace("_", " ").capitalize()
    if '"' in title or "\\" in title or not title.isprintable():
        raise ValueError(f"title must be a line without quotation marks, got {title!r}")
    names = {"name": name, "title": title}
    made = {}
    for template, file in FILES.items():
        text = Template((TEMPLATES / template).read_text("utf-8")).substitute(names)
        made[file.format(name)] = as_notebook(text) if template == "notebook.txt" else text
    return made


def as_notebook(text: str) -> str:
    r"""Return a notebook, as JSON, of cells that begin with `# %%`, or `# %% [markdown]`.

    >>> json.loads(as_notebook("# %%\nx = 1\n"))["cells"][0]["source"]
    'x = 1'
    """
    _, *parts = _CELL.split(text)
    cells = [
        _cell(number, "markdown" in kind, source.strip("\n"))
        for number, (kind, source) in enumerate(zip(parts[::2], parts[1::2], strict=True), 1)
    ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    notebook = {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def _cell(place: int, is_text: bool, source: str) -> dict[str, Any]:
    cell = {"id": f"c{place:02}", "metadata": {}, "source": source}
    if is_text:
        return {"cell_type": "markdown", **cell}
    return {"cell_type": "code", "execution_count": None, "outputs": [], **cell}
