"""A gradebook as its platform takes it: the table that it exported, filled in.

- *Moodle's grading worksheet* comes back whole, with `Grade` and `Feedback comments` filled in
  (`mod/assign/feedback/offline/importgradeslib.php`; it finds students by `Identifier`, and leaves
  out a grade above the assignment's maximum without a word).
- *Moodle's gradebook* (`grade/import/csv/classes/load_data.php`) takes the columns that know a
  student, one of points and one of feedback; an unknown student makes it refuse the file, and an
  empty cell deletes a grade, so only those with a grade are in it.
- *Canvas's gradebook* (`lib/gradebook_importer.rb`) needs the columns to `Section` as it exported
  them, the line "Points Possible", and the assignment's column with its number: "Title (90201)".
  A column that it doesn't know becomes a new assignment; one whose title holds "Final Score" or
  its like is skipped silently.
- *Blackboard's gradebook* ("Work Offline, Upload") finds students by `Username` and the column by
  the number in "Title [Total Pts: 10 Score] |123456".
- *Sakai's grades* ("Upload All") are found by their place: after three lines, the second column is
  the student and the fifth the grade. They lie as `grades.csv` in the archive with the feedback.
- *Brightspace's gradebook* ("Import Grades") finds students by `OrgDefinedId` or `Username` and the
  column by "Title Points Grade"; `End-of-Line Indicator` ends each line.

Where no grade is decided, what the platform has stays; so does what is excused in Canvas or locked
in Moodle. Without such a table, `moodle.csv` and `canvas.csv` are made from what the download's
names say.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from perfcourse.bank import Bank
from perfcourse.gradebook.grade import Grade
from perfcourse.intake.collection import Collected
from perfcourse.intake.people.languages import LOCKED
from perfcourse.intake.people.roster import Roster
from perfcourse.intake.people.sheets import Sheet, plain, written
from perfcourse.report import grade_exports
from perfcourse.report.tables import cell, contested, table

_CANVAS_COLUMN = re.compile(r"(?P<title>.*) \(\d+\)", re.S)
_BLACKBOARD_COLUMN = re.compile(r"(?P<title>.*?) \[Total Pts: (?P<most>[\d.,]*).*\] ?\|\d+", re.S)
_BRIGHTSPACE_COLUMN = re.compile(
    r"(?P<title>.*?) Points Grade(?: <.*MaxPoints:(?P<most>[\d.,]+).*>)?", re.S
)
_DROPPED = re.compile(r"(?:Current|Final) (?:Score|Points|Grade)|Override (?:Score|Grade|Status)")
"""In a title, what Canvas's importer takes for a total (NON_ASSIGNMENT_COLUMN_HEADERS)."""
_MOODLE_COLUMN = re.compile(r"(?:[^:]+: )?(?P<title>.*?)(?: \(Real\))?", re.S)
_MOODLE_PEOPLE = ("First name", "Last name", "Surname", "ID number", "Email address", "Username")
_MOODLE_FORM = ("Identifier", "Full name", "Grade", "Last modified (grade)", "Feedback comments")
_POINTS = "    Points Possible"
SAKAI = "sakai.csv"
"""Sakai takes it as `grades.csv` within an archive only."""


@dataclass(frozen=True)
class Gradebook:
    """A file for a platform's gradebook, and what to know before it is loaded there."""

    file: str
    text: str
    remarks: tuple[str, ...] = ()
    encoding: str = "utf-8"


def gradebooks(
    results: Sequence[Grade], bank: Bank, collected: Collected, column: str = ""
) -> list[Gradebook]:
    """Return the gradebook of the platform, or those of both where it isn't known which.

    `collected` has the roster that the platform exported; `column` is the assignment's there, by
    default the one of the bank's title or topic.
    """
    clear = listed(results, collected)
    form = collected.roster.form if collected.roster else ""
    roster, platform = collected.roster, collected.platform
    if column and (form != platform or roster is None):
        raise ValueError(f"--column needs the gradebook that the platform exported, got {column!r}")
    if roster and form == "worksheet" and platform == "moodle":
        return [_worksheet(clear, bank, roster)]
    if roster and form == "moodle" and platform == "moodle":
        return [_moodle(clear, bank, roster, column)]
    if roster and form == "canvas" and platform == "canvas":
        return [_canvas(clear, bank, roster, column)]
    if roster and form == "blackboard" and platform == "blackboard":
        return [_blackboard(clear, bank, roster, column)]
    if roster and form == "brightspace" and platform == "brightspace":
        return [_brightspace(clear, bank, roster, column)]
    if roster and form == "sakai" and platform == "sakai":
        return [_sakai(clear, roster)]
    return _by_names(clear, bank, collected)


def listed(results: Sequence[Grade], collected: Collected) -> list[Grade]:
    """Leave out whose is not clear, and students with several submissions of which none counts."""
    unlisted = {each.name for each in collected.submissions if not each.listed}
    unclear = unlisted | contested(results)
    return [graded for graded in results if graded.name not in unclear]


def _worksheet(results: Sequence[Grade], bank: Bank, roster: Roster) -> Gradebook:
    sheet, rows = roster.sheet, [list(row) for row in roster.sheet.rows]
    grade, comments = sheet.place("Grade"), sheet.place("Feedback comments")
    may_change = sheet.place("Grade can be changed")
    news = _News("Moodle", sheet)
    for place, graded in sorted(_by_row(results, roster).items()):
        if may_change >= 0 and rows[place][may_change].strip() in LOCKED:
            news.locked.append(graded.student)
            continue
        rows[place][grade] = news.grade(graded, rows[place][grade])
        if comments >= 0:
            rows[place][comments] = cell(grade_exports.feedback_text(graded))
    most = sheet.column("Maximum Grade") if sheet.has("Maximum Grade") else []
    remarks = (*_too_much("Moodle", most, bank), *news.remarks())
    return Gradebook("moodle.csv", written(sheet, sheet.header, rows), remarks)


class _News:
    """What becomes of the grades that a platform has already."""

    def __init__(self, platform: str, sheet: Sheet) -> None:
        self.platform = platform
        self.locked: list[str] = []
        self._comma = _has_decimal_commas(sheet)
        self._excused: list[str] = []
        self._changed: list[str] = []

    def grade(self, graded: Grade | None, known: str) -> str:
        """Return the cell of a student: what is known stays where nothing is to be said."""
        if graded is None or not graded.decided:
            return known
        if known.strip().upper() == _EXCUSED:
            self._excused.append(graded.student)
            return known
        new = cell(graded.earned).replace(".", ",") if self._comma else cell(graded.earned)
        if _number(known) == _number(known) and abs(_number(known) - graded.earned) > _CENT:
            self._changed.append(f"{graded.student} {known.strip()} to {new}")
        return new

    def remarks(self) -> tuple[str, ...]:
        """Return what to know of grades that change, and of those that don't."""
        cases = (
            (self._excused, "Excused in {0} and left excused: {1}."),
            (self.locked, "Locked in {0}, so the grade there stays: {1}."),
            (self._changed, "{0} has different grades, which this file replaces: {1}."),
        )
        return tuple(text.format(self.platform, ", ".join(who)) for who, text in cases if who)


_EXCUSED = "EX"
_CENT = 0.005
"""Platforms show grades to two places."""
_COMMA, _POINT = re.compile(r"-?\d+,\d+"), re.compile(r"-?\d+\.\d+")


def _has_decimal_commas(sheet: Sheet) -> bool:
    cells = [text.strip() for row in sheet.rows for text in row]
    return any(map(_COMMA.fullmatch, cells)) and not any(map(_POINT.fullmatch, cells))


def _moodle(results: Sequence[Grade], bank: Bank, roster: Roster, column: str) -> Gradebook:
    sheet = roster.sheet
    people = [place for name in _MOODLE_PEOPLE if (place := sheet.place(name)) >= 0]
    place, remarks = _column(sheet, _MOODLE_COLUMN, bank, column, "Moodle")
    title = sheet.header[place] if place >= 0 else bank.title
    news = _News("Moodle", sheet)
    rows = [
        [sheet.rows[row][place] for place in people]
        + [news.grade(graded, sheet.rows[row][place] if place >= 0 else "")]
        + [cell(grade_exports.feedback_text(graded))]
        for row, graded in sorted(_by_row(results, roster).items())
        if graded.decided
    ]
    header = [*(sheet.header[place] for place in people), title, f"Feedback: {bank.title}"]
    return Gradebook("moodle.csv", written(sheet, header, rows), (*remarks, *news.remarks()))


def _canvas(results: Sequence[Grade], bank: Bank, roster: Roster, column: str) -> Gradebook:
    sheet = roster.sheet
    info = sheet.place("Section") + 1
    place, remarks = _column(sheet, _CANVAS_COLUMN, bank, column, "Canvas")
    by_row = _by_row(results, roster)
    possible = [row for row in sheet.rows if row[0].strip().startswith("Points Possible")]
    first = list(possible[0][:info]) if possible else [_POINTS, *[""] * (info - 1)]
    most = possible[0][place].strip() if possible and place >= 0 else ""
    rows = [[*first, most or cell(bank.points)]]
    news = _News("Canvas", sheet)
    for student in roster.students:
        row = sheet.rows[student.row]
        known = row[place] if place >= 0 else ""
        rows.append([*row[:info], news.grade(by_row.get(student.row), known)])
    title = sheet.header[place] if place >= 0 else bank.title
    if _DROPPED.search(title):
        remarks += (
            f"Canvas's import silently skips a column called {title!r}. Rename the assignment "
            "there, export the gradebook again and grade again.",
        )
    remarks += (*_too_much("Canvas", [most], bank), *news.remarks())
    return Gradebook("canvas.csv", written(sheet, [*sheet.header[:info], title], rows), remarks)


def _blackboard(results: Sequence[Grade], bank: Bank, roster: Roster, column: str) -> Gradebook:
    tab = roster.sheet.delimiter == "\t"
    return _filled(
        results,
        bank,
        roster,
        column,
        platform="Blackboard",
        form=_BLACKBOARD_COLUMN,
        people=("Last Name", "First Name", "Username", "Student ID"),
        title=bank.title,
        file="blackboard.xls" if tab else "blackboard.csv",
    )


def _brightspace(results: Sequence[Grade], bank: Bank, roster: Roster, column: str) -> Gradebook:
    return _filled(
        results,
        bank,
        roster,
        column,
        platform="Brightspace",
        form=_BRIGHTSPACE_COLUMN,
        people=("OrgDefinedId", "Username", "Last Name", "First Name"),
        title=f"{bank.title} Points Grade",
        file="brightspace.csv",
        end=("End-of-Line Indicator", "#"),
    )


def _sakai(results: Sequence[Grade], roster: Roster) -> Gradebook:
    sheet, rows = roster.sheet, [list(row) for row in roster.sheet.rows]
    grade, news = sheet.place("grade"), _News("Sakai", roster.sheet)
    for place, graded in _by_row(results, roster).items():
        rows[place][grade] = news.grade(graded, rows[place][grade])
    return Gradebook(SAKAI, written(sheet, sheet.header, rows), news.remarks())


def _filled(
    results: Sequence[Grade],
    bank: Bank,
    roster: Roster,
    column: str,
    *,
    platform: str,
    form: re.Pattern[str],
    people: Sequence[str],
    title: str,
    file: str,
    end: tuple[str, ...] = (),
) -> Gradebook:
    """Return the columns that know a student, and the assignment's, of those who have a grade."""
    sheet = roster.sheet
    known = [place for name in people if (place := sheet.place(name)) >= 0]
    place, remarks = _column(sheet, form, bank, column, platform)
    news = _News(platform, sheet)
    rows = [
        [sheet.rows[row][place] for place in known]
        + [news.grade(graded, sheet.rows[row][place] if place >= 0 else ""), *end[1:]]
        for row, graded in sorted(_by_row(results, roster).items())
        if graded.decided
    ]
    title = sheet.header[place] if place >= 0 else title
    header = [*(sheet.header[place] for place in known), title, *end[:1]]
    match = form.fullmatch(title)
    most = [match["most"]] if match and match["most"] else []
    remarks = (*remarks, *_too_much(platform, most, bank), *news.remarks())
    return Gradebook(file, written(sheet, header, rows), remarks, sheet.encoding)


def _by_row(results: Sequence[Grade], roster: Roster) -> dict[int, Grade]:
    places = {student.id: student.row for student in roster.students}
    return {places[graded.student]: graded for graded in results if graded.student in places}


def _column(
    sheet: Sheet, form: re.Pattern[str], bank: Bank, wanted: str, platform: str
) -> tuple[int, tuple[str, ...]]:
    """Return the place of the assignment's column, -1 with a remark where there is none."""
    titles = [match["title"] if (match := form.fullmatch(name)) else "" for name in sheet.header]
    names = {plain(wanted)} if wanted else {plain(bank.title), plain(bank.topic)}
    places = [
        place
        for place, title in enumerate(titles)
        if plain(title) in names or plain(sheet.header[place]) in names
    ]
    if len(places) == 1:
        return places[0], ()
    if wanted or places:
        known = [sheet.header[place] for place, title in enumerate(titles) if title]
        raise ValueError(
            f"{sheet.path} must have one column for the assignment, and has {len(places)} called "
            f"{wanted or bank.title!r}; name one with --column, or if two have the same name, "
            f"rename one in the platform: {', '.join(known)}"
        )
    does = _DOES[platform]
    return -1, (
        f"{platform}'s table has no column called {bank.title!r}, so {platform} {does}; if it has "
        "one under another name, give that with --column.",
    )


_DOES = {
    "Canvas": "makes a new one",
    "Moodle": "asks you where the points go",
    "Blackboard": "makes a new one, of text and with 0 points possible",
    "Brightspace": "refuses the file until there is a numeric grade item of that name",
}


def _too_much(platform: str, most: list[str], bank: Bank) -> tuple[str, ...]:
    """Say so where the platform's maximum isn't the assignment's."""
    others = sorted({text for text in most if text and _number(text) != float(bank.points)})
    if not others:
        return ()
    return (
        f"{platform} counts {others[0]} points, this assignment {bank.points:g}: set it to "
        f"{bank.points:g} there before you load the grades.",
    )


def _number(text: str) -> float:
    try:
        return float(text.replace(",", "."))
    except ValueError:
        return float("nan")


def _by_names(results: Sequence[Grade], bank: Bank, collected: Collected) -> list[Gradebook]:
    """Make the tables from the students' ids, or from the numbers in the download's names."""
    known = {each.name: each.origin for each in collected.submissions if each.origin}
    if collected.platform == "moodle" and not collected.roster:
        rows = (
            [
                f"Participant {known[graded.name].number}",
                known[graded.name].name,
                grade_exports.points(graded),
                "-",
                grade_exports.feedback_text(graded),
            ]
            for graded in results
            if graded.name in known
        )
        return [Gradebook("moodle.csv", table(_MOODLE_FORM, rows))]
    numbers = {n: source.number for n, source in known.items() if source.platform == "canvas"}
    canvas = Gradebook("canvas.csv", grade_exports.canvas(results, bank, numbers))
    moodle = Gradebook("moodle.csv", grade_exports.moodle(results, bank))
    made = {"canvas": [canvas], "moodle": [moodle], "": [canvas, moodle]}
    return made.get(collected.platform, [])
