"""Each public solver of queueing has a reader: a page of the book or a notebook that calls it."""

import json
import re
from pathlib import Path

import perfmodel.queueing

PROJECT = Path(perfmodel.queueing.__file__).parents[3]


def code_of_pages():
    for page in (PROJECT / "book").glob("*.md"):
        yield from re.findall(r"```\{code-cell\}\n(.*?)```", page.read_text("utf-8"), re.S)
    for folder in ("notebooks", "solutions"):
        for notebook in (PROJECT / folder).rglob("*.ipynb"):
            for cell in json.loads(notebook.read_text("utf-8"))["cells"]:
                if cell["cell_type"] == "code":
                    yield "".join(cell["source"])


def test_each_public_solver_is_used_on_a_page():
    pages = re.sub(r"(?m)^ *from \S+ import (\([^)]*\)|.*$)", "", "\n".join(code_of_pages()))
    solvers = [name for name in perfmodel.queueing.__all__ if name[0].islower()]
    unread = [name for name in solvers if not re.search(rf"\b{name}\b", pages)]
    assert len(solvers) > 100
    assert unread == []
