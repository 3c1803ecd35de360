"""Sphinx extension: the notebooks that a reader takes from the book, or opens on Colab.

What Sphinx keeps as a page's source is made for the book. Its copy that is downloaded reads like
the one in JupyterLab, leads to the published book, and installs the package where it is missing.
"""

from __future__ import annotations

import filecmp
from pathlib import Path
from typing import Any

import nbformat
import yaml
from sphinx.application import Sphinx

from perfcourse.book import chapter, jupyter
from perfcourse.release import address as published, links
from perfcourse.release.address import Address

INSTALL = """\
# Where the course's package is missing, as on Colab, this installs it.
import importlib.util

if importlib.util.find_spec("perfmodel") is None:
    %pip install --quiet "{package}"
"""


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect the hook below; called by Sphinx."""
    app.connect("build-finished", _rewrite)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def _rewrite(app: Sphinx, error: Exception | None) -> None:
    """Rewrite the copies that Sphinx made in this build: those that still are as their source."""
    if error or app.builder.name != "html":
        return
    source, kept = Path(app.srcdir), Path(app.outdir) / "_sources"
    config = yaml.safe_load((source / "_config.yml").read_text("utf-8"))
    names = jupyter.authors(source / "book" / "references.bib")
    for page in sorted(app.env.found_docs):
        laid, copy = source / f"{page}.ipynb", kept / f"{page}.ipynb"
        if laid.is_file() and copy.is_file() and filecmp.cmp(laid, copy, shallow=False):
            nbformat.write(taken(nbformat.read(laid, 4), page, names, config), copy)


def taken(
    notebook: Any, page: str, names: dict[str, tuple[str, str]], config: dict[str, Any]
) -> Any:
    """Return the notebook of `page` as a reader takes it away; it is changed in place.

    `names` says who wrote each work and when, as `jupyter.authors` does.
    """
    folder = Path(page).parent
    up = "../" * len(folder.parts)
    done = jupyter.opened(notebook, names, up, folder, chapter.glued(notebook))
    links.leaving(done, published.book(config), folder.as_posix())
    if address := published.read(config):
        done.cells.insert(0, _install(address, done.nbformat_minor))
    return done


def _install(address: Address, minor: int) -> Any:
    """Return the cell that installs the package; older notebooks' cells have no id."""
    source = INSTALL.format(package=address.package).rstrip()
    cell = nbformat.v4.new_code_cell(source, id="install")
    cell.metadata["jupyter"] = {"source_hidden": True}
    if minor < 5:
        del cell["id"]
    return cell
