"""What a submission says of itself is shown as text, wherever it goes."""

import csv
import json
import re
from dataclasses import replace
from html import unescape

import pytest
from downloads import CANVAS, MOODLE, SAMPLES, zipped
from results import BANK, a_grade, graded

from perfcourse.gradebook.grade import grade_of
from perfcourse.intake.collection import Sources, collect
from perfcourse.intake.people.roster import read_roster
from perfcourse.report import grade_exports
from perfcourse.report.gradebooks import gradebooks
from perfcourse.report.pages import feedback
from perfcourse.report.returns import as_notebook
from perfcourse.report.write import class_page, write_reports

HOSTILE = {
    "bold": "<b>bold</b>",
    "a picture": "<img src=x onerror=alert(1)>",
    "an entity": "&lt;script&gt; &amp; &#60;",
    "formulas": "$x$ $$y$$ \\(z\\) \\[w\\] \\begin{equation}v\\end{equation}",
    "escapes": "\x1b[31mred\x1b[0m\x9b2J\x07\0",
    "directions": "\u202eabc\u2066def\u200f",
    "half a character": "a\ud800b",
    "lines": "a\r\nb\u2028c\x85d\n\n\n# heading\n* list",
    "a formula of a spreadsheet": "=HYPERLINK(1)",
}
SIGNS = set("\x1b\x9b\x07\0\u202e\u2066\u200f\ud800")
hostile = pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)


def a_hostile_grade(text, name="ada", **more):
    one = graded(name, 1, 0, 1, 1, 0, problem=text, errors=((3, text[:80], text),), **more)
    first, second, *rest = one.verdicts
    return grade_of(replace(one, verdicts=(first, replace(second, message=text), *rest)))


def markup(html):
    """Return the tags of a page."""
    return re.findall(r"<[^>]*>", html)


@hostile
def test_pages_have_no_sign_and_no_tag_of_a_stranger_s(text):
    harmless = a_hostile_grade("x")
    for made, plain in (
        (feedback(a_hostile_grade(text), BANK), feedback(harmless, BANK)),
        (class_page([a_hostile_grade(text)], BANK, []), class_page([harmless], BANK, [])),
    ):
        assert not SIGNS & set(made)
        assert markup(made) == markup(plain)
        made.encode()


@hostile
def test_what_canvas_returns_holds_no_formula(text):
    """JupyterLab looks for formulas in a cell's text before it reads the HTML in it."""
    (cell,) = json.loads(as_notebook(feedback(a_hostile_grade(text), BANK)))["cells"]
    assert not set("$\\") & set(cell["source"])
    assert not SIGNS & set(cell["source"])
    assert "\n\n" not in cell["source"]
    assert '<main class="mathjax_ignore">' in cell["source"]


@hostile
def test_what_moodle_takes_for_html_is_the_text(text):
    comment = grade_exports.feedback_text(a_hostile_grade(text))
    assert not markup(comment)
    assert not set("<>$\\") & set(comment)
    shown = unescape(comment)
    assert not SIGNS & set(shown)
    assert all(word in shown for word in re.findall(r"[!-~]+", text))


@pytest.mark.parametrize("roster", ["", "moodle-worksheet.csv", "moodle-gradebook.csv"])
def test_every_gradebook_of_moodle_s_is_escaped(tmp_path, roster):
    (tmp_path / "in.zip").write_bytes(zipped(MOODLE))
    sources = Sources(read_roster(SAMPLES / roster) if roster else None)
    came = collect(tmp_path / "in.zip", "example", sources)
    results = [
        grade_of(replace(a_hostile_grade("<b>x</b>").graded, name=one.name, student=one.student))
        for one in came.submissions
    ]
    for book in gradebooks(results, BANK, came):
        assert "&lt;b&gt;" in book.text
        assert "<b>" not in book.text


@hostile
def test_no_text_stops_a_report_of_a_class(tmp_path, text):
    for files in (MOODLE, CANVAS):
        (tmp_path / "in.zip").write_bytes(zipped(files))
        came = collect(tmp_path / "in.zip", "example")
        results = [
            grade_of(replace(a_hostile_grade(text).graded, name=one.name, student=one.student))
            for one in came.submissions
        ]
        write_reports(
            tmp_path / "out", BANK, results, [text.encode("ascii", "replace").decode()], came
        )
        assert (tmp_path / "out" / "feedback-to-upload.zip").exists()
        with (tmp_path / "out" / "grades.csv").open(newline="") as file:
            assert len([*csv.reader(file)]) == 1 + len(results)


def test_names_in_letters_of_any_script_stay_as_they_are():
    for name in ("Zoë Müller", "张伟", "Ольга", "محمد"):
        assert name in feedback(a_grade(name, 1, 1, 1, 1, 1), BANK)
