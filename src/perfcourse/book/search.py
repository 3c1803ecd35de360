"""Sphinx extension: a search that cuts its excerpts from the file system as well.

Sphinx's own fetches each page that it lists, which browsers forbid there. Here a script brings the
text of all pages, less the answers of prompts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

HERE = Path(__file__).parent
TEXTS = "texts.js"
"""The script, below `_static`."""
_START = "const PAGE_TEXTS = "
_CHANGES = (
    (
        "fetch(requestUrl)\n      .then((responseData) => responseData.text())",
        "Promise.resolve(docName)",
    ),
    ("Search.htmlToText(htmlText, anchor)", "textOf(htmlText, anchor)"),
)
"""What is written otherwise in Sphinx's script, and how."""


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect the hooks below; called by Sphinx."""
    texts: dict[str, list[tuple[str, str]]] = {}

    def note(app: Sphinx, page: str, template: str, context: Any, doctree: Any) -> None:
        if doctree is not None:
            texts[page] = list(sections(doctree))
        elif page == "search":
            app.add_js_file(TEXTS)

    def finish(app: Sphinx, error: Exception | None) -> None:
        if not error and app.builder.name == "html":
            _write(Path(app.outdir) / "_static", texts, app.env.found_docs)

    app.connect("html-page-context", note)
    app.connect("build-finished", finish)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": False}


def sections(doctree: nodes.document) -> Iterator[tuple[str, str]]:
    """Yield each section's anchor with its text, its own title first, less the sections in it."""
    for section in doctree.findall(nodes.section):
        own = [child for child in section.children if not isinstance(child, nodes.section)]
        text = " ".join(piece for child in own for piece in _pieces(child))
        yield section["ids"][0], re.sub(r"\s+", " ", text).strip()


def _pieces(node: nodes.Node) -> Iterator[str]:
    if isinstance(node, nodes.raw):
        yield opened(node.astext())
    elif isinstance(node, (nodes.Invisible, nodes.math_block)):
        return
    elif isinstance(node, (nodes.TextElement, nodes.Text)):
        yield node.astext()
    else:
        for child in node.children:
            yield from _pieces(child)


def opened(html: str) -> str:
    """Return the text of an element, less what is folded or drawn.

    >>> opened("<p>How many?</p><details><summary>Answer</summary>2 &lt; 3</details>").strip()
    'How many?'
    """
    html = re.sub(r"<(script|style|svg|details)\b.*?</\1>", " ", html, flags=re.S)
    return unescape(re.sub(r"<[^>]+>", " ", html))


def _write(static: Path, texts: dict[str, list[tuple[str, str]]], pages: set[str]) -> None:
    """Write the script, with the pages that this build wrote and those of builds before."""
    script = static / TEXTS
    before = script.read_text("utf-8").split("\n")[0] if script.is_file() else f"{_START}{{}}"
    known = json.loads(before.removeprefix(_START)) | texts
    listed = json.dumps({page: known[page] for page in sorted(pages & set(known))})
    cut = (HERE / "static" / "search.js").read_text("utf-8")
    script.write_text(f"{_START}{listed}\n{cut}", "utf-8")
    tools = static / "searchtools.js"
    tools.write_text(adapted(tools.read_text("utf-8")), "utf-8")


def adapted(tools: str) -> str:
    """Return Sphinx's script of the search, with its excerpts cut from the texts.

    Raises
    ------
    ValueError
        If it holds no longer what has to be written otherwise.
    """
    for old, new in _CHANGES:
        if old not in tools:
            raise ValueError(f"searchtools.js no longer cuts its excerpts by {old!r}")
        tools = tools.replace(old, new)
    return tools
