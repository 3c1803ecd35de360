"""Sphinx extension: a search that cuts its excerpts from the file system as well.

Sphinx's own fetches each page that it lists, which browsers forbid there. Here a script brings the
text of all pages, less the answers of prompts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import lru_cache
from html import unescape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.search.en import SearchEnglish

HERE = Path(__file__).parent
TEXTS = "texts.js"
"""The script, below `_static`."""
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
    app.connect("html-page-context", _note)
    app.connect("build-finished", _finish)
    # Many words stand on many pages, and Sphinx looks for the stem of each word of each page.
    SearchEnglish.stem = lru_cache(None)(SearchEnglish.stem)  # type: ignore[method-assign]
    return {"version": "2", "parallel_read_safe": True, "parallel_write_safe": True}


def _note(app: Sphinx, page: str, template: str, context: Any, doctree: Any) -> None:
    """Keep a page's text in a file: pages are written by several processes, and not all again."""
    if doctree is not None:
        kept = _kept(app, page)
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps(list(sections(doctree))), "utf-8")
    elif page == "search":
        app.add_js_file(TEXTS)


def _kept(app: Sphinx, page: str) -> Path:
    return Path(app.doctreedir) / f"{page}.text.json"


def _finish(app: Sphinx, error: Exception | None) -> None:
    if not error and app.builder.name == "html":
        pages = {page: _kept(app, page) for page in sorted(app.env.found_docs)}
        texts = {page: json.loads(path.read_text("utf-8")) for page, path in pages.items()}
        _write(Path(app.outdir) / "_static", texts)


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


def _write(static: Path, texts: dict[str, list[tuple[str, str]]]) -> None:
    """Write the script with the text of all pages, and have Sphinx's own use it."""
    cut = (HERE / "static" / "search.js").read_text("utf-8")
    (static / TEXTS).write_text(f"const PAGE_TEXTS = {json.dumps(texts)}\n{cut}", "utf-8")
    tools = static / "searchtools.js"
    tools.write_text(adapted(tools.read_text("utf-8")), "utf-8")


def adapted(tools: str) -> str:
    """Return Sphinx's script of the search, with its excerpts cut from the texts."""
    for old, new in _CHANGES:
        if old not in tools:
            raise ValueError(f"searchtools.js no longer cuts its excerpts by {old!r}")
        tools = tools.replace(old, new)
    return tools
