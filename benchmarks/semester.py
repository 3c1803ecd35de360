"""Rehearse a semester: seven assignments, a made-up class, one command a week.

Run `.venv/bin/python benchmarks/semester.py` (150 students, a quarter of an hour on two cores) or
with another number of students, 30 or more:

- week 1, Moodle: the zip archive, without the flag of UTF-8 in its names, and the grading
  worksheet, with a due date, grace, lateness, extensions, groups, drafts, and second notebooks
  under other names of which nothing says whether they are later;
- week 2, Canvas: the archive and the gradebook's export, with groups, excused students, and files
  handed in again under other names;
- week 3, a folder with a roster of our own; a fifth of the class then hands in again, and the same
  command is given again;
- week 4, Blackboard: several attempts of one student, and a gradebook in UTF-16;
- week 5, Brightspace: several folders of one student;
- week 6, Gradescope: groups and single students, as its list names them;
- week 7, GitHub Classroom: cloned repositories, with files of programs' in them.

While hand-ins are made, their points are put down beside them: all points of the assignment, less
those of the questions that were left out or answered wrong, less what the table of lateness below
says. Nothing of this list comes from grading. Then every student's cell in the file that goes back
to the platform, and in grades.csv, is compared with it. The exit status is 1 if one differs.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import random
import re
import shutil
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

from rich.console import Console
from rich.table import Table

from perfcourse.bank import Bank
from perfcourse.bank.loader import load

ROOT = Path(__file__).resolve().parents[1]
WORK = ROOT / "_build" / "semester"
COMMAND = str(Path(sys.executable).with_name("perfcourse"))
DUE = datetime(2026, 10, 5, 23, 59)
LATE = "10 % a day, 2 h grace, at most 50 %, nothing after 7 days"
LATENESS = {-30.0: 0.0, -0.1: 0.0, 1.5: 0.0, 3.0: 0.1, 25.5: 0.1, 26.5: 0.2, 100.0: 0.5, 200.0: 1.0}
"""Hours after the due date, and the share of the points that this costs: worked out by hand."""
ROUND = ("perfect", "partial", "wrong", "perfect", "partial", "wrong", "perfect", "missing",
         "empty", "perfect")  # fmt: skip
GIVEN = ("Mira", "Jonas", "Ana Maria", "Zoë", "Kim", "Léa", "Omar", "Nils", "Aiko", "Tom")
FAMILY = ("Okonkwo", "O'Brien-Lee", "del Rio", "Müller", "Park", "Noël", "Haddad", "Strand", "Sato",
          "Evans", "Costa", "Novak", "Berg", "Iyer", "Lang", "Moreau", "Quist", "Roth")  # fmt: skip
SPELLINGS = ("work (1)", "work-Copy1", "work_final", "work - Kopie", "Untitled")
"""How a notebook is called that was handed in again."""

Outcome = tuple[int, list[tuple[str, bool]]]
"""How many files were handed in, and of each cell a line and whether it is as put down before."""


@dataclass(frozen=True)
class Student:
    """One of the class."""

    number: int
    given: str
    family: str

    @property
    def id(self) -> str:
        """Return what the notebooks and tables know the student by."""
        return f"s{self.number:04d}"

    @property
    def name(self) -> str:
        """Return the name as platforms show it."""
        return f"{self.given} {self.family}"


@dataclass(frozen=True)
class Assignment:
    """A topic's exercise with all that is needed to make hand-ins of known points."""

    topic: str
    bank: Bank
    empty: list[str]
    """Sources of the exercise's code cells, as students get them."""
    solved: list[str]
    removable: dict[str, int]
    """Questions whose answer no other cell uses, and the cell that gives it."""


@dataclass
class Week:
    """What was handed in to one assignment, and the points that it must get."""

    files: dict[str, bytes] = field(default_factory=dict)
    points: dict[str, float | None] = field(default_factory=dict)
    """None: nothing to grade, so the platform's cell stays empty."""
    when: dict[str, datetime] = field(default_factory=dict)
    extended: dict[str, datetime] = field(default_factory=dict)
    stays: dict[str, str] = field(default_factory=dict)
    """Cells of the platform that must stay as they are."""


def main() -> int:
    """Run all weeks and print what came out."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("students", type=int, nargs="?", default=150)
    many = parser.parse_args().students
    if not 30 <= many <= len(GIVEN) * len(FAMILY):
        parser.error(f"students must be 30 to {len(GIVEN) * len(FAMILY)}, got {many}")
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    people = class_of(many)
    table = Table("week", "from", "hand-ins", "seconds", "cells compared", "wrong")
    wrong = 0
    for week, (source, topic, run) in enumerate(WEEKS, 1):
        begun = time.monotonic()
        handed_in, found = run(assignment(topic), people, random.Random(week))
        differ = [line for line, same in found if not same]
        wrong += len(differ)
        seconds = time.monotonic() - begun
        row = (week, source, handed_in, f"{seconds:.0f}", len(found), len(differ))
        table.add_row(*map(str, row))
        for line in differ[:20]:
            print(line)
    Console().print(table)
    return 1 if wrong else 0


def class_of(many: int) -> list[Student]:
    """Return students of different names."""
    pairs = [(given, family) for family in FAMILY for given in GIVEN]
    random.Random(0).shuffle(pairs)
    return [Student(n, *pair) for n, pair in enumerate(pairs[:many], 1001)]


def assignment(topic: str) -> Assignment:
    """Read a topic's bank, its exercise and its solution."""
    empty = code(ROOT / "exercises" / f"{topic}.ipynb")
    solved = code(ROOT / "solutions" / f"{topic}.ipynb")
    given = next(n for n, cell in enumerate(empty) if head(cell) != head(solved[n]))
    solved.insert(given, empty[given])
    bank = load(ROOT / "solutions" / f"{topic}.py")
    removable = {}
    for question in bank.questions:
        name = re.compile(rf"\b{question.answer}\b")
        check = f'check("{question.id}"'
        cells = [
            n
            for n, cell in enumerate(solved)
            if n != given and check not in cell and name.search(re.sub(r'"[^"\n]*"|#.*', "", cell))
        ]
        if len(cells) == 1 and empty[cells[0]] != solved[cells[0]]:
            removable[question.id] = cells[0]
    places = list(removable.values())
    alone = {name: n for name, n in removable.items() if places.count(n) == 1}
    return Assignment(topic, bank, empty, solved, alone)


def code(path: Path) -> list[str]:
    """Return the sources of a notebook's code cells."""
    cells = json.loads(path.read_text("utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


def head(cell: str) -> str:
    """Return the first line, which a solution and its stub share."""
    return cell.split("\n", 1)[0]


def handin(
    what: Assignment, student: Student, draw: random.Random, kind: str
) -> tuple[bytes, float | None]:
    """Return a notebook of a kind with the points that it must get."""
    total = float(what.bank.points)
    if kind == "broken":
        return b'{"cells": [', None
    if kind == "pdf":
        return b"%PDF-1.7 a report", None
    cells, lost = list(what.solved), 0.0
    if kind == "empty":
        cells, lost = list(what.empty), total
    if kind in ("partial", "wrong"):
        for question in draw.sample(sorted(what.removable), 3):
            place = what.removable[question]
            asked = next(q for q in what.bank.questions if q.id == question)
            lost += asked.points
            spoil = f"\n{asked.answer} = 'forty-two'"
            cells[place] = what.empty[place] if kind == "partial" else cells[place] + spoil
    cells = [re.sub(r'STUDENT = "[^"]*"', f'STUDENT = "{student.id}"', cell) for cell in cells]
    return notebook([f"# by {student.name}", *cells]), total - lost


def notebook(cells: list[str]) -> bytes:
    """Return cells as the bytes of a notebook."""
    made = [{"cell_type": "code", "execution_count": None, "id": f"c{n}", "metadata": {},
             "outputs": [], "source": cell} for n, cell in enumerate(cells)]  # fmt: skip
    return json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()


def kinds(many: int) -> Iterator[str]:
    """Yield what each student hands in: nearly half perfect, the rest of every kind."""
    for number in range(many):
        yield {3: "broken", 14: "pdf"}.get(number, ROUND[number % len(ROUND)])


def moodle(what: Assignment, people: list[Student], draw: random.Random) -> Outcome:
    """A week over Moodle: lateness, extensions, groups, drafts, zips of students' own."""
    week = Week()
    shares = list(LATENESS.items())
    groups: dict[str, str] = {}
    drafts: set[str] = set()
    data, points = b"", None
    for number, (student, kind) in enumerate(zip(people, kinds(len(people)), strict=True)):
        if kind == "missing":
            week.points[student.id] = None
            continue
        if number % 10 in (8, 9):
            groups[student.id] = f"Équipe {number // 10}"
        if number % 10 != 9:  # who shares what the one before has handed in
            data, points = handin(what, student, draw, "partial" if number % 10 == 8 else kind)
        hours, share = shares[number % len(shares)]
        week.when[student.id] = DUE + timedelta(hours=hours)
        if number % 11 == 5:
            week.extended[student.id] = DUE + timedelta(days=14)
            share = 0.0
        week.points[student.id] = None if points is None else points - round(share * points, 2)
        place = f"{student.name}_{4000 + student.number}_assignsubmission_file"
        if student.id in groups:
            place = f"{groups[student.id]}_{number // 10}_assignsubmission_file"
        elif number % 12 == 5:
            drafts.add(student.id)
            week.points[student.id] = None
        elif number % 10 in (4, 6) and points is not None:
            again, _ = handin(what, student, draw, kind if number % 10 == 4 else "empty")
            same = number % 10 == 4 and kind == "perfect"
            week.files[f"{place}/{SPELLINGS[number // 10 % len(SPELLINGS)]}.ipynb"] = again
            week.points[student.id] = week.points[student.id] if same else None
        name = ("scaling.ipynb", "my work/final version.ipynb", "zipped.zip")[number % 3]
        name = "scaling.ipynb" if student.id in groups else name
        week.files[f"{place}/{name}"] = (
            zipped({"scaling.ipynb": data}) if name.endswith("zip") else data
        )
    source = WORK / "PM101-Scaling.zip"
    source.write_bytes(without_flag(zipped(week.files)))
    roster = WORK / "Grades.csv"
    header = ["Identifier", "Full name", "ID number", "Email address", "Status", "Group", "Grade",
              "Maximum Grade", "Grade can be changed", "Last modified (submission)",
              "Last modified (grade)", "Feedback comments"]  # fmt: skip
    most = str(what.bank.points)
    rows = []
    for person in people:
        number = f"Participant {4000 + person.number}"
        status = "Draft (not submitted)" if person.id in drafts else "Submitted for grading"
        who = [number, person.name, person.id, f"{person.id}@example.edu", status]
        who += [groups.get(person.id, ""), ""]
        rows.append([*who, most, "Yes", shown(week.when.get(person.id)), "-", ""])
    roster.write_text(table_of(header, rows), "utf-8")
    longer = WORK / "extensions.csv"
    dates = [[student, f"{due:%Y-%m-%d %H:%M}"] for student, due in week.extended.items()]
    longer.write_text(table_of(["student", "due"], dates), "utf-8")
    out = graded(source, what.topic, "--roster", roster, "--due", f"{DUE:%Y-%m-%d %H:%M}", "--late",
                 LATE, "--extensions", longer)  # fmt: skip
    back = {row["ID number"]: row["Grade"] for row in read(out / "moodle.csv")}
    return len(week.files), [*compared(what, week, back, "moodle.csv"), *in_grades(what, week, out)]


def canvas(what: Assignment, people: list[Student], draw: random.Random) -> Outcome:
    """A week over Canvas: groups, excused students, a tenth of the files handed in again."""
    week = Week()
    groups: list[list[str]] = []
    for number, (student, kind) in enumerate(zip(people, kinds(len(people)), strict=True)):
        if number % 13 == 6:
            week.stays[student.id] = "EX"
        if kind == "missing":
            week.points[student.id] = None
            continue
        if number % 10 in (8, 9):
            groups.append([student.id, f"Équipe {number // 10}"])
        if number % 10 == 9:
            week.points[student.id] = week.points[people[number - 1].id]
            continue
        name = re.sub(r"\W", "", (student.family + student.given).lower())
        name = f"équipe{number // 10}" if number % 10 == 8 else name
        own = ("roofline", "Final (2) copy", "assignment_2")[number % 3]
        if number % 10 == 6:
            first, _ = handin(what, student, draw, "empty")
            week.files[f"{name}_{20000 + student.number}_{500000 + number}_{own}.ipynb"] = first
            own = SPELLINGS[number // 10 % len(SPELLINGS)]
        kind = "partial" if number % 10 == 8 else kind
        data, week.points[student.id] = handin(what, student, draw, kind)
        week.files[f"{name}_{20000 + student.number}_{600000 + number}_{own}.ipynb"] = data
    source = WORK / "submissions.zip"
    source.write_bytes(zipped(week.files))
    roster = WORK / "Gradebook.csv"
    header = [
        "Student",
        "ID",
        "SIS User ID",
        "SIS Login ID",
        "Section",
        f"{what.bank.title} (90218)",
    ]
    rows = [["    Points Possible", "", "", "", "", str(what.bank.points)]]
    for s in people:
        who = [f"{s.family}, {s.given}", str(20000 + s.number), "", s.id, "PM-101"]
        rows.append([*who, week.stays.get(s.id, "")])
    roster.write_text(table_of(header, rows), "utf-8")
    members = WORK / "groups.csv"
    members.write_text(table_of(["student", "group"], groups), "utf-8")
    out = graded(source, what.topic, "--roster", roster, "--groups", members)
    column = header[-1]
    back = {row["SIS Login ID"]: row[column] for row in read(out / "canvas.csv")}
    return len(week.files), [*compared(what, week, back, "canvas.csv"), *in_grades(what, week, out)]


def folder(what: Assignment, people: list[Student], draw: random.Random) -> Outcome:
    """A week without a platform; then a fifth of the class hands in again."""
    week = Week()
    source = WORK / "handed-in"
    source.mkdir()
    for student, kind in zip(people, kinds(len(people)), strict=True):
        if kind == "missing":
            week.points[student.id] = None
            continue
        data, week.points[student.id] = handin(what, student, draw, kind)
        week.files[f"{student.id}.ipynb"] = data
        (source / f"{student.id}.ipynb").write_bytes(data)
    roster = WORK / "class.csv"
    roster.write_text(table_of(["id", "name"], [[s.id, s.name] for s in people]), "utf-8")
    found = list(in_grades(what, week, graded(source, what.topic, "--roster", roster)))
    for student in people[::5]:
        data, week.points[student.id] = handin(what, student, draw, "perfect")
        (source / f"{student.id}.ipynb").write_bytes(data)
    out = graded(source, what.topic, "--roster", roster)
    return len(week.files) + len(people[::5]), [*found, *in_grades(what, week, out)]


def attempts(
    what: Assignment,
    people: list[Student],
    draw: random.Random,
    place: Callable[[Student, int], str],
) -> Week:
    """Return a week in which names say at which hour each attempt was handed in."""
    week = Week()
    for number, (student, kind) in enumerate(zip(people, kinds(len(people)), strict=True)):
        if kind == "missing":
            week.points[student.id] = None
            continue
        spelling = SPELLINGS[number % len(SPELLINGS)]
        if number % 5 == 1:
            earlier, _ = handin(what, student, draw, "empty")
            week.files[f"{place(student, 8)}{what.topic}.ipynb"] = earlier
        data, week.points[student.id] = handin(what, student, draw, kind)
        week.files[f"{place(student, 9)}{spelling}.ipynb"] = data
    return week


def blackboard(what: Assignment, people: list[Student], draw: random.Random) -> Outcome:
    """A week over Blackboard: attempts by username and time, each with a text file beside it."""

    def place(student: Student, hour: int) -> str:
        return f"Week 4_{student.id}_attempt_2026-10-05-0{hour}-00-00_"

    week = attempts(what, people, draw, place)
    texts = {f"{name.split('-00-00_')[0]}-00-00.txt": b"Name:" for name in week.files}
    source, roster = WORK / "gradebook_PM101.zip", WORK / "gc_PM101.xls"
    source.write_bytes(zipped({**week.files, **texts}))
    column = f"{what.bank.title} [Total Pts: {what.bank.points:g} Score] |123456"
    header = ["Last Name", "First Name", "Username", "Student ID", "Availability", column]
    rows = [[s.family, s.given, s.id, "", "Yes", ""] for s in people]
    roster.write_text(table_of(header, rows, "\t"), "utf-16")
    out = graded(source, what.topic, "--roster", roster)
    text = (out / "blackboard.xls").read_text("utf-16")
    found = csv.DictReader(io.StringIO(text, newline=""), delimiter="\t")
    back = {s.id: "" for s in people} | {row["Username"]: row[column] for row in found}
    cells = compared(what, week, back, "blackboard.xls")
    return len(week.files), [*cells, *in_grades(what, week, out)]


def brightspace(what: Assignment, people: list[Student], draw: random.Random) -> Outcome:
    """A week over Brightspace: folders by name and time."""

    def place(student: Student, hour: int) -> str:
        return f"397063-2557369 - {student.name} - Oct 5, 2026 {hour}14 AM/"

    week = attempts(what, people, draw, place)
    source, roster = WORK / "Week 5 Download.zip", WORK / "PM101_GradesExport.csv"
    source.write_bytes(zipped({**week.files, "index.html": b"<html></html>"}))
    column = f"{what.bank.title} Points Grade <Numeric MaxPoints:{what.bank.points:g}>"
    header = ["OrgDefinedId", "Username", "Last Name", "First Name", column]
    rows = [[f"#{s.id}", f"#{s.id}", s.family, s.given, "", "#"] for s in people]
    roster.write_text(table_of([*header, "End-of-Line Indicator"], rows), "utf-8")
    out = graded(source, what.topic, "--roster", roster)
    found = {
        row["Username"].removeprefix("#"): row[column] for row in read(out / "brightspace.csv")
    }
    back = {s.id: "" for s in people} | found
    cells = compared(what, week, back, "brightspace.csv")
    return len(week.files), [*cells, *in_grades(what, week, out)]


def gradescope(what: Assignment, people: list[Student], draw: random.Random) -> Outcome:
    """A week over Gradescope: folders whose submitters a list names, some of them groups."""
    week = Week()
    lines: list[str] = []
    for number, (student, kind) in enumerate(zip(people, kinds(len(people)), strict=True)):
        if kind == "missing":
            week.points[student.id] = None
            continue
        who = f"  - :name: {student.name}\n    :sid: {student.id}\n"
        if number % 10 == 9:  # who shares what the one before has handed in
            lines[-1] = lines[-1].replace("  :created_at", f"{who}  :created_at")
            week.points[student.id] = week.points[people[number - 1].id]
            continue
        kind = "partial" if number % 10 == 8 else kind
        data, week.points[student.id] = handin(what, student, draw, kind)
        place = f"submission_{number}"
        week.files[f"assignment_4711_export/{place}/{what.topic}.ipynb"] = data
        stamp = "2026-10-05 19:00:00.000000000 Z"
        lines.append(f"{place}:\n  :submitters:\n{who}  :created_at: {stamp}\n")
    listed = {"assignment_4711_export/submission_metadata.yml": "".join(lines).encode()}
    source, roster = WORK / "assignment_4711_export.zip", WORK / "roster.csv"
    source.write_bytes(zipped({**week.files, **listed}))
    rows = [[s.given, s.family, s.id, f"{s.id}@example.edu", "Student"] for s in people]
    header = ["First Name", "Last Name", "SID", "Email", "Role"]
    roster.write_text(table_of(header, rows), "utf-8")
    out = graded(source, what.topic, "--roster", roster)
    return len(week.files), list(in_grades(what, week, out))


def github(what: Assignment, people: list[Student], draw: random.Random) -> Outcome:
    """A week over GitHub Classroom: a folder of repositories called by logins with dashes."""
    week = Week()
    source, roster = WORK / "week-7-submissions", WORK / "classroom_roster.csv"
    rows = []
    for number, (student, kind) in enumerate(zip(people, kinds(len(people)), strict=True)):
        login = ("octo-{}", "{}", "{}-dev")[number % 3].format(student.number)
        rows.append([student.id, login, str(number), ""])
        week.points[student.id] = None
        if kind == "missing":
            continue
        data, week.points[student.id] = handin(what, student, draw, kind)
        week.files[f"week-7-{login}/{what.topic}.ipynb"] = data
        for name in (".git/HEAD", ".ipynb_checkpoints/x-checkpoint.ipynb", "README.md"):
            week.files[f"week-7-{login}/{name}"] = b"{}"
    for name, data in week.files.items():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_bytes(data)
    header = ["identifier", "github_username", "github_id", "name"]
    roster.write_text(table_of(header, rows), "utf-8")
    out = graded(source, what.topic, "--roster", roster)
    return len(week.files) // 4, list(in_grades(what, week, out))


WEEKS = (
    ("Moodle", "scaling", moodle),
    ("Canvas", "roofline", canvas),
    ("folder", "communication", folder),
    ("Blackboard", "measurement", blackboard),
    ("Brightspace", "offloading", brightspace),
    ("Gradescope", "queueing", gradescope),
    ("GitHub", "forecasting", github),
)


def graded(source: Path, topic: str, *options: str | Path) -> Path:
    """Give the week's one command and return the folder of results."""
    out = WORK / f"{topic}-graded"
    command = [COMMAND, "grade", source, "--topic", topic, "--out", out, *options]
    done = subprocess.run(list(map(str, command)), cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(
            f"{' '.join(map(str, command))}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
        )
    print(done.stdout.strip().splitlines()[-2])
    return out


def in_grades(what: Assignment, week: Week, out: Path) -> Iterator[tuple[str, bool]]:
    """Compare the column of points in grades.csv; there, what can't be read counts 0."""
    back = {row["student"]: row["points"] for row in read(out / "grades.csv")}
    zero = {student: 0.0 if points is None else points for student, points in week.points.items()}
    return compared(what, Week(points=dict(zero)), back, "grades.csv", empty="0")


def compared(
    what: Assignment, week: Week, back: dict[str, str], file: str, empty: str = ""
) -> Iterator[tuple[str, bool]]:
    """Yield a line for each student and whether the cell is as put down beforehand."""
    for student, points in week.points.items():
        cell = back.get(student, "no row").strip()
        same = cell == empty if points is None else as_number(cell or empty) == round(points, 2)
        if student in week.stays:
            same = cell == week.stays[student]
        yield f"{what.topic} {file} {student}: {cell!r}, by hand {points}", same


def as_number(cell: str) -> float | None:
    """Return a cell's number to a hundredth, if it is one."""
    try:
        return round(float(cell), 2)
    except ValueError:
        return None


def read(path: Path) -> list[dict[str, str]]:
    """Return the rows of a table."""
    return list(csv.DictReader(io.StringIO(path.read_text("utf-8-sig"), newline="")))


def table_of(header: list[str], rows: list[list[str]], delimiter: str = ",") -> str:
    """Return a table as CSV."""
    stream = io.StringIO()
    csv.writer(stream, delimiter=delimiter, lineterminator="\n").writerows([header, *rows])
    return stream.getvalue()


def shown(when: datetime | None) -> str:
    """Return a time as Moodle's worksheet shows it."""
    return "-" if when is None else f"{when:%A, %-d %B %Y, %-I:%M %p}"


def zipped(files: dict[str, bytes]) -> bytes:
    """Return files as the bytes of a zip archive."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return stream.getvalue()


def without_flag(archive: bytes) -> bytes:
    """Return a zip archive whose entries don't say that their names are UTF-8."""
    data = bytearray(archive)
    for signature, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        place = data.find(signature)
        while place >= 0:
            data[place + flags + 1] &= 0xF7
            place = data.find(signature, place + 4)
    return bytes(data)


if __name__ == "__main__":
    sys.exit(main())
