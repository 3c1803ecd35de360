"""Sphinx extension: pages that need no network, load fast, and carry the live figures.

Jupyter Book 1 puts scripts from CDNs and 540 kB of icons on every page. This extension takes them
off, and brings MathJax, a small icon sheet and the picture for other sites into the build.
"""

from __future__ import annotations

import importlib.util
import io
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from sphinx.application import Sphinx
from sphinx.config import Config

from perfcourse.book.published.configuration import PREVIEW
from perfmodel.live import display

HERE = Path(__file__).parent
UNWANTED = ("thebe", "://", "require.js")


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect the hooks below; called by Sphinx."""
    app.config.mathjax_path = "mathjax/tex-chtml.js"
    app.connect("config-inited", _leave_figures_unnumbered, priority=900)
    app.connect("builder-inited", _add_files)
    app.connect("autodoc-skip-member", _skip_inherited)
    app.connect("autodoc-process-docstring", _as_text, priority=900)
    app.connect("html-page-context", _add_study)
    app.connect("html-page-context", _clean_page, priority=900)
    app.connect("build-finished", _list_pages, priority=400)
    app.connect("build-finished", _copy_assets)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def _leave_figures_unnumbered(app: Sphinx, config: Config) -> None:
    """Undo what `sphinx_jupyterbook_latex` sets in every build: numbering reads each page again."""
    config.numfig = False


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
    # They don't say so, and Sphinx would read in one process. One is for LaTeX, the other numbers
    # sections when all pages are read.
    for name in ("sphinx_jupyterbook_latex", "sphinx_multitoc_numbering"):
        app.extensions[name].parallel_read_safe = True
    app.add_css_file("live.css")
    app.add_css_file("book.css")
    app.add_js_file("live.js", loading_method="defer")
    app.add_js_file("terms.js", loading_method="defer")


def _add_study(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Load what exports predictions on the pages that have a place for it."""
    if "data-study=" in context.get("body", ""):
        app.add_js_file("study.js", loading_method="defer", priority=600)


def _clean_page(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Drop scripts and sheets from elsewhere; without the book's address a page has none."""
    for name in ("script_files", "css_files"):
        context[name] = [file for file in context.get(name, []) if not _unwanted(file)]
    if not app.config.html_baseurl:
        tags = str(context.get("metatags", ""))
        context["metatags"] = re.sub(r'<meta property="og:url".*', "", tags)


def _list_pages(app: Sphinx, error: Exception | None) -> None:
    """Have the sitemap list all pages: it would list those alone that this build wrote."""
    if (links := getattr(app, "sitemap_links", None)) is not None:
        while not links.empty():
            links.get()
        for page in sorted(app.env.found_docs):
            links.put((f"{page}.html", None))


def _unwanted(file: Any) -> bool:
    name = str(getattr(file, "filename", file) or "")
    attributes = getattr(file, "attributes", {})
    body = str(attributes.get("body", ""))
    return any(word in name for word in UNWANTED) or "thebe" in body.lower()


def _classic(module: str) -> str:
    """Turn the module into a classic script: browsers load no modules from the file system."""
    return f"(() => {{\n{module.replace('export default', 'void')}\nwakeAll(document);\n}})();\n"


def _copy_assets(app: Sphinx, error: Exception | None) -> None:
    if error or app.builder.name != "html":
        return
    static = Path(app.outdir) / "_static"
    for name in ("book.css", "study.js", "terms.js"):
        shutil.copy(HERE / "static" / name, static / name)
    (static / "live.css").write_text(display.style(), "utf-8")
    (static / "live.js").write_text(_classic(display.script()), "utf-8")
    if app.config.html_baseurl:
        (static / PREVIEW).write_bytes(picture(app.config.html_title))
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


SIZE = (1200, 630)
"""Width and height in pixels that sites ask for."""
SUBTITLE = "An open course: predict first, measure second, explain third"
_BACK, _INK, _LINE = "#14213d", "#f4f1ea", "#f9a03f"


def picture(title: str) -> bytes:
    """Return a PNG image with the book's title, a line below it, and what a roofline looks like."""
    figure = Figure((SIZE[0] / 100, SIZE[1] / 100), dpi=100, facecolor=_BACK)
    axes = figure.add_axes((0.0, 0.0, 1.0, 0.52), facecolor=_BACK)
    intensity = np.logspace(-2, 3, 200)
    for peak, bandwidth, width in ((30.0, 1.0, 7.0), (30.0, 6.0, 3.0), (8.0, 1.0, 3.0)):
        roof = np.minimum(peak, bandwidth * intensity)
        axes.loglog(intensity, roof, color=_LINE, linewidth=width, solid_capstyle="round")
    kernels = np.array([[0.05, 0.03], [0.4, 0.3], [3.0, 1.6], [12.0, 5.0], [120.0, 16.0]])
    axes.loglog(*kernels.T, "o", color=_INK, markersize=11)
    axes.set(xlim=(0.01, 1000), ylim=(0.01, 90))
    axes.axis("off")
    figure.text(0.06, 0.80, title, color=_INK, fontsize=1230 / max(29, len(title)), weight="bold")
    figure.text(0.06, 0.69, SUBTITLE, color=_INK, fontsize=23)
    file = io.BytesIO()
    figure.savefig(file, format="png", metadata={"Software": None})
    return file.getvalue()
