"""How a notebook's file may be called: by its student, by browsers and by systems that copy it."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

_NOTEBOOK = re.compile(r"(?:\.ipynb)+(?:\.(?:txt|json|download))?$", re.IGNORECASE)
"""Browsers and mail programs add another ending."""
_COPY = re.compile(
    r"(?: ?\(\d{1,3}\)|[ _-]{1,3}(?:copy|kopie|copie|copia|cópia|副本) ?\(?\d{0,3}\)?)$",
    re.IGNORECASE,
)
"""What a browser, Jupyter or a system's file manager adds to a second file of one name."""
_VERSION = re.compile(r"[ _-]+(?:final|fixed|last|latest|new|neu|done|v\d+|version ?\d+|\d)$", re.I)
"""What people add."""


def is_notebook(name: str) -> bool:
    """Whether a file is a notebook by its name.

    >>> [is_notebook(name) for name in ("a.ipynb", "a.IPYNB", "a.ipynb.txt", "a.json")]
    [True, True, True, False]
    """
    return bool(_NOTEBOOK.search(name))


def is_archive(name: str) -> bool:
    """Whether a file is a zip archive by its name."""
    return name.lower().endswith(".zip")


def may_hold(name: str) -> bool:
    """Whether a file is a notebook by its name, or may hold one."""
    return is_notebook(name) or is_archive(name)


def is_work(name: str) -> bool:
    """Whether a file may be somebody's work by its name."""
    return may_hold(name) or not PurePosixPath(name).suffix


def is_hidden(path: str) -> bool:
    """Whether a part of a path is hidden, by a dot or two underscores.

    >>> is_hidden("a/.git/x"), is_hidden("__MACOSX/x"), is_hidden("a/_x")
    (True, True, False)
    """
    return any(part.startswith((".", "__")) for part in PurePosixPath(path).parts)


def stem(name: str) -> str:
    """Return a file's name without its folder and without its ending.

    >>> stem("work/ada.ipynb.json"), stem("ada.tar")
    ('ada', 'ada')
    """
    last = PurePosixPath(name).name
    return _NOTEBOOK.sub("", last) if is_notebook(last) else PurePosixPath(last).stem


def original(stem: str) -> str:
    """Return what a copy is a copy of, by the marks that programs set.

    >>> [original(name) for name in ("max (1)", "coffee-Copy1", "max - Copy (2)", "max_final")]
    ['max', 'coffee', 'max', 'max_final']
    """
    return _stripped(stem, _COPY)


def bases(stem: str) -> list[str]:
    """Return what a file's name may stem from, the most cautious reading first.

    >>> bases("coffee_v2 (1)")
    ['coffee_v2 (1)', 'coffee_v2', 'coffee']
    """
    copied = original(stem)
    version = copied
    while (shorter := _stripped(_stripped(version, _VERSION), _COPY)) != version:
        version = shorter
    return list(dict.fromkeys((stem, copied, version)))


def _stripped(text: str, marks: re.Pattern[str]) -> str:
    while (shorter := marks.sub("", text)) and shorter != text:
        text = shorter
    return text
