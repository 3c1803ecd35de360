import csv
import io
import json
from dataclasses import replace
from datetime import timedelta
from html.parser import HTMLParser

import numpy as np
import pytest
from building import notebook
from results import BANK, a_grade, graded

from perfcourse.gradebook.due import read_due
from perfcourse.gradebook.grade import grade_of
from perfcourse.gradebook.lateness import Deadline, read_policy
from perfcourse.gradebook.marks import Mark
from perfcourse.grading.submission import _Attempt, grade
from perfcourse.intake.collection import Collected
from perfcourse.intake.people.roster import read_roster
from perfcourse.intake.submissions import Handin
from perfcourse.judge.result import MOST_ERRORS, as_record, from_record
from perfcourse.report import analysis, grade_exports
from perfcourse.report.pages import feedback, page_name
from perfcourse.report.tables import cell, grades
from perfcourse.report.write import class_page, write_reports

DUE = read_due("2026-10-05 23:59Z")
EVIL = "<script>alert(1)</script>"


def a_class(count=20):
    """A class in which the first question tells who knows the subject and the second doesn't."""
    return [
        a_grade(f"s{n:02}", float(n >= 10), float(n % 2), *[n / count] * 3) for n in range(count)
    ]


class Tags(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))


def tags(text):
    return Tags(text).found


def test_result_survives_the_journal():
    one = graded("ada", 1, 0, 0.5, 1, 1, misconception="linear")
    assert from_record(json.loads(json.dumps(as_record(one)))) == one


def test_table_has_a_line_for_each_and_no_formulas():
    text = grades(
        [a_grade("=cmd|' /C calc'!A0", 1, 0, 1, 1, 1), a_grade("b\nc", 0, 0, 0, 0, 0)], BANK
    )
    rows = list(csv.reader(io.StringIO(text)))
    assert rows[0][:4] == ["student", "submission", "points", "out_of"]
    assert rows[1][0] == "'=cmd|' /C calc'!A0"
    assert rows[2][0] == "b c"
    assert rows[1][2:4] == ["8", "10"]


@pytest.mark.parametrize("text", ["=1", "+1", "-1", "@x", "\t=1", "\x1b[31m=1"])
def test_no_cell_starts_a_formula(text):
    assert cell(text)[0] not in "=+-@\t\x1b" or cell(text).startswith("[31m")


def test_feedback_is_escaped_self_contained_and_labelled():
    text = feedback(a_grade(EVIL, 1, 0, 0.5, 0, 0, problem=EVIL, misconception=EVIL), BANK)
    assert EVIL not in text
    found = tags(text)
    assert ("html", {"lang": "en"}) in found
    assert not [tag for tag, attrs in found if tag in ("script", "img", "link", "iframe")]
    assert not [attrs for _, attrs in found if "src" in attrs or "href" in attrs]
    assert [tag for tag, _ in found if tag in ("h1", "h2", "h3")][:2] == ["h1", "h2"]
    assert "Partly right: 0.5 of 1" in text
    assert "Think again." in text


def test_names_of_pages_are_safe_and_differ():
    names = [page_name(a_grade(name, *[0] * 5)) for name in ("../a", "a", "..", "", "A" * 500, "é")]
    assert len(set(names)) == len(names)
    assert all("/" not in name and len(name) < 100 for name in names)


def test_items_know_difficulty_and_discrimination():
    first, second, *_ = analysis.items(a_class(), BANK)
    assert first.difficulty == pytest.approx(0.5)
    assert first.discrimination > 0.5
    assert abs(second.discrimination) < 0.2
    scores = np.array([[v.earned for v in g.verdicts] for g in a_class()])
    by_hand = np.corrcoef(scores[:, 0], scores[:, 1:].sum(1))[0, 1]
    assert first.discrimination == pytest.approx(by_hand)


def test_small_class_has_no_discrimination():
    assert analysis.items(a_class(9), BANK)[0].discrimination is None


def test_distribution_counts_everybody_once():
    assert sum(analysis.distribution(a_class())) == 20
    assert analysis.distribution([a_grade("a", *[1] * 5), a_grade("b", *[0] * 5)]) == [1] + [
        0
    ] * 8 + [1]


def test_misconceptions_are_counted_with_their_hints():
    results = [a_grade(f"s{n}", 0, 1, 1, 1, 1, misconception="scaled problem") for n in range(3)]
    text = class_page(results, BANK, ["a sandbox"])
    assert analysis.items(results, BANK)[0].mistakes[0][:2] == ("scaled problem", 3)
    assert "That is Gustafson&#39;s law" in text


def test_who_needs_help_comes_lowest_first():
    results = [a_grade("c", 1, 1, 1, 1, 1), a_grade("b", 0, 1, 1, 0, 0), a_grade("a", *[0] * 5)]
    assert [g.student for g in analysis.need_help(results)] == ["a", "b"]


def test_who_needs_help_has_the_cells_that_raised():
    one = a_grade("a", *[0] * 5, errors=((4, "NameError", "x"), (5, EVIL, "y")))
    page = class_page([one], BANK, [])
    assert "cell 4: NameError; cell 5: &lt;script&gt;" in page


def test_no_more_errors_are_kept_than_a_page_can_list(monkeypatch):
    """A notebook of 5,000 cells that raise would fill the journal and the page."""
    errors = tuple((cell, "NameError", "x") for cell in range(1, 5001))
    attempt = _Attempt("", graded("ada", *[0] * 5).verdicts, errors)
    monkeypatch.setattr("perfcourse.grading.submission._attempt", lambda *what: attempt)
    one = grade(Handin("ada.ipynb", "ada", notebook("x = 1"), "ada.ipynb"), BANK, "", None)
    assert one.errors == errors[:MOST_ERRORS]
    page = feedback(grade_of(one), BANK)
    assert f"No more than {MOST_ERRORS} are listed." in page
    assert "No more than" not in feedback(a_grade("ada", *[0] * 5, errors=((1, "E", ""),)), BANK)


def test_schools_tables():
    results = [a_grade("ada", 1, 1, 1, 1, 0)]
    canvas = list(csv.reader(io.StringIO(grade_exports.canvas(results, BANK))))
    assert canvas[1][0] == "Points Possible"
    assert (canvas[2][3], canvas[2][5], canvas[1][5]) == ("ada", "9", "10")
    moodle = list(csv.DictReader(io.StringIO(grade_exports.moodle(results, BANK))))
    assert moodle[0]["username"] == "ada"
    assert moodle[0]["feedback"] == "q5: Think again."


@pytest.mark.parametrize("how", ["unreadable", "broken", "unjudged"])
def test_what_is_no_grade_is_no_nought_for_schools(how):
    one = graded("ada", 1, 1, 1, 1, 0, problem="Why not.")
    last = replace(one.verdicts[4], failed=True)
    one = {
        "unreadable": replace(one, readable=False),
        "broken": replace(one, broken=True),
        "unjudged": replace(one, verdicts=(*one.verdicts[:4], last)),
    }[how]
    one = grade_of(one)
    assert not one.decided
    assert list(csv.reader(io.StringIO(grade_exports.canvas([one], BANK))))[2][5] == ""
    moodle = next(csv.DictReader(io.StringIO(grade_exports.moodle([one], BANK))))
    assert moodle[BANK.title] == ""
    assert moodle["feedback"].startswith("Why not.")


def test_every_submission_that_is_not_perfect_has_a_reason():
    results = [a_grade("ada", 1, 1, 1, 1, 0), a_grade("bob", *[1] * 5)]
    rows = list(csv.DictReader(io.StringIO(grades(results, BANK))))
    assert [row["reason"] for row in rows] == ["q5: Think again.", ""]


def test_feedback_says_how_close_a_number_must_be():
    text = feedback(a_grade("ada", *[1] * 5), BANK)
    assert text.count("Numbers count within 1 %.") == 3
    assert text.count("Numbers count within 2 %.") == 1


def test_gradescope_and_autolab():
    one = a_grade("ada", 1, 0.5, 0, 0, 0)
    whole = json.loads(grade_exports.gradescope(one, BANK))
    assert whole["score"] == 6 == sum(test["score"] for test in whole["tests"])
    assert {test["status"] for test in whole["tests"]} == {"passed", "failed"}
    assert all(test["score"] <= test["max_score"] for test in whole["tests"])
    assert json.loads(grade_exports.autolab(one))["scores"]["q1"] == 5


def test_regrade_says_what_changed(tmp_path):
    before = [a_grade("ada", 1, 0, 1, 1, 1), a_grade("bob", 1, 1, 1, 1, 1)]
    after = [a_grade("ada", 1, 1, 1, 1, 1, digest="new"), before[1]]
    assert write_reports(tmp_path, BANK, before, []).changed == ()
    line = "ada: 8 to 10 points (q2 0 to 2; another file was handed in)"
    assert write_reports(tmp_path, BANK, after, []).changed == (line,)
    assert line in (tmp_path / "class.html").read_text()


def test_messages_are_kept_until_they_are_sent_and_taken_away(tmp_path):
    (tmp_path / "class.csv").write_text("student,email\nada,ada@example.org\n")
    roster = read_roster(tmp_path / "class.csv", "student")

    def told(*shares):
        write_reports(tmp_path, BANK, [a_grade("ada", *shares)], [], Collected(roster=roster))
        with (tmp_path / "messages.csv").open(newline="") as file:
            return [(row["email"], row["text"].split(".")[0]) for row in csv.DictReader(file)]

    def line(before, after):
        text = f"Your points for {BANK.title} were {before} and are now {after}"
        return [("ada@example.org", text)]

    assert told(1, 0, 1, 1, 1) == []
    assert told(1, 0, 1, 1, 0) == line(8, 7)
    assert told(1, 1, 1, 1, 0) == line(8, 9)
    assert told(1, 1, 1, 1, 0) == line(8, 9)
    (tmp_path / "messages.csv").unlink()
    assert told(1, 1, 1, 1, 0) == []
    assert told(1, 1, 1, 1, 1) == line(9, 10)
    (tmp_path / "told.json").write_text("spoilt")
    assert told(1, 1, 1, 1, 0) == []


def late_and_by_hand():
    deadline = Deadline(DUE, read_policy("10 % a day"))
    marks = [Mark("ada", "q2", points=2, comment="=a neat proof <b>", by="tay")]
    came = DUE.after() + timedelta(hours=2)
    return grade_of(graded("ada", 1, 0, 1, 1, 1), marks, deadline, came)


def test_table_has_automatic_points_those_by_hand_and_lateness_apart():
    row = next(csv.DictReader(io.StringIO(grades([late_and_by_hand()], BANK))))
    parts = [row[name] for name in ("points", "automatic", "by_hand", "late", "q2")]
    assert parts == ["9", "8", "2", "1", "2"]
    assert row["comments"] == (
        "q2: 2 points instead of the automatic ones: =a neat proof <b> (tay)"
    )
    assert row["reason"] == "one day late"


def test_feedback_says_how_the_points_came_about():
    text = feedback(late_and_by_hand(), BANK)
    assert "<strong>9 of 10 points</strong>" in text
    assert "That is 8 for the answers, 2 by hand, less 1 for one day late." in text
    assert "It was due Mon 5 Oct 2026 23:59, handed in Tue 6 Oct 2026 01:59." in text
    assert "Right: 2 of 2" in text
    assert "The answer alone earned 0." in text
    assert "=a neat proof &lt;b&gt; (tay)" in text


def test_every_writer_has_the_points_that_count():
    grade = late_and_by_hand()
    assert json.loads(grade_exports.gradescope(grade, BANK))["score"] == 9
    assert next(csv.DictReader(io.StringIO(grade_exports.moodle([grade], BANK))))[BANK.title] == "9"
    assert list(csv.reader(io.StringIO(grade_exports.canvas([grade], BANK))))[2][5] == "9"
    assert "ada (one day, 1 off)" in class_page([grade], BANK, [])
    assert "less 1 for one day late" in grade_exports.feedback_text(grade)


def test_class_page_of_nobody():
    assert "0 submissions" in class_page([], BANK, [])
