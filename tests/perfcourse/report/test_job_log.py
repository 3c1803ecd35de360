import re

import pytest
from marking import EVIL, hostile, marked

from perfcourse.report.autograde_outcome import Outcome
from perfcourse.report.job_log import MOST_NOTES, show

JOBS = {"github": "GITHUB_ACTIONS", "gitlab": "GITLAB_CI"}
OURS = re.compile(r"::(group|endgroup|warning|error)( file=[^,:]*,title=[^,:]*)?::[^\r\n]*")
MARK = re.compile(r"\x1b\[0Ksection_(start|end):\d+:perfcourse_\d+(\[collapsed=true\])?\r\x1b\[0K")


@pytest.fixture
def shown(monkeypatch, capsys):
    """Return a function that gives the lines that a job's log gets for an outcome."""

    def of(outcome, job=""):
        for name, variable in JOBS.items():
            monkeypatch.setenv(variable, "true") if name == job else monkeypatch.delenv(
                variable, raising=False
            )
        show(outcome)
        return capsys.readouterr().out.splitlines(keepends=True)  # at \r, too: others may

    return of


def commands(lines):
    """Return what GitHub's runner obeys: `::x::` at a line's start, the older form anywhere."""
    new = [line.strip() for line in lines if line.lstrip().startswith("::")]
    return new, [line for line in lines if "##[" in line]


def test_elsewhere_it_is_plain_text(shown):
    lines = shown(Outcome((marked(1, 0.5, 0, 0, 0),)))
    assert lines[0] == "ada.ipynb: 6 of 10 points\n"
    assert lines[1:3] == ["  ✔ q1: 5 of 5\n", "  ✘ q2: 1 of 2: Think again.\n"]
    assert lines[-1] == "6 of 10 points: passed\n"


def test_on_github_it_folds_and_notes_wrong_answers_at_the_file(shown):
    lines = shown(Outcome((marked(1, 0.5, 1, 1, 1, message="50 % off"),)), "github")
    new, old = commands(lines)
    assert new == [
        "::group::ada.ipynb: 9 of 10 points",
        "::endgroup::",
        "::warning file=ada.ipynb,title=q2%3A 1 of 2::50 %25 off",
    ]
    assert old == []


def test_fault_is_an_error_and_no_answer_is_blamed(shown):
    outcome = Outcome((marked(0, 0, 0, 0, 0, problem="Why.", readable=False),))
    new, _ = commands(shown(outcome, "github"))
    assert new[2:] == ["::error file=ada.ipynb,title=nothing to grade::Why."]


def test_notes_end_where_github_stops_showing_them(shown):
    three = Outcome(tuple(marked(0, 0, 0, 0, 0) for _ in range(3)))
    new, _ = commands(shown(three, "github"))
    assert sum(line.startswith("::warning") for line in new) == MOST_NOTES == 10


def test_on_gitlab_it_folds(shown):
    text = "".join(shown(Outcome((marked(1, 1, 1, 1, 1),) * 2), "gitlab"))
    assert text.count("ada.ipynb: 10 of 10 points\n") == 2
    marks = MARK.findall(text)
    assert [kind for kind, _ in marks] == ["start", "end"] * 2
    assert len(set(re.findall(r"perfcourse_\d+", text))) == 2


@pytest.mark.parametrize("job", ["", *JOBS])
def test_no_student_s_text_becomes_a_command_or_an_escape(shown, job):
    lines = shown(hostile(), job)
    new, old = commands(lines)
    assert all(OURS.fullmatch(line) for line in new)
    assert len(new) == (7 if job == "github" else 0)
    assert old == []
    rest = MARK.sub("", "".join(lines))
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202e]", rest)
    assert "section_start:1:x" in rest
    assert "section_start:1:x\r" not in rest


def test_evil_would_be_obeyed_if_it_were_printed_as_it_is():
    new, old = commands(EVIL.splitlines())
    assert len(new) >= 4
    assert old
