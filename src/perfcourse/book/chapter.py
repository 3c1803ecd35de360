"""A chapter's Markdown in JupyterLab: what only the book can show, written so that it reads well.

The book folds answers, frames asides and sets computed numbers into its sentences by directives
and roles. JupyterLab would show their source.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from perfcourse.book import sources

_FENCE = re.compile(r"^:::\{(\w+)\}[ ]*(.*)\n((?:^:[\w-]+:.*\n)*)((?:.*\n)*?):::[ ]*$", re.M)
_LINK = re.compile(r"\]\(([^)\s#:]+)\.md([#)])")
_GLUE = re.compile(r"\{glue:text\}`([^`:]+)(?::([^`]*))?`")
UNKNOWN = "*(see the book)*"
"""What stands for a number that the book sets into a sentence, while no book is built."""


def glued(built: Any) -> dict[str, str]:
    """Return by name the numbers that a built chapter's cells have ready for its sentences."""
    outputs = [output for cell in built.cells for output in cell.get("outputs", [])]
    return {
        output.metadata["scrapbook"]["name"]: text
        for output in outputs
        if "scrapbook" in output.get("metadata", {})
        for kind, text in output.data.items()
        if kind.endswith("text/plain")
    }


def plain(notebook: Any, folder: Path, numbers: Mapping[str, str] | None = None) -> Any:
    """Return `notebook` with directives, numbers and links in its text as JupyterLab shows them.

    It is changed in place. Links from `folder` to Markdown that has code lead to the notebook made
    of it; `numbers` are what its sentences show, as `glued` returns it.
    """

    def number(role: re.Match[str]) -> str:
        text = (numbers or {}).get(role[1])
        return UNKNOWN if text is None else format(float(text), role[2]) if role[2] else text

    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            text = _GLUE.sub(number, _FENCE.sub(_unfenced, cell.source))
            cell.source = _LINK.sub(lambda link: _led(link, folder), text)
    return notebook


def _unfenced(block: re.Match[str]) -> str:
    r"""Return a directive's content: folded, as a quotation under its title, or as it stands.

    >>> _unfenced(_FENCE.match(":::{dropdown} How many?\nTwo.\n:::"))
    '<details><summary>How many?</summary>\n\nTwo.\n\n</details>'
    """
    kind, title, _, body = block.groups()
    if kind == "dropdown":
        return f"<details><summary>{title}</summary>\n\n{body.strip()}\n\n</details>"
    if kind == "admonition":
        lines = [f"**{title}**", "", *body.strip().split("\n")]
        return "\n".join(f"> {line}".rstrip() for line in lines)
    return body.strip()


def _led(link: re.Match[str], folder: Path) -> str:
    page = folder / f"{link[1]}.md"
    return f"]({link[1]}.{'ipynb' if _runs(page) else 'md'}{link[2]}"


def _runs(page: Path) -> bool:
    return page.is_file() and sources.read(page) is not None
