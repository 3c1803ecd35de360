"""Feedback pages in a zip archive, under the names by which a platform knows whose they are.

Moodle's "Upload multiple feedback files in a zip" finds the student in the folder's name, or in
what stands before the file's. Canvas's "Re-upload submissions" finds the student and the file that
was handed in by the two numbers, and shows the student what it gets under that file's old name
(canvas-lms issue 2406): so a notebook gets a notebook back, and an archive an archive. Sakai's
"Upload All" finds the student in the folder's name, and the grades as `grades.csv` beside the
folders; ILIAS's "Multi-feedback" finds the student by the number at the end of the folder's name.
Both want one folder around all others.
"""

from __future__ import annotations

import io
import itertools
import json
import re
import zipfile
from collections.abc import Iterable, Mapping, Sequence

from perfcourse.gradebook.grade import Grade
from perfcourse.intake.collection import Collected
from perfcourse.intake.file_names import is_archive, is_notebook
from perfcourse.intake.platforms import RETURNED, Origin
from perfcourse.intake.submissions import Submission
from perfcourse.report.gradebooks import SAKAI, Gradebook, listed

_BODY = re.compile(r"<body[^>]*>\n?(.*)</body>", re.S)
_LONG_AGO = (1980, 1, 1, 0, 0, 0)


def returns(
    results: Sequence[Grade],
    pages: Mapping[str, str],
    topic: str,
    collected: Collected,
    books: Sequence[Gradebook] = (),
) -> tuple[bytes, tuple[str, ...]]:
    """Return the archive for the platform that the submissions came from, and remarks on the rest.

    It is empty where nothing came from a platform that takes any; `pages` are the feedback pages by
    result, `books` the gradebooks, of which Sakai's lies in it.
    """
    submissions = {
        each.name: each
        for each in collected.submissions
        if each.origin and each.origin.platform in ("moodle", "canvas", "sakai", "ilias")
    }
    files: dict[str, Submission] = {}
    left_out: list[str] = []
    for graded in listed(results, collected):
        if submission := submissions.get(graded.name):
            name = _name(submission, topic)
            files |= {name: submission} if name else {}
            left_out += [] if name else [graded.name]
    remark = (
        f"The platform can't return a page for {', '.join(left_out)}: send the student's yourself."
    )
    grades = [(f"{topic}/grades.csv", book.text.encode()) for book in books if book.file == SAKAI]
    made = (
        (name, _content(submission, pages[submission.name], topic))
        for name, submission in sorted(files.items())
    )
    archive = _zipped(itertools.chain(grades, made)) if files or grades else b""
    return archive, ((remark,) if left_out else ())


def _name(submission: Submission, topic: str) -> str:
    """Return the name that the feedback must have, empty where there is no way to return it."""
    origin = submission.origin
    if origin is None:
        return ""
    name = submission.work or submission.name
    page = f"{topic}-feedback.html"
    if origin.platform == "ilias":
        return f"{topic}/{name}/{page}"
    if origin.platform == "sakai":
        return "" if origin.file or origin.group else f"{topic}/{name}/{RETURNED}/{page}"
    if origin.platform == "moodle" and (origin.number or not origin.group):
        return f"{_folder(origin, name)}{page}"
    if origin.platform == "moodle" or (origin.group and origin.number != origin.representative):
        return ""
    return name if is_notebook(origin.file) or is_archive(origin.file) else ""


def _content(submission: Submission, page: str, topic: str) -> bytes:
    """Return the feedback in the form of what was handed in."""
    if submission.origin is None or submission.origin.platform != "canvas":
        return page.encode()
    if is_archive(submission.origin.file):
        return _zipped([(f"{topic}-feedback.html", page.encode())])
    return as_notebook(page).encode()


def _folder(origin: Origin, name: str) -> str:
    """Return what Moodle knows somebody by: of a group each member by their own number."""
    if origin.group:
        return f"{origin.name}_{origin.number}_assignsubmission_file/"
    return origin.prefix if origin.file else f"{name}/"


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
