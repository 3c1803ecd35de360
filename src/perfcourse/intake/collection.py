"""From what was collected to one submission a student, and who has not handed in."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from perfcourse.intake.people.names import id_key
from perfcourse.intake.people.roster import Roster, Student
from perfcourse.intake.people.whose import Claim, claim
from perfcourse.intake.pieces import Piece, pieces
from perfcourse.intake.platforms import Origin, origin, platform_of
from perfcourse.intake.submissions import Submission

NOTEBOOK_NAMES = ("", ".ipynb", ".zip")
"""Endings of what is somebody's without a roster."""
TYPED = "Text typed into the platform can't be graded. Hand in the .ipynb file."
SEVERAL = "Several files were handed in. Hand in one, the .ipynb file."
NOTEBOOKS = "Several notebooks were handed in. Keep one and name it {topic}.ipynb."


@dataclass(frozen=True)
class Sources:
    """What says whose a file is, and when it was handed in."""

    roster: Roster | None = None
    students: dict[str, str] | None = None
    """Students' ids by the names of files and folders."""
    platform: str = ""
    """`moodle`, `canvas` or `none`; as the names say where empty."""
    file_times: bool = False
    """Whether a file's own time counts as the time it was handed in."""
    aside: tuple[Path, ...] = ()
    """What lies there and is nobody's."""

    def beside(self, *paths: Path) -> Sources:
        """Return the same with more that is nobody's."""
        return replace(self, aside=(*self.aside, *paths))


BY_NAME = Sources()
"""Names alone say whose a file is."""


@dataclass(frozen=True)
class Superseded:
    """A hand-in that isn't graded, since the same student has a later one."""

    name: str
    student: str
    later: str
    """Name of the submission that is graded."""


@dataclass(frozen=True)
class Collected:
    """What came in, and what did not."""

    submissions: tuple[Submission, ...] = ()
    """In order of their names."""
    superseded: tuple[Superseded, ...] = ()
    absent: tuple[Student, ...] = ()
    """Students of the roster of whom there is nothing, in its order."""
    roster: Roster | None = None
    platform: str = ""
    """That the gradebook is for: `moodle`, `canvas`, or '' for both."""


NOTHING = Collected()


def collect(collected: Path, topic: str, sources: Sources = Sources()) -> Collected:
    """Find the submissions in a folder or zip archive, and sort out whose they are.

    Parameters
    ----------
    collected : Path
        A folder (`STUDENT.ipynb`, `STUDENT/anything.ipynb`, nbgrader's `STUDENT/TOPIC/TOPIC.ipynb`,
        or as a platform names them), or such a folder as a zip archive.
    topic : str
        Of several notebooks of a student, `TOPIC.ipynb` is the one.
    sources : Sources
        Roster, table of students, and how to read names and times.

    Raises
    ------
    ValueError
        It can't be read, or the table of students names a file that isn't there.
    """
    tops = pieces(collected, sources.aside)
    _refuse_unknown(tops, sources.students or {}, collected)
    platform = sources.platform or platform_of([piece.name for piece in tops])
    submissions: list[Submission] = []
    superseded: list[Superseded] = []
    claims: dict[str, Claim] = {}
    for group in _groups(tops, platform):
        submission, earlier = _submission(group, topic, sources.file_times)
        claims[submission.name] = claim(submission, sources.roster, sources.students or {})
        submission = claims[submission.name].settle(submission)
        submissions.append(submission)
        superseded += [Superseded(name, submission.student, submission.name) for name in earlier]
    kept, later = _latest_only(submissions)
    kept = [_timed(submission, claims[submission.name]) for submission in kept]
    there = {student.id for known in claims.values() for student in known.candidates}
    return Collected(
        tuple(sorted(kept, key=lambda submission: submission.name)),
        (*superseded, *later),
        tuple(student for student in _students(sources.roster) if student.id not in there),
        sources.roster,
        _gradebook(platform, sources.roster),
    )


def _students(roster: Roster | None) -> tuple[Student, ...]:
    return roster.students if roster else ()


def _gradebook(platform: str, roster: Roster | None) -> str:
    if platform == "none":
        return ""
    return platform or (roster.platform if roster else "")


def _refuse_unknown(tops: list[Piece], students: dict[str, str], collected: Path) -> None:
    """Refuse a table of students that names what isn't there."""
    names = {name for piece in tops for name in (piece.name, Path(piece.name).stem)}
    for name in students:
        if name not in names:
            raise ValueError(f"--students names {name!r}, which is not in {collected}")


def _groups(tops: list[Piece], platform: str) -> Iterable[list[tuple[Piece, Origin | None]]]:
    """Return the pieces of each hand-in: on a platform all that has one student's number."""
    groups: dict[tuple[str, str], list[tuple[Piece, Origin | None]]] = defaultdict(list)
    for piece in tops:
        known = origin(piece.name, platform)
        key = (known.name, known.number) if known else (piece.name, "")
        groups[key].append((piece, known))
    return groups.values()


def _submission(
    group: list[tuple[Piece, Origin | None]], topic: str, file_times: bool
) -> tuple[Submission, list[str]]:
    """Return the submission that a group is, and the names of the earlier files in it."""
    known = [(piece, source) for piece, source in group if source]
    piece, source = group[0]
    problem, earlier = "", list[str]()
    if known:
        piece, source, problem, earlier = _latest(known, topic)
    path, member, reason = piece.notebook(topic)
    path, problem = (None, problem) if problem else (path, reason)
    time = piece.written(path, member) if path and file_times else None
    stem = piece.name if piece.folder else Path(piece.name).stem
    who = _text(piece.name.replace("\\", "\\\\")), _text(stem)
    listed = piece.folder or Path(piece.name).suffix.lower() in NOTEBOOK_NAMES
    return Submission(*who, path, problem, time, member, source, listed=listed), earlier


def _latest(group: list[tuple[Piece, Origin]], topic: str) -> tuple[Piece, Origin, str, list[str]]:
    """Return which of a student's files on a platform counts, or why none, and the earlier ones."""
    files = [(piece, source) for piece, source in group if not source.typed]
    if not files:
        return *group[0], TYPED, []
    notebooks = [pair for pair in files if pair[0].folder or pair[1].file.endswith(".ipynb")]
    if not notebooks:
        zips = [pair for pair in files if pair[1].file.lower().endswith(".zip")]
        chosen = zips if len(zips) == 1 else files
        return *chosen[0], "" if len(chosen) == 1 else SEVERAL, []
    named = [pair for pair in notebooks if pair[1].stem == topic] or notebooks
    versions = len({source.stem for _, source in named}) == 1 and named[0][1].order
    if len(named) > 1 and not versions:
        return *named[0], NOTEBOOKS.format(topic=topic), []
    piece, source = max(named, key=lambda pair: pair[1].order)
    return piece, source, "", [other.name for other, _ in named if other is not piece]


def _latest_only(submissions: list[Submission]) -> tuple[list[Submission], list[Superseded]]:
    """Keep each student's latest submission; where it isn't known which is, keep all."""
    owners: dict[str, list[Submission]] = defaultdict(list)
    for submission in submissions:
        owners[id_key(submission.student)].append(submission)
    kept: list[Submission] = []
    superseded: list[Superseded] = []
    for several in owners.values():
        times = [submission.handed_in for submission in several if submission.handed_in]
        if len(several) < 2 or len(times) < len(several) or times.count(max(times)) > 1:
            kept += several
            continue
        latest = next(other for other in several if other.handed_in == max(times))
        kept.append(latest)
        superseded += [
            Superseded(other.name, other.student, latest.name)
            for other in several
            if other is not latest
        ]
    return kept, superseded


def _timed(submission: Submission, claim: Claim) -> Submission:
    """Give a submission the time that the platform exported, where it is one student's only one."""
    time = claim.candidates[0].handed_in if len(claim.candidates) == 1 else None
    return replace(submission, handed_in=time) if time else submission


def _text(name: str) -> str:
    """Return a name as text that can be written; names that differ stay different."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
