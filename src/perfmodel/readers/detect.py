"""Which tool wrote a file, told from its content."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from perfmodel.readers.refusal import UnreadableFileError, text_of

FORMATS: dict[str, Callable[[str], bool]] = {}
"""Each format's name with the test that a file's text is of it; tried in this order."""


def detect(path: Path | str, among: tuple[str, ...] | None = None) -> str:
    """Return the format of a file.

    Parameters
    ----------
    path : path-like
    among : tuple of str, optional
        The formats that the caller can use, keys of `FORMATS`; default: all.

    Returns
    -------
    str
        A key of `FORMATS`.

    Raises
    ------
    UnreadableFileError
        If it is none of them; the sentence lists those that are read here.
    """
    text = text_of(path)
    found = next((name for name, matches in FORMATS.items() if matches(text)), None)
    usable = tuple(FORMATS) if among is None else among
    if found in usable:
        return found
    what = "no known format" if found is None else f"this is {found}, which says nothing here"
    raise UnreadableFileError(path, None, what, f"read here: {', '.join(usable)}")
