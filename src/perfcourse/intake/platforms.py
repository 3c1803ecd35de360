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

(as several public programs read them; Brightspace itself publishes no description). The time is in
the language of the account; only English is read.

Sakai ("Download All", `AssignmentServiceImpl.java`) makes a folder for each student, with the user
id in brackets, a time, and what was handed in within another folder; or one folder in all::

    Scaling/Lovelace, Ada(alovelace)/timestamp.txt
    Scaling/Lovelace, Ada(alovelace)/Submission attachment(s)/scaling.ipynb
    Scaling/Lovelace, Ada(alovelace)_Submission attachment(s)_scaling.ipynb
    Scaling/5e0c7a9d-... anonymous/Submission attachment(s)/scaling.ipynb
    Scaling/Team Red (77f3a9c0-...)/Submission attachment(s)/scaling.ipynb
    Scaling/grades.csv

Accents are left out of the names. A second file of the same name gets `+1` before its ending.
"Upload All" (`AssignmentAction.java`) takes such an archive again.

ILIAS ("Download all submissions", `SubmissionManager.php`) makes a folder for each student from
last name, first name, username and the user's number, in letters without accents; a team's are in
one more folder. "Multi-feedback" (`TutorFeedbackZipRepository.php`) takes files in such folders::

    Scaling/Submissions/Lovelace_Ada_alovelace_3012/scaling.ipynb
    Scaling/Submissions/Team 12/Lovelace_Ada_alovelace_3012/scaling.ipynb
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from fnmatch import fnmatchcase

_OWN_FILES = {
    "brightspace": {"index.html": "Brightspace's list of what was handed in"},
    "sakai": {
        "grades.*": "Sakai's list of the grades",
        "additional-info.html": "Sakai's notes about students",
    },
    "ilias": {"*.xlsx": "ILIAS's list of what was handed in"},
}
"""What platforms put beside the folders, and what that is."""
HANDED_IN, RETURNED = "Submission attachment(s)", "Feedback Attachment(s)"
"""Sakai's folders of what a student handed in, and of what was returned."""
STAMP = "timestamp.txt"
"""In which Sakai writes when something was handed in."""
PLATFORMS = ("moodle", "canvas", "blackboard", "brightspace", "sakai", "ilias")
_MOODLE = re.compile(
    r"(?P<name>[^_/]+)(?:_(?P<number>\d+))?_assignsubmission_(?P<kind>[a-z]+)(?:_(?P<file>.*))?",
    re.S,
)
_CANVAS = re.compile(
    r"(?P<name>[^\s/]+?)_(?P<late>LATE_)?(?P<number>\d+)_(?P<order>\d+)_(?P<file>.+)", re.S
)
_CANVAS_ANONYMOUS = re.compile(
    r"(?P<late>LATE_)?anon_(?P<number>[A-Za-z0-9]+)_(?P<order>\d+)_(?P<file>.+)", re.S
)
_CANVAS_TYPED = re.compile(
    r"(?P<name>\w+?)_(?P<late>LATE_)?(?P<number>\d+)_(?P<file>(?:text|link)\.html)"
)
_BLACKBOARD = re.compile(
    r"(?P<number>.+_[^_]+)_attempt_(?P<time>\d{4}(?:-\d\d){5})(?:_(?P<file>.+)|\.txt)", re.S
)
_BRIGHTSPACE = re.compile(
    r"\d+-\d+ ?- ?(?P<name>.+?) ?- ?(?P<time>[A-Z][a-z]{2,8} \d{1,2}, \d{4} \d{1,2}:?\d\d [AP]M)",
    re.S,
)
_BRIGHTSPACE_LIKE = re.compile(r"\d{3,}-\d{3,} ?- ?.+ ?- ?.*\d.*", re.S)
"""In another language, or not in folders."""
_SAKAI_FILE = (
    r"(?:_(?P<kind>Submission attachment\(s\)_|Feedback Attachment\(s\)|_submissionText"
    r"|feedbackText|comments)(?P<file>.+))?"
)
_SAKAI = re.compile(r"(?P<name>[^/]*,[^/]*\S)\((?P<number>[^()/]+)\)" + _SAKAI_FILE, re.S)
_UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_SAKAI_ANONYMOUS = re.compile(f"(?P<number>{_UUID} anonymous){_SAKAI_FILE}", re.S)
_SAKAI_GROUP = re.compile(rf"(?P<name>.+) \((?P<number>{_UUID})\)", re.S)
_ILIAS = re.compile(r"(?P<name>[^_/\d]+_[^_/\d]+_[^/]+)_(?P<number>\d+)")


@dataclass(frozen=True)
class Origin:
    """What a name in a platform's download says."""

    platform: str
    name: str
    """Of the student, as the platform writes it; empty where it hides it."""
    number: str
    """Of the student: the participant's in Moodle, the user's id in Canvas, the username in Sakai;
    in Blackboard what ends with the username."""
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

    @property
    def signed(self) -> str:
        """Return what ends with the username after an underscore, where nothing says more."""
        return {"blackboard": self.number, "ilias": self.name}.get(self.platform, "")

    @property
    def called(self) -> str:
        """Return the student, as far as the name tells."""
        if self.platform == "ilias":
            return self.name.split("_", 2)[2]
        if self.signed:
            return self.signed.rpartition("_")[2]
        if self.platform == "sakai":
            return self.number if "," in self.name or self.anonymous else self.name
        return f"{self.name} {self.number}".strip()


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
        "sakai": _of_sakai,
        "ilias": _of_ilias,
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


def _of_sakai(name: str) -> Origin | None:
    forms = (_SAKAI, _SAKAI_ANONYMOUS, _SAKAI_GROUP)
    match = next(filter(None, (form.fullmatch(name) for form in forms)), None)
    if match is None:
        return None
    words = match.groupdict()
    file = words.get("file") or ""
    return Origin(
        "sakai",
        words.get("name") or "",
        words["number"],
        name.removesuffix(file),
        file,
        typed=bool(file) and words["kind"] != f"{HANDED_IN}_",
        anonymous=match.re is _SAKAI_ANONYMOUS,
    )


def _of_ilias(name: str) -> Origin | None:
    match = _ILIAS.fullmatch(name)
    return Origin("ilias", match["name"], match["number"], f"{name}/") if match else None


def _brightspace_time(text: str) -> datetime | None:
    """Return a time such as `Oct 5, 2026 914 PM`, in which the hour may have one digit."""
    day, clock, half = text.rsplit(" ", 2)
    whole = f"{day} {clock.replace(':', '').zfill(4)} {half}"
    return _time(whole, "%b %d, %Y %I%M %p") or _time(whole, "%B %d, %Y %I%M %p")


def _time(text: str, form: str) -> datetime | None:
    try:
        return datetime.strptime(text, form).astimezone()
    except ValueError:
        return None


def platform_of(names: Collection[str]) -> str:
    """Return the platform by whose names half of a download's or more are made, or ''.

    >>> platform_of(["lovelaceada_12345_67890_scaling.ipynb", "notes.txt", "a_1_2_b.ipynb"])
    'canvas'
    >>> platform_of(["ada.ipynb", "bob.ipynb"])
    ''
    """
    for platform in PLATFORMS:
        theirs = [name for name in names if not own_file(name, platform)]
        if 2 * sum(origin(name, platform) is not None for name in theirs) >= max(1, len(theirs)):
            return platform
    return ""


def own_file(name: str, platform: str) -> str:
    """Return what a file is that the platform itself puts beside the folders, '' for any other.

    >>> own_file("index.html", "brightspace"), own_file("index.html", "moodle")
    ("Brightspace's list of what was handed in", '')
    """
    forms = _OWN_FILES.get(platform, {})
    return next((what for form, what in forms.items() if fnmatchcase(name, form)), "")


def refuse_unknown_form(names: Collection[str]) -> None:
    """Refuse a download of Brightspace's whose names are in a form that isn't known."""
    theirs = [name for name in names if not own_file(name, "brightspace")]
    odd = [name for name in theirs if _BRIGHTSPACE_LIKE.fullmatch(name)]
    if 2 * len(odd) > len(theirs):
        raise ValueError(
            f"{odd[0]!r} looks like Brightspace's, but must end with a time like 'Oct 5, 2026 914 "
            "PM'. Set your account there to English (United States) and download again, or rename "
            "the folders to the students' ids"
        )
