import os
import signal
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest
from building import notebook

from perfcourse.bank.loader import load
from perfcourse.grading import engine
from perfcourse.grading.engine import Grader, NoSandboxError, Settings, grade_here
from perfcourse.intake.submissions import Handin
from perfcourse.isolation.sandbox import Sandbox
from perfcourse.isolation.session import BrokenError
from perfcourse.isolation.trial import find_sandbox
from perfcourse.isolation.warm import Warm
from perfcourse.kernel.watch import trees

BANK = str(Path(__file__).parents[1] / "example.py")
SOLUTIONS = Path(__file__).parents[3] / "solutions"
SETTINGS = Settings(BANK, "a secret", preload=())
RIGHT = "def speedup(serial, n):\n    return 1 / (serial + (1 - serial) / n)"
needs_sandbox = pytest.mark.skipif(not find_sandbox().bwrap, reason="no sandbox here")


def handins(count):
    slow = "import time; time.sleep(0.05)"
    return [Handin(f"s{n}", f"s{n}", notebook(slow, RIGHT), "x.ipynb") for n in range(count)]


@needs_sandbox
def test_lost_warm_parent_costs_nobody_a_grade(monkeypatch):
    made = []
    monkeypatch.setattr(
        "perfcourse.grading.engine.Grader",
        lambda *what: made.append(Grader(*what)) or made[-1],
    )
    results = []
    for graded in grade_here(handins(12), SETTINGS, workers=2):
        results.append(graded)
        if len(results) == 3:
            os.kill(made[0]._warm.process.pid, signal.SIGKILL)
    assert sorted(graded.name for graded in results) == sorted(f"s{n}" for n in range(12))
    assert {graded.earned for graded in results} == {4.0}
    assert not any(graded.problem for graded in results)


@needs_sandbox
def test_what_was_graded_while_the_warm_parent_died_is_graded_again(monkeypatch):
    grader, really, asked = Grader(SETTINGS), engine.grade, []

    def dying(*arguments):
        graded = really(*arguments)
        asked.append(graded)
        if len(asked) == 1:
            grader._warm.process.kill()
            grader._warm.process.wait()
        return graded

    monkeypatch.setattr(engine, "grade", dying)
    assert grader.grade(handins(1)[0]) is asked[1]
    grader.close()


@needs_sandbox
@pytest.mark.usefixtures("shared")
def test_grades_do_not_depend_on_the_number_of_workers():
    one, three = (
        {g.name: (g.verdicts, g.errors) for g in grade_here(handins(6), SETTINGS, n)}
        for n in (1, 3)
    )
    assert one == three


@needs_sandbox
@pytest.mark.parametrize("topic", ["scaling", "queueing"])
def test_a_warm_parent_with_few_modules_knows_a_topic_s_names(topic):
    """They are loaded when asked for, and then the package's source is out of sight."""
    bank = SOLUTIONS / f"{topic}.py"
    grader = Grader(Settings(str(bank), "a secret", preload=()))
    source = bank.with_suffix(".ipynb").read_bytes()
    graded = grader.grade(Handin("ada", "ada", source, "ada.ipynb"))
    grader.close()
    assert graded.earned == sum(question.points for question in load(bank).questions), graded


@needs_sandbox
def test_parent_that_dies_while_it_restarts_ends_nothing(monkeypatch):
    """Three of its successors don't come up either; the fourth does."""
    grader = Grader(SETTINGS)
    start, failures = grader._start, iter(range(3))

    def starts():
        if next(failures, None) is not None:
            raise BrokenError("the sandbox did not start")
        return start()

    monkeypatch.setattr(grader, "_start", starts)
    os.kill(grader._warm.process.pid, signal.SIGKILL)
    grader._warm.process.wait()
    try:
        assert grader.grade(handins(1)[0]).earned == 4
    finally:
        grader.close()


@needs_sandbox
def test_parent_that_never_comes_up_again_is_reported(monkeypatch):
    grader = Grader(SETTINGS)
    monkeypatch.setattr(grader, "_start", lambda: (_ for _ in ()).throw(BrokenError("no memory")))
    os.kill(grader._warm.process.pid, signal.SIGKILL)
    grader._warm.process.wait()
    graded = grader.grade(handins(1)[0])
    grader.close()
    assert graded.broken
    assert "no memory" in graded.problem


def test_no_sandbox_is_an_error_unless_asked_for(monkeypatch):
    monkeypatch.setattr(
        "perfcourse.grading.engine.find_sandbox", lambda: Sandbox(problem="none here")
    )
    with pytest.raises(NoSandboxError, match="none here"):
        Grader(SETTINGS)


def test_bank_that_breaks_is_reported_as_ours(monkeypatch, tmp_path):
    (tmp_path / "example.py").write_text(Path(BANK).read_text())
    grader = Grader(Settings(str(tmp_path / "example.py"), "s", unsafe=True, preload=()))
    try:
        monkeypatch.setattr("perfcourse.grading.engine.grade", lambda *a: 1 / 0)
        graded = grader.grade(handins(1)[0])
    finally:
        grader.close()
    assert graded.broken
    assert "The grader failed, not the student" in graded.problem


@needs_sandbox
def test_a_students_process_killed_from_outside_costs_no_grade():
    """The kernel may do so, where memory is short: the submission is graded again."""
    grader = Grader(SETTINGS)
    slow = notebook("import time; time.sleep(0.5)", RIGHT)
    with ThreadPoolExecutor(1) as pool:
        graded = pool.submit(grader.grade, Handin("ada", "ada", slow, "x.ipynb"))
        root, killed = grader._warm.process.pid, False
        while not graded.done() and not killed:
            for pid in trees({root})[root].processes:
                group = Path(f"/proc/{pid}/oom_score_adj")
                with suppress(OSError):
                    if group.read_text() == "1000\n":
                        os.kill(pid, signal.SIGKILL)
                        killed = True
        result = graded.result()
    grader.close()
    assert killed
    assert result.earned == 4
    assert result.problem == ""


@needs_sandbox
def test_parent_that_is_killed_while_it_starts_is_started_again(monkeypatch):
    failures = iter(range(2))

    def start(*what):
        if next(failures, None) is not None:
            raise BrokenError("the sandbox did not start: ")
        return Warm(*what)

    monkeypatch.setattr("perfcourse.grading.engine.Warm", start)
    grader = Grader(SETTINGS)
    try:
        assert grader.grade(handins(1)[0]).earned == 4
    finally:
        grader.close()
