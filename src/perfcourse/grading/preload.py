"""What submissions import: the warm parent loads that in advance, once for all of them.

What a submission names is a stranger's text. It is taken only as far as a notebook can reasonably
go, and only the names of modules that are there are used.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Collection, Iterable
from itertools import islice
from pathlib import Path

import perfmodel

_IMPORT = re.compile(
    rb"\b(?:from\s+([A-Za-z_][\w.]{0,200}+)\s+import\s+\(?([\w ,]{0,2000})"
    rb"|import\s+([A-Za-z_][\w. ,]{0,2000}))"
)
MOST = 2000
"""Statements of one notebook that are looked at."""


def imported(data: bytes) -> set[str]:
    r"""Return the modules that a notebook's bytes seem to import; names imported from them too.

    >>> sorted(imported(b'"import numpy as np\\nfrom scipy import stats, special"'))
    ['numpy', 'scipy', 'scipy.special', 'scipy.stats']
    """
    named_modules = set()
    for match in islice(_IMPORT.finditer(data.replace(b"\\n", b"\n")), MOST):
        module, names, modules = match.groups(b"")
        named_modules |= {word.split()[0] for word in modules.split(b",") if word.strip()}
        named_modules |= {module} if module else set()
        words = (word.split() for word in names.split(b","))
        named_modules |= {module + b"." + word[0] for word in words if word}
    return {name.decode("ascii", "replace") for name in named_modules}


def wanted(names: Iterable[str], loadable: Collection[str]) -> tuple[str, ...]:
    """Return what to load in advance: of `loadable` what is named, and the package's modules.

    >>> wanted({"numpy", "antigravity", "perfmodel.scaling"}, ["numpy", "pandas", "perfmodel"])
    ('numpy', 'perfmodel.scaling')
    """
    named = set(names)
    return (*(name for name in loadable if name in named), *sorted(named & _ours()))


def below(packages: Iterable[str]) -> tuple[str, ...]:
    """Return every module of packages of the course's: what is hidden must be loaded before.

    >>> "perfmodel.scaling.laws" in below(["perfmodel.scaling"]), below(["statistics"])
    (True, ())
    """
    starts = tuple(f"{package}." for package in packages)
    return tuple(sorted(name for name in _ours() if name.startswith(starts)))


@functools.cache
def _ours() -> frozenset[str]:
    """Return the names of the course's package's modules, without those that are programs."""
    root = Path(perfmodel.__file__).parent
    paths = (path.relative_to(root.parent).with_suffix("") for path in root.rglob("*.py"))
    names = (".".join(path.parts).removesuffix(".__init__") for path in paths)
    return frozenset(name for name in names if "__" not in name) - {"perfmodel"}
