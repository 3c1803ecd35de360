"""What submissions import: the warm parent loads that in advance, once for all of them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

_IMPORT = re.compile(
    rb"\b(?:from\s+([A-Za-z_][\w.]*)\s+import\s+\(?([\w ,]*)|import\s+([A-Za-z_][\w. ,]*))"
)
OURS = "perfmodel."
MOST = 200
"""Modules of the course's package that are loaded in advance, whatever submissions name."""


def imported(data: bytes) -> set[str]:
    r"""Return the modules that a notebook's bytes seem to import; names imported from them too.

    >>> sorted(imported(b'"import numpy as np\\nfrom scipy import stats, special"'))
    ['numpy', 'scipy', 'scipy.special', 'scipy.stats']
    """
    found = set()
    for module, names, modules in _IMPORT.findall(data.replace(b"\\n", b"\n")):
        found |= {word.split()[0] for word in modules.split(b",") if word.strip()}
        found |= {module} if module else set()
        words = (word.split() for word in names.split(b","))
        found |= {module + b"." + word[0] for word in words if word}
    return {name.decode("ascii", "replace") for name in found}


def wanted(names: Iterable[str], loadable: Collection[str]) -> tuple[str, ...]:
    """Return what to load in advance: of `loadable` what is named, and the package's modules.

    >>> wanted({"numpy", "antigravity", "perfmodel.scaling"}, ["numpy", "pandas", "perfmodel"])
    ('numpy', 'perfmodel.scaling')
    """
    named = set(names)
    ours = sorted(name for name in named if name.startswith(OURS) and "__" not in name)
    return (*(name for name in loadable if name in named), *ours[:MOST])
