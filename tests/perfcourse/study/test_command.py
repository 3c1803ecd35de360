import csv

import pytest
from click.testing import CliRunner
from test_exports import ANSWER

from perfcourse.commands.cli import main
from perfcourse.study.exports import read_folder, table
from perfcourse.study.findings import findings
from perfcourse.study.report import study_page
from perfcourse.study.simulation import Course, simulated


def study(*words):
    return CliRunner().invoke(main, ["study", *map(str, words)])


def handed_in(folder, answers):
    """Write a file for each student and phase, as students do."""
    folder.mkdir(parents=True)
    sheets = {}
    for answer in answers:
        sheets.setdefault((answer.student, answer.phase), []).append(answer)
    for (student, phase), sheet in sheets.items():
        (folder / f"{student}-{phase}.csv").write_text(table(sheet), "utf-8")


def test_a_simulated_class_says_so_in_every_file_and_on_the_screen(tmp_path):
    result = study("--simulate", "students=12", "effect=0.5", "seed=1", "--out", tmp_path)
    assert result.exit_code == 0, result.output
    assert "SIMULATED: no such class" in result.output
    page = (tmp_path / "study.html").read_text("utf-8")
    assert "<h1>SIMULATED" in page
    assert "students never were" in page
    for name in ("effects.csv", "students.csv", "answers.csv"):
        rows = list(csv.reader((tmp_path / name).open(encoding="utf-8")))[1:]
        assert rows
        assert all(row[0].startswith("SIMULATED") for row in rows)


def test_folders_give_what_the_answers_give(tmp_path):
    groups = simulated(Course(students=8, comparison=True, seed=3))
    for name, answers in zip(("read-it", "waited"), groups.values(), strict=True):
        handed_in(tmp_path / name, answers)
    result = study(tmp_path / "read-it", tmp_path / "waited")
    assert result.exit_code == 0, result.output
    rows = list(csv.DictReader((tmp_path / "read-it-study" / "effects.csv").open()))
    falls = [line.effect.estimate for line in findings(groups).lines]
    assert [float(row["fall"]) for row in rows] == pytest.approx(falls, abs=1e-4)
    assert rows[2]["group"] == "read-it against waited"


def test_a_real_class_is_not_called_simulated(tmp_path):
    groups = simulated(Course(students=4, dropout=0, seed=3))
    (answers,) = groups.values()
    text = table(answers).replace("SIMULATED", "real").replace("simulated", "real")
    (tmp_path / "class").mkdir()
    (tmp_path / "class" / "all.csv").write_text(text)
    found = findings({"class": read_folder(tmp_path / "class")})
    assert "simulated" not in study_page(found, 0.2).lower()


def test_what_a_student_wrote_is_escaped():
    groups = {"<b>class": next(iter(simulated(Course(students=4, dropout=0)).values()))}
    assert "<b>class" not in study_page(findings(groups), 0.2)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--simulate", "pupils=3"], "got 'pupils=3'"),
        (["--simulate", "students=8", "--cap", "1"], "--cap above 1"),
        (["--simulate", "students=8", "--smallest", "0"], "--smallest must be above 0"),
        (["nowhere"], "no such folder"),
    ],
)
def test_bad_words_are_one_line(words, message, tmp_path):
    result = study(*words, "--out", tmp_path / "out")
    assert result.exit_code == 1
    assert result.output.startswith("Error: ")
    assert message in result.output


def test_no_pairs_and_folders_of_one_name(tmp_path):
    handed_in(tmp_path / "a" / "class", [ANSWER])
    handed_in(tmp_path / "b" / "class", [ANSWER])
    assert "no pairs to compare" in study(tmp_path / "a" / "class").output
    both = study(tmp_path / "a" / "class", tmp_path / "b" / "class").output
    assert "folders of different names" in both
