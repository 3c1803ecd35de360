"""What a file is that isn't a notebook, by its first bytes and its name."""

from __future__ import annotations

import re

from perfcourse.intake.file_names import is_archive, is_notebook, may_hold

_STARTS = (
    (b"%PDF-", "a PDF"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"GIF8", "a picture"),
    (b"{\\rtf", "a text document (RTF)"),
    (b"\xd0\xcf\x11\xe0", "a document of Word, Excel or PowerPoint"),
)
_OFFICE = (
    (b"word/", "a Word document"),
    (b"xl/", "an Excel sheet"),
    (b"ppt/", "a PowerPoint presentation"),
    (b"opendocument", "an OpenDocument file"),
)
"""What the first entries of these zip archives are called."""
AN_ARCHIVE = "an archive"
OTHER_ARCHIVE = "an archive that isn't zip"
_OTHER_ARCHIVES = (
    b"\x1f\x8b\x08",
    b"BZh",
    b"\xfd7zXZ",
    b"7z\xbc\xaf",
    b"Rar!",
    b"\x28\xb5\x2f\xfd",
)
_TAR = b"ustar"
_TAR_AT = 257
_PYTHON = re.compile(
    rb"^(?:import \w|from \w+(?:\.\w+)* import |def \w+\(|class \w+[:(]|# ?%%)", re.M
)
_LOOKED_AT = 4096


def kind(data: bytes, name: str = "") -> str:
    """Return what a file is, with its article, or '' where it may be a notebook.

    >>> kind(b"%PDF-1.7"), kind(b"import numpy"), kind(b'{"cells": []}'), kind(b"", "a.docx")
    ('a PDF', 'a Python script', '', '')
    """
    head = data[:_LOOKED_AT].removeprefix(b"\xef\xbb\xbf").lstrip()
    for start, what in _STARTS:
        if head.startswith(start):
            return what
    if head.startswith(b"PK"):
        return next((what for part, what in _OFFICE if part in head), AN_ARCHIVE)
    if head.startswith(_OTHER_ARCHIVES) or data[_TAR_AT:].startswith(_TAR):
        return OTHER_ARCHIVE
    if head[:100].lower().startswith((b"<!doctype html", b"<html")):
        return "a web page"
    if may_hold(name) and not is_notebook(name):
        return AN_ARCHIVE if is_archive(name) else OTHER_ARCHIVE
    if not head.startswith((b"{", b"[")) and (name.endswith(".py") or _PYTHON.search(head)):
        return "a Python script"
    return ""


def zipped(data: bytes) -> bool:
    r"""Whether the bytes are a zip archive that isn't an office document.

    >>> zipped(b"PK\x03\x04..."), zipped(b"PK\x03\x04...word/document.xml"), zipped(b"%PDF")
    (True, False, False)
    """
    return data.startswith((b"PK\x03\x04", b"PK\x05\x06")) and kind(data) == AN_ARCHIVE
