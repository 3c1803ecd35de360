"""Where the course is published: its public repository, and the book built from it.

`_config.yml` says so in one place, `repository: url`; all links to either follow from it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_REPOSITORY = re.compile(r"https://(github|gitlab)\.com/([\w.-]+)/([\w.-]+?)(?:\.git)?/?")
_ALLOWED = "https://github.com/OWNER/NAME or https://gitlab.com/OWNER/NAME"


@dataclass(frozen=True)
class Address:
    """A public repository and the book that is published from it."""

    host: str
    """`github` or `gitlab`."""
    owner: str
    name: str
    branch: str
    """The branch that holds the sources."""
    book: str
    """Where the built book is, without a slash at its end."""

    @property
    def repository(self) -> str:
        """The repository's page.

        >>> Address("github", "ada", "course", "main", "").repository
        'https://github.com/ada/course'
        """
        return f"https://{self.host}.com/{self.owner}/{self.name}"

    @property
    def package(self) -> str:
        """What pip installs the package from.

        >>> Address("github", "ada", "course", "main", "").package
        'perfmodel @ git+https://github.com/ada/course@main'
        """
        return f"perfmodel @ git+{self.repository}@{self.branch}"


def read(config: Mapping[str, Any]) -> Address | None:
    """Return the address that the content of a `_config.yml` holds, None while it is empty.

    Where `html: baseurl` is empty, the book is where GitHub or GitLab publishes a repository's
    pages.

    Raises `ValueError` if the address is none of a repository, or its branch is empty.

    >>> found = read({"repository": {"url": "https://github.com/Ada/course", "branch": "main"}})
    >>> found.book
    'https://ada.github.io/course'
    """
    repository = config.get("repository") or {}
    url, branch = str(repository.get("url") or ""), str(repository.get("branch") or "")
    if not url:
        return None
    if (parts := _REPOSITORY.fullmatch(url)) is None:
        raise ValueError(f"_config.yml: repository: url must be {_ALLOWED}, or empty; got {url!r}")
    if not branch:
        raise ValueError("_config.yml: repository: branch must name a branch, got ''")
    host, owner, name = parts.groups()
    return Address(host, owner, name, branch, _baseurl(config) or _pages(host, owner, name))


def book(config: Mapping[str, Any]) -> str:
    """Return where the book is published, without a slash at its end; empty while nobody says so.

    >>> book({"html": {"baseurl": "https://example.org/a/"}})
    'https://example.org/a'
    """
    address = read(config)
    return address.book if address else _baseurl(config)


def _baseurl(config: Mapping[str, Any]) -> str:
    return str((config.get("html") or {}).get("baseurl") or "").rstrip("/")


def _pages(host: str, owner: str, name: str) -> str:
    """Return where a repository's pages are published.

    >>> _pages("github", "ada", "ada.github.io")
    'https://ada.github.io'
    """
    site = f"{owner.lower()}.{host}.io"
    return f"https://{site}" if name.lower() == site else f"https://{site}/{name}"
