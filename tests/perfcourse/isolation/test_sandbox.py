"""Where the course may lie: also in folders that each submission has to itself."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from building import notebook
from limits import LIMITS, needs_sandbox

import perfcourse
from perfcourse.isolation import trial
from perfcourse.isolation.sandbox import Sandbox, command

HERE = Path(__file__).parents[1]
RIGHT = "def speedup(serial, n):\n    return 1 / (serial + (1 - serial) / n)"
LOOK_AROUND = """
import os, sys
shown, open_for_writing = set(), []
for top, folders, files in os.walk("/tmp"):
    shown |= {os.path.relpath(os.path.join(top, name), COURSE) for name in files + folders}
    try: open(os.path.join(top, "message"), "w").close(); open_for_writing.append(top)
    except OSError: pass
    if top.startswith(sys.prefix + "/"): folders.clear()
assert open_for_writing == ["/tmp", COURSE, COURSE + "/.venv"], open_for_writing
assert {name.split("/")[0] for name in shown} == {".", ".venv"}, shown
import subprocess
subprocess.run([sys.executable, "-c", "import numpy"], check=True)
"""


@pytest.fixture
def course_below_tmp():
    """A course with sources, Python and submissions, all of them below /tmp."""
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        folder = Path(name)
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(Path(perfcourse.__file__).parents[1], folder / "src", ignore=ignored)
        (folder / ".venv").mkdir()
        for part in Path(sys.prefix).iterdir():
            (folder / ".venv" / part.name).symlink_to(part)
        (folder / "solutions").mkdir()
        shutil.copy(HERE / "example.py", folder / "solutions")
        yield folder


@needs_sandbox
def test_course_below_tmp_is_graded_and_shown_to_nobody(course_below_tmp):
    folder = course_below_tmp
    look = f"COURSE = {str(folder)!r}\n{LOOK_AROUND}"
    (folder / "ada.ipynb").write_bytes(notebook(f"{look}\n{RIGHT}"))
    done = subprocess.run(
        [folder / ".venv" / "bin" / "python", "-m", "perfcourse", "autograde", "ada.ipynb"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder / "src")},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1])["scores"]["q1"] == 4, "the look found nothing"


def test_without_a_sandbox_nothing_but_limits_is_promised():
    missing, *rest = Sandbox(problem="none here").protections
    assert missing == "NO SANDBOX (none here)"
    assert [line.split(" on ")[0] for line in rest] == ["limits"]
    assert ("processes" in rest[0]) == (sys.platform == "linux" and os.geteuid() != 0)


@pytest.mark.parametrize(
    ("user", "programs", "ways"),
    [
        (0, {"newuidmap", "unshare"}, ["own", "nobody", "one"]),
        (1000, {"newuidmap", "unshare"}, ["subordinate", "one"]),
        (1000, {"unshare"}, ["one"]),
    ],
)
def test_the_best_that_may_work_comes_first(monkeypatch, user, programs, ways):
    monkeypatch.setattr(os, "geteuid", lambda: user)
    monkeypatch.setattr(trial.shutil, "which", lambda name: name if name in programs else None)
    kinds = {
        "own": Sandbox("bwrap", own_uids=True),
        "nobody": Sandbox("bwrap", nobody=True),
        "subordinate": Sandbox("bwrap", own_uids=True, subordinate=True),
        "one": Sandbox("bwrap"),
    }
    assert trial.possible("bwrap") == [kinds[way] for way in ways]


@pytest.mark.parametrize(("subordinate", "end"), [(True, 2**16), (False, 2**32 - 1)])
def test_user_ids_are_many_and_within_what_there_is(monkeypatch, subordinate, end):
    sandbox = Sandbox("bwrap", own_uids=True, subordinate=subordinate)
    for grader in (1, 63, 64, 2**22):
        monkeypatch.setattr(os, "getpid", lambda grader=grader: grader)
        ids = {sandbox.uid(number) for number in range(5000)}
        assert len(ids) == 1000
        assert 0 < min(ids) <= max(ids) <= sandbox.last_uid < end


def test_subordinate_ids_come_with_a_namespace_of_their_own():
    words, _ = command(Sandbox("bwrap", own_uids=True, subordinate=True), 3, LIMITS)
    assert words[:6] == ["unshare", "--user", "--map-root-user", "--map-auto", "--", "bwrap"]
    assert "--unshare-user" not in words
