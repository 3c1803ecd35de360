"""Sphinx extension: at the end of each page, how to report a mistake and suggest an edit.

All three links follow from the one address in `_config.yml`; without it a page shows none.
"""

from __future__ import annotations

from html import escape
from typing import Any
from urllib.parse import quote

from sphinx.application import Sphinx

LABEL = "erratum"
"""What mistakes are labelled with at the repository; its template of an issue says so."""


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect the hook below, behind the buttons and the way on; called by Sphinx."""
    app.connect("html-page-context", _add, priority=895)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def _add(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    repository = str(app.config.html_theme_options.get("repository_url") or "")
    if repository and doctree is not None:
        context["body"] += line(repository, pagename, _edit(context))


def _edit(context: dict[str, Any]) -> str:
    """Return where the page's text can be edited, nothing for what isn't written in Markdown."""
    buttons = [b for group in context.get("header_buttons", []) for b in group.get("buttons", [])]
    return next((b["url"] for b in buttons if b.get("label") == "source-edit-button"), "")


def line(repository: str, page: str, edit: str) -> str:
    """Return the line at the end of a page; where `edit` is empty, an edit is suggested in words.

    >>> print(line("https://github.com/ada/course", "book/scaling", ""))  # doctest: +ELLIPSIS
    <p class="feedback">Something wrong or unclear? <a href="https://github.com/ada/course/issues...
    """
    links = {
        "Report a mistake": issue(repository, page, LABEL),
        "Mistakes reported on this page": known(repository, page),
        "Suggest an edit": edit or issue(repository, page, "edit"),
    }
    made = (f'<a href="{escape(link)}">{text}</a>' for text, link in links.items())
    return f'<p class="feedback">Something wrong or unclear? {" · ".join(made)}</p>'


def issue(repository: str, page: str, template: str) -> str:
    """Return where a new issue about a page is written, with its template.

    >>> issue("https://gitlab.com/ada/course", "book/a", "edit")
    'https://gitlab.com/ada/course/-/issues/new?issuable_template=edit&issue[title]=book/a%3A%20'
    """
    title = quote(f"{page}: ")
    if repository.startswith("https://gitlab"):
        return f"{repository}/-/issues/new?issuable_template={template}&issue[title]={title}"
    return f"{repository}/issues/new?template={template}.md&title={title}"


def known(repository: str, page: str) -> str:
    """Return the list of a page's mistakes that readers have reported, mended or not.

    >>> known("https://github.com/ada/course", "book/a")
    'https://github.com/ada/course/issues?q=is%3Aissue%20label%3Aerratum%20in%3Atitle%20%22book/a%22'
    """
    if repository.startswith("https://gitlab"):
        return f"{repository}/-/issues?state=all&label_name[]={LABEL}&search={quote(page)}"
    return f"{repository}/issues?q=" + quote(f'is:issue label:{LABEL} in:title "{page}"')
