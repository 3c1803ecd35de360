"""Sphinx extension: the theme's buttons, led to files that are there.

The theme knows one path to a page for all: that of the file which Sphinx read. Yet a chapter is
written in Markdown, and a notebook on Colab needs a first cell that the repository's hasn't.
"""

from __future__ import annotations

from typing import Any

from sphinx.application import Sphinx

BRANCH = "gh-pages"
"""The branch that the built book is pushed to, from which Colab opens what `downloads` wrote."""


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect the hook below, behind those of the theme; called by Sphinx."""
    app.connect("html-page-context", _mend, priority=502)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def opens(page: str) -> bool:
    """Say whether a page is a notebook in a checkout in which JupyterLab has been prepared.

    >>> opens("book/scaling"), opens("book/instructors/sandbox")
    (True, False)
    """
    return page.startswith(("notebooks/", "exercises/")) or page.count("/") == 1


def _mend(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    groups = context.get("header_buttons", [])
    if not opens(pagename):
        groups[:] = [group for group in groups if group["label"] != "launch-buttons"]
    for group in groups:
        if "buttons" in group:
            buttons = [button for button in group["buttons"] if _keeps(button)]
            group["buttons"] = [_led(button, app) for button in buttons]


def _keeps(button: dict[str, Any]) -> bool:
    """Say whether a button is of use: on the web nobody edits a notebook."""
    return button.get("label") != "source-edit-button" or button["url"].endswith(".md")


def _led(button: dict[str, Any], app: Sphinx) -> dict[str, Any]:
    """Lead a button to Colab to the copy made for it, one to a notebook's source to its cells."""
    url = button.get("url", "")
    if button["text"] == "Colab":
        branch = app.config.html_theme_options["repository_branch"]
        url = url.replace(f"/blob/{branch}/", f"/blob/{BRANCH}/_sources/", 1)
    return {**button, "url": url.replace(".ipynb?plain=1", ".ipynb")} if url else button
