"""Who handed in what, by the names that platforms give to what they let download.

Moodle (`mod/assign/classes/downloader.php`) makes a folder for each student, or, where "Download
submissions in folders" is off, puts the same words before each file's name::

    Ada Lovelace_4711_assignsubmission_file/scaling.ipynb
    Ada Lovelace_4711_assignsubmission_file_/scaling.ipynb          (before version 4.1)
    Ada Lovelace_4711_assignsubmission_file_scaling.ipynb           (not in folders)
    Participant_4711_assignsubmission_file/scaling.ipynb            (anonymous)
    Team Red_77_assignsubmission_file/scaling.ipynb                 (a group and its number)
    Default group_assignsubmission_file/scaling.ipynb               (those of no group)

An underscore in a name is made a space, so the name ends at the first one. 4711 is the number of
the participant in this assignment, which the grading worksheet calls "Participant 4711"; the same
student has another one in the next assignment. Text typed into Moodle comes as
`..._assignsubmission_onlinetext/onlinetext.html`. "Upload multiple feedback files in a zip"
(`mod/assign/feedback/file/importziplib.php`) takes files under these names again.

Canvas (`lib/content_zipper.rb`) writes last name before first, in small letters without anything
else, LATE where it counts as late, the user's id, and the file's id, which rises with time. A
second file of the same name gets `-1` before its ending::

    lovelaceada_12345_67890_scaling.ipynb
    lovelaceada_LATE_12345_67990_scaling-1.ipynb
    anon_x7Pq2_67890_scaling.ipynb                                  (anonymous)
    teamred_12345_67890_scaling.ipynb                               (a group, and one member's id)
    lovelaceada_12345_text.html                                     (typed, or a link)

"Re-upload submissions" (`infer_comment_context_from_filename` in `app/models`) takes the first two
words that are numbers as the user and the file, and shows the student what it gets under that
file's old name (canvas-lms issue 2406).

Neither writes when it was handed in: the times in both zip files are those of the download.

Blackboard ("Assignment File Download") puts the assignment, the username and the time of the
attempt before each file's name, and adds a text file that says so; there may be several attempts::

    Scaling_alovelace_attempt_2026-10-05-21-14-03_scaling.ipynb
    Scaling_alovelace_attempt_2026-10-05-21-14-03.txt

(as the public program `kwurst/bb-file-cleanup` reads them).

Brightspace makes a folder for each time that somebody handed in, beside an `index.html`. Its two
numbers are those of the assignment::

    397063-2557369 - Ada Lovelace - Oct 5, 2026 914 PM/scaling.ipynb

(as several public programs read them; Brightspace itself publishes no description).
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

INDEX = "index.html"
"""Brightspace's list of what was handed in, beside the folders."""
PLATFORMS = ("moodle", "canvas", "blackboard", "brightspace")
_MOODLE = re.compile(
    r"(?P<name>[^_/]+)(?:_(?P<number>\d+))?_assignsubmission_(?P<kind>[a-z]+)(?:_(?P<file>.*))?",
    re.S,
)
_CANVAS = re.compile(
    r"(?P<name>\w+?)_(?P<late>LATE_)?(?P<number>\d+)_(?P<order>\d+)_(?P<file>.+)", re.S
)
_CANVAS_ANONYMOUS = re.compile(
    r"(?P<late>LATE_)?anon_(?P<number>[A-Za-z0-9]+)_(?P<order>\d+)_(?P<file>.+)", re.S
)
_CANVAS_TYPED = re.compile(
    r"(?P<name>\w+?)_(?P<late>LATE_)?(?P<number>\d+)_(?P<file>(?:text|link)\.html)"
)
_BLACKBOARD = re.compile(
    r".+_(?P<number>[^_]+)_attempt_(?P<time>\d{4}(?:-\d\d){5})(?:_(?P<file>.+)|\.txt)", re.S
)
_BRIGHTSPACE = re.compile(
    r"\d+-\d+ ?- ?(?P<name>.+?) ?- ?(?P<time>[A-Z][a-z]{2,8} \d{1,2}, \d{4} \d{3,4} [AP]M)", re.S
)


@dataclass(frozen=True)
class Origin:
    """What a name in a platform's download says."""

    platform: str
    name: str
    """Of the student, as the platform writes it; empty where it hides it."""
    number: str
    """Of the student: the participant's in Moodle, the user's id in Canvas, the username in
    Blackboard."""
    prefix: str
    """What stands before the file's own name."""
    file: str = ""
    """The file's own name; empty for a folder."""
    order: int = 0
    """The number of the file in Canvas, or of the seconds of an attempt: it rises with time."""
    late: bool = False
    """Whether the name says LATE."""
    typed: bool = False
    """Whether it is text typed into the platform, and no file."""
    handed_in: datetime | None = None
    """By this machine's clock."""
    anonymous: bool = False
    """Whether the platform hides who it is."""
    group: bool = False
    """Whether it is a group's; then the number is that of one member, for whom this is."""
    representative: str = ""
    """The number in the name of a group's file: that of the member who handed in, or the group's.
    """


def origin(name: str, platform: str) -> Origin | None:
    """Return what a file's or folder's name in a platform's download says; None if nothing.

    >>> origin("Ada Lovelace_4711_assignsubmission_file_", "moodle").name
    'Ada Lovelace'
    >>> origin("lovelaceada_LATE_12345_67890_a_b.ipynb", "canvas").file
    'a_b.ipynb'
    >>> origin("ada.ipynb", "canvas")
    """
    of = {
        "moodle": _of_moodle,
        "canvas": _of_canvas,
        "blackboard": _of_blackboard,
        "brightspace": _of_brightspace,
    }
    return of[platform](name) if platform in of else None


def _of_moodle(name: str) -> Origin | None:
    match = _MOODLE.fullmatch(name)
    if match is None:
        return None
    file = match["file"] or ""
    prefix = name.removesuffix(file) if file else f"{name.rstrip('_')}_"
    typed = match["kind"] != "file"
    return Origin("moodle", match["name"], match["number"] or "", prefix, file, typed=typed)


def _of_canvas(name: str) -> Origin | None:
    forms = (_CANVAS_ANONYMOUS, _CANVAS, _CANVAS_TYPED)
    match = next(filter(None, (form.fullmatch(name) for form in forms)), None)
    if match is None:
        return None
    words = match.groupdict()
    return Origin(
        "canvas",
        words.get("name") or "",
        words["number"],
        name.removesuffix(words["file"]),
        words["file"],
        int(words.get("order", 0)),
        late=bool(words["late"]),
        typed=match.re is _CANVAS_TYPED,
        anonymous=match.re is _CANVAS_ANONYMOUS,
    )


def _of_blackboard(name: str) -> Origin | None:
    match = _BLACKBOARD.fullmatch(name)
    time = _time(match["time"], "%Y-%m-%d-%H-%M-%S") if match else None
    if match is None or time is None:
        return None
    file = match["file"] or ""
    order, prefix = int(time.timestamp()), name.removesuffix(file)
    return Origin(
        "blackboard", "", match["number"], prefix, file, order, typed=not file, handed_in=time
    )


def _of_brightspace(name: str) -> Origin | None:
    match = _BRIGHTSPACE.fullmatch(name)
    time = _brightspace_time(match["time"]) if match else None
    if match is None or time is None:
        return None
    return Origin("brightspace", match["name"], "", "", order=int(time.timestamp()), handed_in=time)


def _brightspace_time(text: str) -> datetime | None:
    """Return a time such as `Oct 5, 2026 914 PM`, in which the hour may have one digit."""
    day, clock, half = text.rsplit(" ", 2)
    whole = f"{day} {clock.zfill(4)} {half}"
    return _time(whole, "%b %d, %Y %I%M %p") or _time(whole, "%B %d, %Y %I%M %p")


def _time(text: str, form: str) -> datetime | None:
    try:
        return datetime.strptime(text, form).astimezone()
    except ValueError:
        return None


def platform_of(names: Collection[str]) -> str:
    """Return the platform by whose names more than half of a download's are made, or ''.

    >>> platform_of(["lovelaceada_12345_67890_scaling.ipynb", "notes.txt", "a_1_2_b.ipynb"])
    'canvas'
    >>> platform_of(["ada.ipynb", "bob.ipynb"])
    ''
    """
    names = [name for name in names if name != INDEX]
    for platform in PLATFORMS:
        if 2 * sum(origin(name, platform) is not None for name in names) > len(names):
            return platform
    return ""
