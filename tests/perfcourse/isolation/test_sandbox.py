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
from conftest import needs_sandbox

import perfcourse
from perfcourse.isolation.sandbox import Sandbox

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
