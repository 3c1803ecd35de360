"""From what was collected to one submission a student, and who has not handed in."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from perfcourse.intake.cells import UnreadableError, student_named
from perfcourse.intake.file_names import may_hold, stem
from perfcourse.intake.people.clock import read_time
from perfcourse.intake.people.gradescope import METADATA, Submitters, read_submitters
from perfcourse.intake.people.names import id_key
from perfcourse.intake.people.owners import Claim, claim, claim_of_submitters
from perfcourse.intake.people.roster import Roster, Student
from perfcourse.intake.platforms import (
    HANDED_IN,
    STAMP,
    Origin,
    origin,
    own_file,
    platform_of,
    refuse_unknown_form,
)
from perfcourse.intake.submissions import Submission, content
from perfcourse.intake.uploads import LEFT_BY_A_PROGRAM, File, Piece, pieces
from perfcourse.intake.versions import chosen

TYPED = "Text typed into the platform can't be graded. Hand in the .ipynb file."
TYPED_TOO = "text typed into the platform"
NOT_NAMED = "another file was chosen with --students"
EMPTY = "Sakai has it of a student who hasn't handed in"
DRAFT = "The platform has this as a draft, not handed in. Hand it in there."


@dataclass(frozen=True)
class Sources:
    """What says whose a file is, and when it was handed in."""

    roster: Roster | None = None
    students: dict[str, str] | None = None
    """Students' ids by the names of files and folders; of a file in a student's folder by its path,
    where that is the one to grade."""
    platform: str = ""
    """One of `PLATFORMS`, or `none`; as the names say where empty."""
    file_times: bool = False
    """Whether a file's own time counts as the time it was handed in."""
    aside: tuple[Path, ...] = ()
    """What lies there and is nobody's."""

    def named(self, files: Iterable[str]) -> dict[str, str]:
        """Return whose some files within a folder are, as far as the table of students says it."""
        table = self.students or {}
        return {name: table[name] for name in files if "/" in name and name in table}

    def beside(self, *paths: Path) -> Sources:
        """Return the same with more that is nobody's."""
        return replace(self, aside=(*self.aside, *paths))


BY_NAME = Sources()
"""Names alone say whose a file is."""


@dataclass(frozen=True)
class LeftOut:
    """A file that isn't graded, and why."""

    name: str
    """Its path within what was collected."""
    student: str
    """Whose it is; empty where it is nobody's."""
    why: str
    notebook: bool = False
    """Whether it may be work: a notebook, or an archive."""


@dataclass(frozen=True)
class Collected:
    """What came in, and what did not."""

    submissions: tuple[Submission, ...] = ()
    """In order of their names; of what a group handed in, one for each member."""
    left_out: tuple[LeftOut, ...] = ()
    """Every other file that came in."""
    absent: tuple[Student, ...] = ()
    """Students of the roster of whom there is nothing, in its order."""
    roster: Roster | None = None
    platform: str = ""
    """That the gradebook is for, such as `moodle`; '' where it isn't known."""


NOTHING = Collected()


def collect(collected: Path, topic: str, sources: Sources = Sources()) -> Collected:
    """Find the submissions in a folder or zip archive, and sort out whose they are.

    It holds `STUDENT.ipynb`, `STUDENT/anything.ipynb`, nbgrader's `STUDENT/TOPIC/TOPIC.ipynb`, or
    names as a platform gives them. Of several notebooks of a student, `TOPIC.ipynb` is the one.
    """
    roster = sources.roster
    known = _known(sources)
    tops, clutter = pieces(collected, sources.aside, topic, known)
    _refuse_unknown(tops, sources.students or {}, collected)
    platform = sources.platform or platform_of([piece.name for piece in tops])
    if not platform:
        refuse_unknown_form([piece.name for piece in tops])
    submissions: list[Submission] = []
    left_out = [LeftOut(file.name, "", file.passed_over) for file in clutter]
    listed = _submitters(tops)
    if listed:
        tops = [piece for piece in tops if piece.name != METADATA]
        left_out.append(LeftOut(METADATA, "", "Gradescope's list of who handed in what"))
    theirs = {piece.name: own_file(piece.name, platform) for piece in tops if not piece.folder}
    left_out += [LeftOut(name, "", what) for name, what in theirs.items() if what]
    tops = [piece for piece in tops if not theirs.get(piece.name)]
    if platform == "sakai":
        empty = [piece for piece in tops if _is_empty(piece)]
        left_out += [LeftOut(file.name, "", EMPTY) for piece in empty for file in piece.files]
        tops = [piece for piece in tops if piece not in empty]
    there: set[str] = set()
    for group in _groups(tops, platform):
        piece, source = group[0]
        if piece.name in listed:
            whose = claim_of_submitters(piece.name, listed[piece.name].people, roster)
        else:
            table = dict(sources.students or {})
            for id in sources.named(file.name for file in piece.files).values():
                table.setdefault(piece.name, id)
            cloned = any(file.within == ".git" for file in piece.files)
            whose = claim(piece.name, piece.folder, source, roster, table, cloned)
        own, left = _submissions(group, whose, topic, sources)
        if piece.name in listed:
            own = [replace(each, handed_in=listed[piece.name].handed_in) for each in own]
        submissions += own
        left_out += left
        there |= {student.id for student in whose.candidates}
    latest, earlier = _latest_only(submissions, sources.students or {})
    return Collected(
        tuple(sorted(_noted(_timed(latest, roster), roster), key=lambda each: each.name)),
        (*left_out, *earlier),
        tuple(student for student in _students(roster) if student.id not in there),
        roster,
        _gradebook(platform, roster),
    )


def _submitters(tops: list[Piece]) -> dict[str, Submitters]:
    """Return who handed in which folder, where Gradescope's list of that is there."""
    files = [piece.files[0] for piece in tops if piece.name == METADATA and not piece.folder]
    return read_submitters(content(files[0].path, files[0].member)[0]) if files else {}


def _known(sources: Sources) -> Callable[[str], bool]:
    """Return what says whether somebody of the class is called so, by roster or table."""
    roster, table = sources.roster, sources.students or {}
    return lambda name: (
        name in table or bool(roster and (roster.called(name) or roster.grouped(name)))
    )


def _students(roster: Roster | None) -> tuple[Student, ...]:
    return roster.students if roster else ()


def _gradebook(platform: str, roster: Roster | None) -> str:
    if platform == "none":
        return ""
    return platform or (roster.platform if roster else "")


def _refuse_unknown(tops: list[Piece], students: dict[str, str], collected: Path) -> None:
    """Refuse a table of students that names what isn't there."""
    names = {name for piece in tops for name in (piece.name, stem(piece.name))}
    names |= {file.name for piece in tops for file in piece.files}
    for name in students:
        if name not in names:
            raise ValueError(f"--students names {name!r}, which is not in {collected}")


def _groups(tops: list[Piece], platform: str) -> Iterable[list[tuple[Piece, Origin | None]]]:
    """Return the pieces of each hand-in: on a platform all that has one student's number."""
    groups: dict[tuple[str, str], list[tuple[Piece, Origin | None]]] = defaultdict(list)
    for piece in tops:
        known = _stamped(piece, origin(piece.name, platform))
        key = (known.name, known.number) if known else (piece.name, "")
        groups[key].append((piece, known))
    return groups.values()


def _is_empty(piece: Piece) -> bool:
    """Whether a folder of Sakai's is of somebody who hasn't handed in."""
    return piece.folder and not any(
        file.within == STAMP or file.within.startswith(f"{HANDED_IN}/") for file in piece.files
    )


def _stamped(piece: Piece, source: Origin | None) -> Origin | None:
    """Give what Sakai says in a file of its own of the time of handing in."""
    stamps = [file for file in piece.files if file.within == STAMP]
    if source is None or source.platform != "sakai" or not stamps:
        return source
    with suppress(UnreadableError, OSError, ValueError):
        text = content(stamps[0].path, stamps[0].member)[0].decode()
        return replace(source, handed_in=read_time(text))
    return source


def _submissions(
    group: list[tuple[Piece, Origin | None]], whose: Claim, topic: str, sources: Sources
) -> tuple[list[Submission], list[LeftOut]]:
    """Return the submissions that a hand-in is, one a student, and its files that aren't graded."""
    typed = [piece for piece, source in group if source and source.typed]
    work = [(piece, source) for piece, source in group if piece not in typed]
    left_out = [(file.name, TYPED_TOO) for piece in typed if work for file in piece.files]
    files = [
        (file, source.order if source else 0) for piece, source in work for file in piece.files
    ]
    named = sources.named([file.name for file, _ in files])
    left_out += [(file.name, NOT_NAMED) for file, _ in files if named and file.name not in named]
    choice = chosen(
        [pair for pair in files if not named or pair[0].name in named], topic, sources.file_times
    )
    piece, source = next(
        (pair for pair in work if choice.file in pair[0].files), (work or group)[0]
    )
    if not work:
        choice = replace(choice, problem=TYPED)
    student = student_named(choice.cells)
    shown = "/".join((choice.file.name, *filter(None, [choice.inside]))) if choice.file else ""
    submission = Submission(
        _text(piece.name.replace("\\", "\\\\")),
        _text(whose.student),
        choice.file.path if choice.file else None,
        choice.problem,
        choice.file.written if choice.file and sources.file_times else _handed_in(source),
        choice.file.member if choice.file else "",
        choice.inside,
        file=_text(shown or ("" if work else piece.files[0].name)),
        origin=source,
        note=whose.note,
        listed=whose.listed,
        named=student,
        code=hashlib.sha256("\0".join(choice.cells).encode()).hexdigest() if choice.cells else "",
        as_student=student if _anonymous(source, sources.roster) else "",
    )
    own = _of_each(submission, whose, choice.file)
    others = [
        LeftOut(_text(name), own[0].student, why, may_hold(name) and why != LEFT_BY_A_PROGRAM)
        for name, why in (*left_out, *choice.left)
    ]
    return own, others


def _handed_in(source: Origin | None) -> datetime | None:
    return source.handed_in if source else None


def _of_each(submission: Submission, whose: Claim, file: File | None) -> list[Submission]:
    """Return the submission of each who handed it in, with what the platform knows of them."""
    if not whose.group:
        known = whose.candidates[0] if len(whose.candidates) == 1 else None
        return [_with(submission, known)]
    ids = [student.id for student in whose.candidates]
    source = submission.origin
    with_numbers_of = next((id for id in ids if id_key(id) == id_key(submission.named)), ids[0])
    return [
        _with(
            replace(
                submission,
                name=f"{submission.name} ({student.id})",
                student=student.id,
                work=submission.name,
                as_student=with_numbers_of,
                origin=replace(
                    source, group=True, representative=source.number, number=student.number
                )
                if source
                else None,
            ),
            student,
        )
        for student in whose.candidates
    ]


def _with(submission: Submission, student: Student | None) -> Submission:
    """Take the file from somebody who hasn't handed it in."""
    draft = student is not None and student.draft
    if not draft:
        return submission
    return replace(submission, path=None, problem=DRAFT, work="", as_student="")


def _latest_only(
    submissions: list[Submission], table: Collection[str]
) -> tuple[list[Submission], list[LeftOut]]:
    """Keep each student's latest submission, or the one in the table of students; else all.

    Names that only end alike, as those of `a_love` and `b_love` may, are never one student's.
    """
    owners: dict[tuple[str, str], list[Submission]] = defaultdict(list)
    for submission in submissions:
        signed = submission.origin.signed if submission.origin else ""
        owners[id_key(submission.student), signed].append(submission)
    kept: list[Submission] = []
    left_out: list[LeftOut] = []
    for several in owners.values():
        several, copies = _without_copies(several)
        left_out += copies
        ranks = _ranks(several)
        named = [each for each in several if {each.name, stem(each.name)} & set(table)]
        if len(several) > 1 and ranks.count(max(ranks, default=0)) == 1:
            (one,) = (each for each, rank in zip(several, ranks, strict=True) if rank == max(ranks))
            why = f"replaced by {one.name}, which is later"
        elif len(several) > 1 and len(named) == 1:
            (one,), why = named, NOT_NAMED
        else:
            kept += several
            continue
        kept.append(one)
        left_out += [_left(other, why) for other in several if other is not one]
    return kept, left_out


def _without_copies(several: list[Submission]) -> tuple[list[Submission], list[LeftOut]]:
    """Of one student's submissions of the same code keep the latest, or the first by name."""
    kept: dict[str, Submission] = {}
    left_out: list[LeftOut] = []
    ranks = dict(zip((each.name for each in several), _ranks(several), strict=False))
    for each in sorted(several, key=lambda each: (-ranks.get(each.name, 0), each.name)):
        first = kept.setdefault(each.code or each.name, each)
        if first is not each:
            left_out.append(_left(each, f"the same code as {first.name}"))
    return [each for each in several if each in kept.values()], left_out


def _ranks(several: list[Submission]) -> list[float]:
    """Return numbers that rise with the times of handing in; none where one isn't known."""
    times = [each.handed_in.timestamp() for each in several if each.handed_in]
    orders = [float(each.origin.order) for each in several if each.origin and each.origin.order]
    return next((ranks for ranks in (times, orders) if len(ranks) == len(several)), [])


def _left(submission: Submission, why: str) -> LeftOut:
    return LeftOut(submission.file or submission.name, submission.student, why, True)


def _timed(submissions: list[Submission], roster: Roster | None) -> list[Submission]:
    """Give each submission the time that the platform exported, where it did."""
    times = {student.id: student.handed_in for student in _students(roster) if student.handed_in}
    return [
        replace(each, handed_in=times.get(each.student, each.handed_in)) if each.listed else each
        for each in submissions
    ]


def _anonymous(source: Origin | None, roster: Roster | None) -> bool:
    """Whether nobody but the notebook says whose it is, so that its id's numbers must be right."""
    return bool(roster and roster.anonymous) or bool(source and source.anonymous)


def _noted(submissions: list[Submission], roster: Roster | None) -> Iterable[Submission]:
    """Say so where a notebook holds somebody else's id."""
    ids = {id_key(each.student): each.student for each in submissions}
    ids |= {id_key(student.id): student.id for student in _students(roster)}
    works = {each.work or each.name: each for each in submissions}
    named = Counter(id_key(each.named) for each in works.values() if each.as_student)
    for each in submissions:
        if each.as_student and not each.work and named[id_key(each.named)] > 1:
            note = f"Its STUDENT is {each.named!r}, as in another notebook."
            each = replace(each, note=f"{each.note} {note}".strip())
        other = ids.get(id_key(each.named), "") if each.named else ""
        own = {id_key(each.student), id_key(each.as_student)}
        if other and id_key(each.named) not in own:
            note = f"Its STUDENT is {each.named!r}"
            note += ", somebody else in the class." if each.listed else ", who is in the class."
            each = replace(each, note=f"{each.note} {note}".strip())
        yield each


def _text(name: str) -> str:
    """Return a name as text that can be written; names that differ stay different."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
