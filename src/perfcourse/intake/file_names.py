"""How a notebook's file may be called: by its student, by browsers and by systems that copy it."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

_NOTEBOOK = re.compile(r"(?:\.ipynb)+(?:\.(?:txt|json|download))?$", re.IGNORECASE)
"""Browsers and mail programs add another ending."""
_WORD = "(?:copy|kopie|copie|copia|cópia|副本)"
_COPY = re.compile(
    rf"(?: ?\(\d{{1,3}}\)| ?\((?:another |\d+(?:st|nd|rd|th) )?{_WORD}(?: \d{{1,3}})?\)"
    rf"|[ _-]{{1,3}}(?:的)?{_WORD} ?\(?\d{{0,3}}\)?|的?副本 ?\d{{0,3}}|\+\d{{1,3}}|[._-]checkpoint"
    r"|[._-]bak|~)$|^(?:copy(?: \(\d+\))? of|kopie(?: \(\d+\))? von|copie de|copia de|cópia de) ",
    re.IGNORECASE,
)
"""What a browser, Jupyter, Google Drive, Sakai or a system's file manager adds to a second file of
one name."""
_VERSION = re.compile(
    r"[ ._-]+(?:final|fixed|last|latest|new|neu|done|v\d+|version ?\d+|\d)$", re.I
)
"""What people add."""
_ARCHIVE = re.compile(
    r"(?:\.ipynb)*(?:\.zip|\.rar|\.7z|\.tgz|(?:\.tar)?(?:\.gz|\.xz|\.bz2|\.zst)|\.tar)$",
    re.IGNORECASE,
)


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
    """Whether a file is a notebook by its name, or may hold one, as any archive may.

    >>> [may_hold(name) for name in ("a.ipynb", "a.zip", "a.rar", "a.tar.gz", "a.csv")]
    [True, True, True, True, False]
    """
    return is_notebook(name) or bool(_ARCHIVE.search(name))


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

    >>> stem("work/ada.ipynb.json"), stem("ada.ipynb.zip"), stem("ada.tar.gz"), stem("ada.txt")
    ('ada', 'ada', 'ada', 'ada')
    """
    last = PurePosixPath(name).name
    for form in (_NOTEBOOK, _ARCHIVE):
        if (shorter := form.sub("", last)) not in ("", last):
            return shorter
    return PurePosixPath(last).stem


def original(stem: str) -> str:
    """Return what a copy is a copy of, by the marks that programs set.

    >>> [original(name) for name in ("max (1)", "coffee-Copy1", "Kopie von max", "max_final")]
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
