"""A semester of a made-up class over eight platforms: each cell that comes back is as put down.

Hand-ins are made with their points, which are put down beside them; nothing of this list comes from
what is tested. No notebook is run: the points stand in its code. (`benchmarks/semester.py` runs
them.)
"""

import csv
import io
import re
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import example
import pytest
from building import notebook
from downloads import zipped

from perfcourse.gradebook.due import read_due
from perfcourse.gradebook.grade import grade_of
from perfcourse.gradebook.lateness import Deadline, read_policy
from perfcourse.intake.cells import UnreadableError, code_cells
from perfcourse.intake.collection import Sources, collect
from perfcourse.intake.people.groups import read_groups
from perfcourse.intake.people.roster import read_roster
from perfcourse.intake.submissions import opened
from perfcourse.judge import Verdict
from perfcourse.judge.result import Graded
from perfcourse.report.gradebooks import gradebooks

BANK = example.bank
TITLE = BANK.title
MOST = 10.0
GIVEN = ("Mira", "Jonas", "Ana Maria", "Zoë", "Kim", "Léa", "Ømar", "Nils", "爱子", "Tom")
FAMILY = ("Okonkwo", "O'Brien-Lee", "del Rio", "Müller", "Park", "Noël", "Haddad", "Strand", "Sato",
          "Evans", "Costa", "Novák", "Berg", "Iyer", "Łang")  # fmt: skip
CLASS = [(f"s{1000 + n}", GIVEN[n % 10], FAMILY[n // 10]) for n in range(150)]
SPELLINGS = ("example (1)", "example-Copy1", "example_final", "Example - Kopie", "Untitled", "v2/a")
DUE = datetime(2026, 10, 5, 21, 0)
DEADLINE = Deadline(read_due("2026-10-05 21:00"), read_policy("10 % a day"))


@dataclass
class Week:
    """What was handed in, and what must come of it."""

    files: dict = field(default_factory=dict)
    cells: dict = field(default_factory=dict)
    """Points in the platform's file; None where it must keep what it has."""
    kept: dict = field(default_factory=dict)
    """What the platform has of somebody, where that must stay."""


def work(id, points):
    cells = (f'STUDENT = "{id}"\ncheck = checker("example", student=STUDENT)', f"POINTS = {points}")
    return notebook(*cells)


def planned(n):
    """Return what the n-th student does, and the points that it's worth."""
    kind = {7: "missing", 3: "twice", 5: "zip"}.get(n % 10, "one")
    return {14: "pdf", 33: "broken"}.get(n, kind), float(n % 11) * MOST / 10


def put_down(week, n, points):
    week.cells[CLASS[n][0]] = points


def graded(collected, deadline):
    return [
        grade_of(graded_one(each), (), deadline, each.handed_in) for each in collected.submissions
    ]


def graded_one(submission):
    handin = opened(submission)
    who = submission.name, submission.student, handin.digest
    try:
        if handin.problem:
            raise UnreadableError(handin.problem)
        code = "\n".join(code_cells(handin.data, handin.file_name))
    except UnreadableError as error:
        return Graded(*who, str(error), (Verdict("q1", 0.0, MOST, ""),), readable=False)
    points = float(re.search(r"POINTS = ([\d.]+)", code)[1])
    return Graded(*who, "", (Verdict("q1", points, MOST, ""),))


def table(header, rows, delimiter=","):
    stream = io.StringIO()
    csv.writer(stream, delimiter=delimiter, lineterminator="\n").writerows([header, *rows])
    return stream.getvalue()


def wrong(week, tmp_path, sources, key, column, deadline=None):
    """Return the cells that differ: of the platform's file, and of the list of grades."""
    (tmp_path / "in.zip").write_bytes(zipped(week.files))
    collected = collect(tmp_path / "in.zip", "example", sources)
    grades = graded(collected, deadline)
    assert {student.id for student in collected.absent} == set(week.cells) - {
        grade.student for grade in grades
    }
    found = {grade.student: grade.earned for grade in grades if grade.decided}
    cells = [(id, points, found.get(id)) for id, points in week.cells.items()]
    if column:
        (book,) = gradebooks(grades, BANK, collected)
        text = book.text.partition('""\n')[2] if book.file == "sakai.csv" else book.text
        delimiter = "\t" if book.file.endswith(".xls") else ","
        reader = csv.DictReader(io.StringIO(text), delimiter=delimiter)
        back = {row[key].removeprefix("#"): row[column] for row in reader}
        for id, points in week.cells.items():
            kept = week.kept.get(id, "")
            want = kept if kept or points is None else f"{points:g}"
            cells.append((id, want, back.get(id, "")))
    differ = [cell for cell in cells if cell[1] != cell[2]]
    return len(cells), differ


def moodle(tmp_path):
    """Groups, drafts, lateness, two notebooks of which none is known to be the later."""
    week, rows = Week(), []
    for n, (id, given, family) in enumerate(CLASS):
        kind, points = planned(n)
        name, status, group = f"{given} {family}", "Submitted for grading - ", ""
        place = f"{name}_{4000 + n}_assignsubmission_file"
        late = n % 4 == 0
        lost = round(points * 0.1, 2) if late else 0.0
        if n % 10 in (8, 9):
            group = f"Team {n // 10}"
            place, points = f"{group}_{n // 10}_assignsubmission_file", 6.0
            lost = 0.6 if late else 0.0
            week.files[f"{place}/example.ipynb"] = work(CLASS[n // 10 * 10 + 8][0], points)
        elif kind == "twice":
            week.files[f"{place}/example.ipynb"] = work(id, 0.5)
            week.files[f"{place}/{SPELLINGS[n % 6]}.ipynb"] = work(id, points)
        elif kind == "zip":
            week.files[f"{place}/work.zip"] = zipped({"w/example.ipynb": work(id, points)})
        elif kind in ("pdf", "broken"):
            data = b"%PDF-1.7" if kind == "pdf" else b"{"
            week.files[f"{place}/example.{'pdf' if kind == 'pdf' else 'ipynb'}"] = data
        elif kind == "one":
            week.files[f"{place}/example.ipynb"] = work(id, points)
            status = "Draft (not submitted) - " if n % 20 == 1 else status
        none = kind in ("missing", "twice", "pdf", "broken") or status.startswith("Draft")
        put_down(week, n, None if none and not group else points - lost)
        when = DUE + timedelta(hours=3 if late else -3)
        time = f"{when:%A, %-d %B %Y, %-I:%M %p}"
        rows.append(
            [f"Participant {4000 + n}", name, id, status, group, "", "10", "Yes", time, "-"]
        )
    header = ["Identifier", "Full name", "ID number", "Status", "Group", "Grade", "Maximum Grade",
              "Grade can be changed", "Last modified (submission)",
              "Last modified (grade)"]  # fmt: skip
    (tmp_path / "w.csv").write_text(table(header, rows))
    roster = read_roster(tmp_path / "w.csv")
    return wrong(week, tmp_path, Sources(roster), "ID number", "Grade", DEADLINE)


def squeezed(family, given):
    return re.sub(r"\W", "", f"{family}{given}".lower())


def canvas(tmp_path):
    """Groups by a table, excused students, files handed in again under any name."""
    week, rows, groups = Week(), [["    Points Possible", "", "", "", "10"]], []
    column = f"{TITLE} (90218)"
    for n, (id, given, family) in enumerate(CLASS):
        kind, points = planned(n)
        before = f"{squeezed(family, given)}_{20000 + n}"
        if n % 10 in (8, 9):
            groups.append([id, f"Team {n // 10}"])
            points, kind = 6.0, "group"
            if n % 10 == 8:
                week.files[f"team{n // 10}_{20000 + n}_{700000 + n}_x.ipynb"] = work(id, points)
        elif kind == "twice":
            week.files[f"{before}_{500000 + n}_example.ipynb"] = work(id, 0.5)
            again = SPELLINGS[n % 6].replace("/", "_")
            week.files[f"{before}_{600000 + n}_{again}.ipynb"] = work(id, points)
        elif kind == "zip":
            data = zipped({"w/example.ipynb": work(id, points)})
            week.files[f"{before}_LATE_{600000 + n}_w.zip".replace("_LATE", "", 1)] = data
        elif kind in ("pdf", "broken"):
            week.files[f"{before}_{600000 + n}_x.{'pdf' if kind == 'pdf' else 'ipynb'}"] = b"{"
        elif kind == "one":
            week.files[f"{before}_{600000 + n}_example.ipynb"] = work(id, points)
        if n % 17 == 4:
            week.kept[id] = "EX"
        put_down(week, n, None if kind in ("missing", "pdf", "broken") else points)
        name = f"{family}, {given}"
        rows.append([name, str(20000 + n), id, "A", week.kept.get(id, "")])
    header = ["Student", "ID", "SIS Login ID", "Section", column]
    (tmp_path / "g.csv").write_text(table(header, rows))
    (tmp_path / "groups.csv").write_text(table(["student", "group"], groups))
    roster = read_groups(tmp_path / "groups.csv", read_roster(tmp_path / "g.csv"))
    return wrong(week, tmp_path, Sources(roster), "SIS Login ID", column)


def attempts(tmp_path, place, rows, header, encoding, delimiter, key, column):
    """A week in which files or folders say when they were handed in."""
    week = Week()
    for n, (id, given, family) in enumerate(CLASS):
        kind, points = planned(n)
        if kind == "twice":
            week.files[place(id, given, family, 8) + "example.ipynb"] = work(id, 0.5)
        if kind in ("twice", "one"):
            again = SPELLINGS[n % 6].replace("/", "_")
            week.files[place(id, given, family, 9) + f"{again}.ipynb"] = work(id, points)
        elif kind == "zip":
            data = zipped({"w/example.ipynb": work(id, points)})
            week.files[place(id, given, family, 9) + "w.zip"] = data
        elif kind in ("pdf", "broken"):
            week.files[place(id, given, family, 9) + "x.ipynb"] = b"{"
        put_down(week, n, None if kind in ("missing", "pdf", "broken") else points)
    text = table(header, [rows(*student) for student in CLASS], delimiter)
    (tmp_path / "b.csv").write_bytes(text.encode(encoding))
    return wrong(week, tmp_path, Sources(read_roster(tmp_path / "b.csv")), key, column)


def blackboard(tmp_path):
    """A table in UTF-16 by tab, and files named by username and time."""
    column = f"{TITLE} [Total Pts: 10 Score] |7"
    header = ["Last Name", "First Name", "Username", "Availability", column]
    return attempts(
        tmp_path,
        lambda id, given, family, hour: f"Ex_{id}_attempt_2026-10-05-0{hour}-00-00_",
        lambda id, given, family: [family, given, id, "Yes", ""],
        *(header, "utf-16", "\t", "Username", column),
    )


def brightspace(tmp_path):
    """Folders named by name and time."""
    column = f"{TITLE} Points Grade <Numeric MaxPoints:10 Weight:10>"
    header = ["OrgDefinedId", "Username", "Last Name", "First Name", column]
    header.append("End-of-Line Indicator")
    return attempts(
        tmp_path,
        lambda id, given, family, hour: f"39-25 - {given} {family} - Oct 5, 2026 {hour}00 AM/",
        lambda id, given, family: [f"#{id}", f"#{id}", family, given, "", "#"],
        *(header, "utf-8", ",", "Username", column),
    )


def gradescope(tmp_path):
    """Folders that a list names, all within one."""
    week, lines = Week(), []
    for n, (id, given, family) in enumerate(CLASS):
        kind, points = planned(n)
        put_down(week, n, points if kind in ("one", "zip") else None)
        if kind in ("one", "zip"):
            lines.append(f"submission_{n}:\n  :submitters:\n  - :name: {given} {family}\n")
            lines.append(f"    :sid: {id}\n  :created_at: 2026-10-05 19:00:00.000000000 Z\n")
            week.files[f"assignment_1_export/submission_{n}/x.ipynb"] = work(id, points)
    week.files["assignment_1_export/submission_metadata.yml"] = "".join(lines).encode()
    rows = [[given, family, id, f"{id}@example.edu", "Student"] for id, given, family in CLASS]
    header = ["First Name", "Last Name", "SID", "Email", "Role"]
    (tmp_path / "r.csv").write_text(table(header, rows))
    return wrong(week, tmp_path, Sources(read_roster(tmp_path / "r.csv")), "", "")


def sakai(tmp_path):
    """Folders with a time in a file, and a table with lines before its header."""
    week, rows = Week(), []
    for n, (id, given, family) in enumerate(CLASS):
        kind, points = planned(n)
        who = f"Ex 1/{family}, {given}({id})"
        place = f"{who}/Submission attachment(s)"
        late = n % 4 == 0
        if n % 9 == 2:
            week.kept[id] = "8" if kind == "missing" else ""
        if kind == "missing":
            week.files[f"{who}/comments.txt"] = b""
        else:
            day = 6 if late else 5
            week.files[f"{who}/timestamp.txt"] = f"2026-10-0{day}T12:00:00Z".encode()
        if kind in ("one", "twice"):
            week.files[f"{place}/example.ipynb"] = work(id, points)
        if kind == "twice":
            week.files[f"{place}/example+1.ipynb"] = work(id, points)
        elif kind == "zip":
            week.files[f"{place}/w.zip"] = zipped({"w/example.ipynb": work(id, points)})
        elif kind in ("pdf", "broken"):
            week.files[f"{place}/x.ipynb"] = b"{"
        lost = round(points * 0.1, 2) if late else 0.0
        put_down(week, n, None if kind in ("missing", "pdf", "broken") else points - lost)
        rows.append([id, id, family, given, week.kept.get(id, ""), "", ""])
    header = ["Display ID", "ID", "Last Name", "First Name", "grade", "Submission", "Late"]
    text = 'Ex 1,SCORE_GRADE_TYPE\n""\n' + table(header, rows)
    week.files["Ex 1/grades.csv"] = text.encode()
    (tmp_path / "grades.csv").write_text(text)
    sources = Sources(read_roster(tmp_path / "grades.csv"))
    return wrong(week, tmp_path, sources, "ID", "grade", DEADLINE)


def github(tmp_path):
    """Clones, called by a login with dashes or the end of another's."""
    week, rows = Week(), []
    for n, (id, _, _) in enumerate(CLASS):
        kind, points = planned(n)
        login = ("octo-{}", "{}", "{}-dev")[n % 3].format(n)
        rows.append([id, login, str(n), ""])
        put_down(week, n, None if kind == "missing" else points)
        if kind != "missing":
            place = f"hw-submissions/hw-{login}"
            week.files[f"{place}/example.ipynb"] = work(id, points)
            week.files[f"{place}/.git/HEAD"] = week.files[f"{place}/README.md"] = b""
    header = ["identifier", "github_username", "github_id", "name"]
    (tmp_path / "c.csv").write_text(table(header, rows))
    return wrong(week, tmp_path, Sources(read_roster(tmp_path / "c.csv")), "", "")


def folder(tmp_path):
    """A folder around files that browsers and systems have named."""
    week = Week()
    endings = (".ipynb", " (1).ipynb", ".ipynb.txt", "-Copy1.ipynb", ".IPYNB", "/x.ipynb")
    for n, (id, _, _) in enumerate(CLASS):
        kind, points = planned(n)
        put_down(week, n, None if kind == "missing" else points)
        if kind != "missing":
            week.files[f"week 3/{id}{endings[n % 6]}"] = work(id, points)
    (tmp_path / "c.csv").write_text(table(["id"], [[id] for id, _, _ in CLASS]))
    return wrong(week, tmp_path, Sources(read_roster(tmp_path / "c.csv")), "", "")


WEEKS = {moodle: 300, canvas: 300, blackboard: 300, brightspace: 300, sakai: 300}
WEEKS |= {gradescope: 150, github: 150, folder: 150}


@pytest.mark.parametrize(
    ("week", "cells"), WEEKS.items(), ids=lambda it: getattr(it, "__name__", "")
)
def test_no_cell_is_wrong(week, cells, tmp_path):
    compared, differ = week(tmp_path)
    assert differ == []
    assert compared == cells


def test_all_weeks_have_1950_cells():
    assert sum(WEEKS.values()) == 1950
