"""The versions of libraries that a grade may depend on: what a submission imports, and their own.

Libraries count by their version, since nobody edits those in place.
"""

from __future__ import annotations

import functools
import importlib.metadata
import re
from collections.abc import Iterable, Mapping

_NAME = re.compile(r"[\w.-]+")
AGENT = ("numpy", "IPython")
"""What every student's process runs with."""


def version(library: str) -> str:
    """Return the version of a library that is installed, empty where it isn't.

    >>> version("numpy").count(".") > 0, version("no such library")
    (True, '')
    """
    try:
        return importlib.metadata.version(library)
    except (importlib.metadata.PackageNotFoundError, ValueError):
        return ""


def versions(modules: Iterable[str]) -> dict[str, str]:
    """Return the versions of the libraries that modules belong to, and of what those need.

    Modules that belong to no library here are left out without looking for them one by one.

    >>> found = versions(["scipy.stats", "json", "no_such_library"])
    >>> sorted(found)
    ['numpy', 'scipy']
    """
    named = {name.partition(".")[0] for name in modules} & _libraries().keys()
    waiting = {library for name in named for library in _libraries()[name]}
    numbers: dict[str, str] = {}
    while waiting:
        name = waiting.pop()
        if name not in numbers and (number := version(name)):
            numbers[name] = number
            waiting |= set(_needed(name))
    return numbers


@functools.cache
def _libraries() -> Mapping[str, list[str]]:
    """Return the installed libraries by the name under which they are imported.

    The course's own is named here, because an editable install doesn't list its packages.
    """
    return {**importlib.metadata.packages_distributions(), "perfmodel": ["perfmodel"]}


@functools.lru_cache(maxsize=1024)
def _needed(library: str) -> tuple[str, ...]:
    """Return the libraries that one needs, without those that only an extra of it does."""
    lines = importlib.metadata.requires(library) or []
    names = (_NAME.match(line) for line in lines if "extra ==" not in line)
    return tuple(name.group() for name in names if name)
