"""In a platform's table only the cells of those with a new grade change, whatever it holds."""

import csv
import io
import tempfile
from pathlib import Path

import example
import pytest
from building import notebook
from downloads import zipped
from hypothesis import given, settings, strategies as st

from perfcourse.gradebook.grade import grade_of
from perfcourse.intake.collection import Sources, collect
from perfcourse.intake.people.roster import read_roster
from perfcourse.judge import Verdict
from perfcourse.judge.result import Graded
from perfcourse.report.gradebooks import gradebooks

TITLE = example.bank.title
PEOPLE = [f"s{n}" for n in range(6)]
WORKSHEET = ["Identifier", "Full name", "ID number", "Status", "Grade", "Maximum Grade",
             "Grade can be changed", "Last modified (grade)", "Notes"]  # fmt: skip
FORMS = {
    "moodle": (
        [WORKSHEET],
        lambda id, n, cell: [f"Participant {n}", f"Doe {id}", id, "", cell, "10", "Yes", "-", "x"],
        "Doe {id}_{n}_assignsubmission_file/x.ipynb",
        (2, 4),
    ),
    "canvas": (
        [
            ["Student", "ID", "SIS Login ID", "Section", f"{TITLE} (90218)"],
            ["    Points Possible", "", "", "", "10"],
        ],
        lambda id, n, cell: [f"Doe, {id}", str(n), id, "A", cell],
        "doe{id}_{n}_5{n}_x.ipynb",
        (2, 4),
    ),
    "blackboard": (
        [["Last Name", "First Name", "Username", "Availability", f"{TITLE} [Total Pts: 10] |7"]],
        lambda id, n, cell: ["Doe", id, id, "Yes", cell],
        "Ex_{id}_attempt_2026-10-05-21-14-03_x.ipynb",
        (2, 4),
    ),
    "sakai": (
        [
            ["Ex", "SCORE_GRADE_TYPE"],
            [""],
            ["Display ID", "ID", "Last Name", "First Name", "grade"],
        ],
        lambda id, n, cell: [id, id, "Doe", id, cell],
        "Ex/Doe, {id}({id})/Submission attachment(s)/x.ipynb",
        (1, 4),
    ),
}
"""Lines before the students, a student's, the name of a file, and the columns of id and grade."""
HAS = st.sampled_from(["", "-", "0", "7.5", "10", "EX", "Needs Grading(4.00)", "A"])
HANDS_IN = st.sampled_from(["", "4.25", "10", "unreadable"])


def text_of(lines, delimiter):
    stream = io.StringIO()
    csv.writer(stream, delimiter=delimiter, lineterminator="\n").writerows(lines)
    return stream.getvalue()


def made_of(form, has, handed_in, delimiter, encoding):
    """Return the table that was exported and the one that is made, as cells."""
    first, line, name, _ = FORMS[form]
    lines = [*first, *(line(id, n, has[n]) for n, id in enumerate(PEOPLE))]
    files = {name.format(id=id, n=n): notebook(id) for n, id in enumerate(PEOPLE) if handed_in[n]}
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "roster.csv").write_bytes(text_of(lines, delimiter).encode(encoding))
        (Path(folder) / "in.zip").write_bytes(zipped(files))
        sources = Sources(read_roster(Path(folder) / "roster.csv"), platform=form)
        came = collect(Path(folder) / "in.zip", "example", sources)
    grades = []
    for one in came.submissions:
        points = handed_in[PEOPLE.index(one.student)]
        earned = 0.0 if points == "unreadable" else float(points)
        verdicts = (Verdict("q1", earned, 10.0, ""),)
        readable = points != "unreadable"
        grades.append(grade_of(Graded(one.name, one.student, "d", "", verdicts, readable=readable)))
    (book,) = gradebooks(grades, example.bank, came)
    return lines, list(
        csv.reader(io.StringIO(book.text.removeprefix("\ufeff")), delimiter=delimiter)
    )


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=15, deadline=None)
@given(
    has=st.lists(HAS, min_size=6, max_size=6),
    handed_in=st.lists(HANDS_IN, min_size=6, max_size=6).filter(any),
    delimiter=st.sampled_from([",", ";", "\t"]),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
)
def test_only_cells_with_a_new_grade_change(form, has, handed_in, delimiter, encoding):
    before, after = made_of(form, has, handed_in, delimiter, encoding)
    _, _, _, (who, grade) = FORMS[form]
    wanted = {
        id: has[n]
        if handed_in[n] in ("", "unreadable") or (has[n] == "EX")
        else f"{float(handed_in[n]):g}"
        for n, id in enumerate(PEOPLE)
    }
    place = 3 if form == "blackboard" else grade  # its file has fewer columns
    found = {row[who]: row[place] for row in after if len(row) > place and row[who] in wanted}
    assert found.items() <= wanted.items()
    changed = {id for n, id in enumerate(PEOPLE) if wanted[id] != has[n]}
    assert changed <= found.keys()
    if form in ("moodle", "sakai"):
        same = [[*row[:grade], wanted.get(row[who], row[grade]), *row[grade + 1 :]]
                if len(row) > grade and row[who] in wanted else row for row in before]  # fmt: skip
        assert after == same
