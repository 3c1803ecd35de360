import errno
import json
import os
import signal
import subprocess
import sys
import time

import pytest
from building import notebook

from perfcourse.bank.loader import load
from perfcourse.grading.batch import run
from perfcourse.grading.engine import Settings, grade_here
from perfcourse.grading.journal import Journal
from perfcourse.grading.notebook_answers import zero
from perfcourse.judge.result import Graded
from perfcourse.release.secret import kept_secret

RIGHT = "def speedup(serial, n):\n    return 1 / (serial + (1 - serial) / n)"


def test_result_is_known_again(tmp_path):
    journal = Journal(tmp_path / "out", "grounds")
    journal.add(Graded("a", "a", "digest", "", ()), {"numpy": "2"})
    journal.close()
    again = Journal(tmp_path / "out", "grounds")
    assert again.known("a", "digest", {"numpy": "2"}) == Graded("a", "a", "digest", "", ())
    assert again.known("a", "digest", {"numpy": "3"}) is None
    assert again.known("a", "digest", {}) is None
    assert again.known("a", "other", {"numpy": "2"}) is None
    assert again.known("b", "digest", {"numpy": "2"}) is None
    assert Journal(tmp_path / "out", "others").known("a", "digest", {"numpy": "2"}) is None


def test_secret_is_made_once_and_for_us_alone(tmp_path):
    secret = kept_secret(tmp_path / "out")
    assert len(secret) == 32
    assert kept_secret(tmp_path / "out") == secret
    assert os.stat(tmp_path / "out" / "secret.txt").st_mode & 0o077 == 0
    assert os.listdir(tmp_path / "out") == ["secret.txt"]


@pytest.mark.parametrize("text", ["", "\n", "  "])
def test_empty_secret_is_refused(tmp_path, text):
    (tmp_path / "secret.txt").write_text(text)
    with pytest.raises(ValueError, match="is empty. Put it back, or delete"):
        kept_secret(tmp_path)


def test_secret_cut_short_by_a_crash_is_made_anew(tmp_path):
    (tmp_path / "secret.txt.part").write_text("")
    assert len(kept_secret(tmp_path)) == 32


def test_torn_line_is_cut_off_and_the_rest_kept(tmp_path):
    journal = Journal(tmp_path / "out", "grounds")
    journal.add(Graded("a", "a", "1", "", ()), {})
    journal.close()
    whole = journal.path.read_bytes()
    journal.path.write_bytes(whole + whole[: len(whole) // 2])
    again = Journal(tmp_path / "out", "grounds")
    again.add(Graded("b", "b", "2", "", ()), {})
    again.close()
    last = Journal(tmp_path / "out", "grounds")
    assert last.known("a", "1", {})
    assert last.known("b", "2", {})
    assert [json.loads(line)["result"]["name"] for line in journal.path.open()] == ["a", "b"]


def test_nonsense_in_the_journal_is_passed_over(tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "journal.jsonl").write_bytes(b"[]\n{}\nnull\n\xff\n" + b'{"of": 1}\n')
    assert Journal(tmp_path / "out", "grounds").known("a", "1", {}) is None


def damaged(entry, damage):
    """Return the bytes of a journal whose only line was changed after it was written."""
    verdicts = entry["result"]["verdicts"]
    if damage == "nested":
        return b"[" * 100_000 + b"\n"
    if damage == "nested in the record":
        return json.dumps(entry)[:-1].encode() + b', "x": ' + b"[" * 100_000 + b"\n"
    if damage == "text for points":
        verdicts[0]["earned"] = "5"
    elif damage == "a question short":
        verdicts.pop()
    elif damage == "another digit":
        verdicts[0]["earned"] += 1
    elif damage == "another student":
        entry["result"]["student"] = "eve"
    elif damage == "no sum":
        del entry["sum"]
    elif damage == "zeros":
        return b"\0" * 4096 + b"\n"
    return json.dumps(entry).encode() + b"\n"


DAMAGE = (
    "nested",
    "nested in the record",
    "text for points",
    "a question short",
    "another digit",
    "another student",
    "no sum",
    "zeros",
)


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_line_is_graded_again_and_the_others_are_not(course, damage):
    for name in ("ada", "bob"):
        (course / f"{name}.ipynb").write_bytes(notebook("q2 = 1"))
    (course / "in").mkdir()
    for path in course.glob("*.ipynb"):
        path.rename(course / "in" / path.name)
    settings = Settings(str(course / "solutions" / "example.py"), "secret")
    assert run(course / "in", course / "out", settings, _all_wrong).graded_now == 2
    assert run(course / "in", course / "out", settings, _all_wrong).graded_now == 0
    path = course / "out" / "journal.jsonl"
    first, second = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(damaged(json.loads(first), damage) + second)
    again = run(course / "in", course / "out", settings, _all_wrong)
    assert again.graded_now == 1
    assert {grade.earned for grade in again.results} == {0.0}
    assert run(course / "in", course / "out", settings, _all_wrong).graded_now == 0


def _all_wrong(handins, settings):
    bank = load(settings.bank)
    for handin in handins:
        nothing = tuple(zero(question, "No.") for question in bank.questions)
        yield Graded(handin.name, handin.student, handin.digest, "", nothing)


@pytest.mark.parametrize("fails", ["write", "fsync"])
def test_a_full_disk_is_told_with_the_file_and_leaves_whole_lines(tmp_path, monkeypatch, fails):
    journal = Journal(tmp_path / "out", "grounds")
    journal.add(Graded("a", "a", "1", "", ()), {})
    whole = journal.path.read_bytes()
    really = journal._file

    class Full:
        """Takes half of a line, and then no more."""

        def write(self, data):
            if fails == "fsync":
                return really.write(data)
            if len(data) < 50:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return really.write(data[: len(data) // 2])

        def fileno(self):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        truncate, close = really.truncate, really.close

    journal._file = Full()
    with pytest.raises(OSError, match=r"No space left on device: '.*/out/journal.jsonl'"):
        journal.add(Graded("b", "b", "2", "", ()), {})
    journal.close()
    assert journal.path.read_bytes() == whole
    again = Journal(tmp_path / "out", "grounds")
    assert again.known("a", "1", {})
    assert again.known("b", "2", {}) is None


@pytest.mark.parametrize("data", [b"\xff\xfe", b"ab\0cd"])
def test_secret_that_is_no_text_is_refused_by_name(tmp_path, data):
    (tmp_path / "secret.txt").write_bytes(data)
    with pytest.raises(ValueError, match=r"secret.txt must hold .* and is no text"):
        kept_secret(tmp_path)


GRADE = """
import sys
from pathlib import Path
from perfcourse.grading.notebook_answers import zero
from perfcourse.grading.batch import run
from perfcourse.grading.engine import Settings, grade_here
settings = Settings("solutions/example.py", "x", preload=())
print(run(Path("in"), Path(sys.argv[1]), settings, grade_here).graded_now)
"""


@pytest.mark.usefixtures("shared")
def test_killed_run_goes_on_where_it_was(course):
    folder = course / "in"
    folder.mkdir()
    for n in range(40):
        answer = RIGHT if n % 3 else f"q2 = {n}"
        (folder / f"s{n:02}.ipynb").write_bytes(notebook(answer))
    words = [sys.executable, "-c", GRADE, "one"]
    journal = course / "one" / "journal.jsonl"
    running = subprocess.Popen(words, stdout=subprocess.DEVNULL)
    while not journal.exists() or journal.read_bytes().count(b"\n") < 5:
        assert running.poll() is None
        time.sleep(0.01)
    running.send_signal(signal.SIGKILL)
    running.wait()
    kept = journal.read_bytes().count(b"\n")
    assert 5 <= kept < 40

    settings = Settings(str(course / "solutions" / "example.py"), "x")
    assert run(folder, course / "one", settings, grade_here).graded_now == 40 - kept
    names = [json.loads(line)["result"]["name"] for line in journal.open()]
    assert sorted(names) == [f"s{n:02}.ipynb" for n in range(40)]
    run(folder, course / "two", settings, grade_here)
    one, two = (course / name / "grades.csv" for name in ("one", "two"))
    assert one.read_bytes() == two.read_bytes()
