"""Feedback pages in a zip archive, under the names by which a platform knows whose they are.

Moodle's "Upload multiple feedback files in a zip" finds the student in the folder's name, or in
what stands before the file's. Canvas's "Re-upload submissions" finds the student and the file that
was handed in by the two numbers, and shows the student what it gets under that file's old name
(canvas-lms issue 2406): so a notebook gets a notebook back, and an archive an archive.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Iterable, Mapping, Sequence

from perfcourse.gradebook.grade import Grade
from perfcourse.intake.collection import Collected
from perfcourse.intake.submissions import Submission
from perfcourse.report.gradebooks import listed

_BODY = re.compile(r"<body[^>]*>\n?(.*)</body>", re.S)
_LONG_AGO = (1980, 1, 1, 0, 0, 0)


def returns(
    results: Sequence[Grade], pages: Mapping[str, str], topic: str, collected: Collected
) -> tuple[bytes, tuple[str, ...]]:
    """Return the archive for the platform that the submissions came from, and what isn't in it.

    Parameters
    ----------
    results : sequence of Graded
        Of everybody.
    pages : mapping
        The feedback page of each result, by its name.
    topic : str
        For the names of the files.
    collected : Collected
        Where they came from.

    Returns
    -------
    bytes, tuple of str
        The archive, empty where nothing came from a platform; remarks.
    """
    submissions = {each.name: each for each in collected.submissions if each.origin}
    files: dict[str, Submission] = {}
    left_out: list[str] = []
    for graded in listed(results, collected):
        if submission := submissions.get(graded.name):
            name = _name(submission, topic)
            files |= {name: submission} if name else {}
            left_out += [] if name else [graded.name]
    remark = (
        f"Canvas can't return a page for {', '.join(left_out)}, which is no notebook: tell the "
        "student yourself."
    )
    made = (
        (name, _content(submission, pages[submission.name], topic))
        for name, submission in sorted(files.items())
    )
    return (_zipped(made) if files else b""), ((remark,) if left_out else ())


def _name(submission: Submission, topic: str) -> str:
    """Return the name that the feedback must have, empty where there is no way to return it."""
    origin = submission.origin
    if origin is None:
        return ""
    if origin.platform == "moodle":
        before = origin.prefix if origin.file else f"{submission.name}/"
        return f"{before}{topic}-feedback.html"
    return (
        submission.name
        if origin.file.endswith(".ipynb") or origin.file.lower().endswith(".zip")
        else ""
    )


def _content(submission: Submission, page: str, topic: str) -> bytes:
    """Return the feedback in the form of what was handed in."""
    if submission.origin is None or submission.origin.platform == "moodle":
        return page.encode()
    if submission.origin.file.lower().endswith(".zip"):
        return _zipped([(f"{topic}-feedback.html", page.encode())])
    return as_notebook(page).encode()


def as_notebook(page: str) -> str:
    """Return a page as a notebook of one cell of text.

    Blank lines would end HTML in Markdown, so each holds an empty comment.
    """
    match = _BODY.search(page)
    lines = (match[1] if match else page).strip().splitlines()
    source = "\n".join(line if line.strip() else "<!-- -->" for line in lines)
    text = {"cell_type": "markdown", "id": "feedback", "metadata": {}, "source": source}
    whole = {"cells": [text], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, indent=1) + "\n"


def _zipped(files: Iterable[tuple[str, bytes]]) -> bytes:
    """Return files as an archive that is the same for the same files."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files:
            info = zipfile.ZipInfo(name, _LONG_AGO)
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, data)
    return stream.getvalue()
