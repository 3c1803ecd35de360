"""Sphinx extension: pages that need no network, load fast, and carry the live figures.

Jupyter Book 1 puts scripts from CDNs and 540 kB of icons on every page. This extension takes them
off, brings MathJax and a small icon sheet into the build, and adds what search engines read.
"""

from __future__ import annotations

import importlib.util
import re
import shutil
import textwrap
from html import unescape
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

from perfmodel.live import display

HERE = Path(__file__).parent
UNWANTED = ("thebe", "://", "require.js")


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect the hooks below; called by Sphinx."""
    app.config.mathjax_path = "mathjax/tex-chtml.js"
    app.connect("builder-inited", _add_files)
    app.connect("autodoc-skip-member", _skip_inherited)
    app.connect("autodoc-process-docstring", _as_text, priority=900)
    app.connect("html-page-context", _add_study)
    app.connect("html-page-context", _clean_page, priority=900)
    app.connect("build-finished", _copy_assets)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def _skip_inherited(
    app: Sphinx, what: str, name: str, member: Any, skip: bool, options: Any
) -> bool | None:
    """Leave methods that a library gives to our classes to that library's own pages."""
    ours = str(getattr(member, "__module__", None) or "perfmodel").startswith("perfmodel")
    return None if ours or not callable(member) else True


def _as_text(app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Let |x| in a docstring's text be an absolute value, and "M. Harchol-Balter" no list."""
    example = False
    for i, line in enumerate(lines):
        example = bool(line.strip()) and (example or line.lstrip().startswith(">>>"))
        if not example:
            lines[i] = re.sub(r"^(\s*[A-Z])\. ", r"\1\\. ", line).replace("|", r"\|")


def _add_files(app: Sphinx) -> None:
    app.add_css_file("live.css")
    app.add_css_file("book.css")
    app.add_js_file("live.js", loading_method="defer")


def _add_study(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Load what exports predictions on the pages that have a place for it."""
    if "data-study=" in context.get("body", ""):
        app.add_js_file("study.js", loading_method="defer", priority=600)


def _clean_page(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Drop scripts and sheets from elsewhere, and give the page its description."""
    for name in ("script_files", "css_files"):
        context[name] = [file for file in context.get(name, []) if not _unwanted(file)]
    title = unescape(re.sub(r"<[^>]+>", "", str(context.get("title", ""))))
    description = _description(context.get("about") or context.get("body", "")) or title or pagename
    context["metatags"] = context.get("metatags", "") + "".join(
        f'<meta {kind}="{name}" content="{_attribute(value)}">\n'
        for kind, name, value in (
            ("name", "description", description),
            ("property", "og:title", title),
            ("property", "og:description", description),
            ("property", "og:type", "article"),
            ("property", "og:site_name", app.config.html_title),
        )
    )


def _description(body: str) -> str:
    """Return the first paragraph of a page as text of at most 155 characters."""
    first = re.search(r"<p>(.*?)</p>", body, re.S)
    text = unescape(re.sub(r"<[^>]+>|\s+", " ", first.group(1))) if first else ""
    return textwrap.shorten(text, 155, placeholder=" …")


def _unwanted(file: Any) -> bool:
    name = str(getattr(file, "filename", file) or "")
    attributes = getattr(file, "attributes", {})
    body = str(attributes.get("body", ""))
    return any(word in name for word in UNWANTED) or "thebe" in body.lower()


def _attribute(text: str) -> str:
    return text.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")


def _classic(module: str) -> str:
    """Turn the module into a classic script: browsers load no modules from the file system."""
    return f"(() => {{\n{module.replace('export default', 'void')}\nwakeAll(document);\n}})();\n"


def _without_answers(search: str) -> str:
    """Have the search page cut its excerpts from what stands open: not from a prompt's answer."""
    left_out = '".headerlink", "script"'
    if left_out not in search:
        raise ValueError(f"searchtools.js no longer lists what its excerpts leave out: {left_out}")
    return search.replace(left_out, f'".live-predict details", {left_out}')


def _copy_assets(app: Sphinx, error: Exception | None) -> None:
    if error or app.builder.name != "html":
        return
    static = Path(app.outdir) / "_static"
    for name in ("book.css", "study.js"):
        shutil.copy(HERE / "static" / name, static / name)
    (static / "live.css").write_text(display.style(), "utf-8")
    (static / "live.js").write_text(_classic(display.script()), "utf-8")
    search = static / "searchtools.js"
    search.write_text(_without_answers(search.read_text("utf-8")), "utf-8")
    for script in (static / "scripts").glob("fontawesome.js*"):
        script.unlink()
    for page in Path(app.outdir).rglob("*.html"):
        text = page.read_text("utf-8")
        if (repaired := _repaired(text)) != text:
            page.write_text(repaired, "utf-8")
    _copy_mathjax(static)


def _repaired(html: str) -> str:
    """Take icon scripts and outdated roles off a page; name its buttons by what they show."""
    html = re.sub(r"\s*<script[^>]*fontawesome\.js[^>]*></script>", "", html)
    html = re.sub(r' role="(doc-biblioentry|list)"', "", html)
    html = html.replace('<summary aria-label="Toggle hidden content"', "<summary")
    html = re.sub(r'(<button class="btn search-button-f[^>]*?) aria-label="Search"', r"\1", html)
    return html.replace(
        '<summary><span class="toctree-toggle"',
        '<summary aria-label="Show the pages below"><span class="toctree-toggle"',
    )


def _copy_mathjax(static: Path) -> None:
    mathjax = Path(str(importlib.util.find_spec("sphinx-mathjax-offline").origin)).parent  # type: ignore[union-attr]
    source = mathjax / "static" / "mathjax"
    for part in ("tex-chtml.js", "output/chtml/fonts/woff-v2"):
        target = static / "mathjax" / part
        target.parent.mkdir(parents=True, exist_ok=True)
        if (source / part).is_dir():
            shutil.copytree(source / part, target, dirs_exist_ok=True)
        else:
            shutil.copy(source / part, target)
