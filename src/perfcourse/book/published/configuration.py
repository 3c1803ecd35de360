"""What Jupyter Book is told: `_config.yml`, and what follows from the address that stands there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from perfcourse.release import address as published
from perfcourse.release.address import Address

PREVIEW = "preview.png"
"""The picture that other sites show beside a link to the book, below `_static`."""
PROVIDERS = {"github": "GitHub", "gitlab": "GitLab"}
_EDIT = {"github": "edit", "gitlab": "-/edit"}


def completed(config: Mapping[str, Any], written: Mapping[str, str]) -> dict[str, Any]:
    """Return the configuration of the laid out pages; without an address it shows no button.

    `written` gives the path in the repository of each page that is laid out under another name.
    """
    address, book = published.read(config), published.book(config)
    sphinx = dict(config.get("sphinx") or {})
    sphinx["config"] = dict(sphinx.get("config") or {}) | _head(str(config.get("title", "")), book)
    sphinx["extra_extensions"] = [*sphinx.get("extra_extensions", []), *_extensions(address, book)]
    html = {**(config.get("html") or {}), "baseurl": f"{book}/" if book else ""}
    parse = {**(config.get("parse") or {}), "myst_substitutions": {"files": files(address)}}
    done = {**config, "html": html, "parse": parse, "sphinx": sphinx}
    # Jupyter Book's own repository stands in for one that is left out.
    return done | (
        {"repository": {"url": ""}} if address is None else _buttons(done, address, written)
    )


def files(address: Address | None) -> str:
    """Return how a reader gets the course's files, in Markdown: the pages say `{{ files }}`.

    >>> files(None).partition(":")[0]
    'This copy of the book names no place where its files are published'
    """
    if address is None:
        return (
            "This copy of the book names no place where its files are published: ask the person "
            "who gave it to you for the course's folder."
        )
    repository, name, branch = f"{address.owner}/{address.name}", address.name, address.branch
    github = address.host == "github"
    archive = (
        f"archive/refs/heads/{branch}.zip" if github else f"-/archive/{branch}/{name}-{branch}.zip"
    )
    binder = f"gh/{repository}" if github else f"gl/{address.owner}%2F{name}"
    elsewhere = f"[Binder](https://mybinder.org/v2/{binder}/{branch}?urlpath=lab)"
    if github:
        elsewhere = (
            f"[Codespaces](https://codespaces.new/{repository}) (with an account) or {elsewhere}"
        )
    return (
        f"Type `git clone {address.repository}`, or unpack "
        f"[this archive]({address.repository}/{archive}). To install nothing, open the course in "
        f"{elsewhere}."
    )


def _extensions(address: Address | None, book: str) -> list[str]:
    pages = ["sphinx.ext.githubpages"] if address and address.host == "github" else []
    return ["sphinx_sitemap", *pages] if book else []


def _head(title: str, book: str) -> dict[str, Any]:
    """Return what search engines and other sites are told."""
    settings: dict[str, Any] = {"ogp_site_name": title, "ogp_social_cards": {"enable": False}}
    if book:
        settings |= {
            "ogp_site_url": f"{book}/",
            "ogp_image": f"_static/{PREVIEW}",
            "ogp_image_alt": f"{title}, over a roofline",
            "ogp_custom_meta_tags": ['<meta name="twitter:card" content="summary_large_image" />'],
            "sitemap_url_scheme": "{link}",
        }
    return settings


def _buttons(
    config: Mapping[str, Any], address: Address, written: Mapping[str, str]
) -> dict[str, Any]:
    kinds = ("repository", "edit_page", "issues")
    html = {**config["html"], **{f"use_{kind}_button": True for kind in kinds}}
    settings = dict(config["sphinx"]["config"])
    options = {**(settings.get("html_theme_options") or {}), "use_source_button": True}
    settings["html_theme_options"] = options
    settings["html_context"] = {
        **(settings.get("html_context") or {}),
        "written": dict(written),
        "edit_page_provider_name": PROVIDERS[address.host],
        "edit_page_url_template": f"{address.repository}/{_EDIT[address.host]}/{address.branch}/"
        "{{ written.get(file_name, file_name) }}",
    }
    return {
        "repository": {"url": address.repository, "branch": address.branch, "path_to_book": ""},
        "html": html,
        "launch_buttons": _launchers(address),
        "sphinx": {**config["sphinx"], "config": settings},
    }


def _launchers(address: Address) -> dict[str, str]:
    """Return where notebooks can be run: Colab opens GitHub's alone."""
    launchers = {"binderhub_url": "https://mybinder.org", "notebook_interface": "jupyterlab"}
    if address.host == "github":
        launchers["colab_url"] = "https://colab.research.google.com"
    return launchers
