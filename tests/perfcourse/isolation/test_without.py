"""A machine that refuses user namespaces, really: what `doctor` says then, and what gets through.

The kernel itself refuses them, to a child of the tests and all below it: by a filter as containers
have it, or by the limit that a sysctl sets, in a user namespace to which the limit belongs.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from building import notebook
from limits import needs_sandbox

import perfcourse
from perfcourse.isolation.doctor import COMES_WITH_IT

REFUSING = """
import os, struct, sys
from perfcourse.kernel import calls, isolate
column = 0 if os.uname().machine == "x86_64" else 1
numbers = (56, 272, 435) if column == 0 else (220, 97, 435)
step = struct.Struct("=HBBI").pack
user = [step(0x20, 0, 0, 16), step(0x45, 0, 1, 0x10000000), step(6, 0, 0, 0x50001),
        step(6, 0, 0, 0x7FFF0000)]
program = [step(0x20, 0, 0, 0), step(0x15, 0, 1, numbers[2]), step(6, 0, 0, 0x50026)]
for number in numbers[:2]:
    program += [step(0x15, 0, len(user), number), *user]
isolate._call("prctl", isolate._PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
isolate._install(b"".join([*program, step(6, 0, 0, 0x7FFF0000)]))
os.execv(sys.argv[1], sys.argv[1:])
"""
LIMITED = 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"'
WAYS = {
    "filter": [sys.executable, "-c", REFUSING],
    "limit": ["unshare", "--user", "--map-root-user", "sh", "-c", LIMITED, "sh"],
}
RIGHT = "def speedup(serial, n):\n    return 1 / (serial + (1 - serial) / n)"


def refused(way):
    """Whether user namespaces are refused this way; other things must work all the same."""
    for words, works in ((["true"], True), (["unshare", "--user", "true"], False)):
        program = shutil.which(words[0])
        if program is None:
            return False
        done = subprocess.run([*WAYS[way], program, *words[1:]], capture_output=True)
        if (done.returncode == 0) is not works:
            return False
    return True


@pytest.fixture(params=WAYS)
def perfcourse_there(request, course):
    """Return a function that runs the command where user namespaces are refused."""
    if not refused(request.param):
        pytest.skip("user namespaces can't be refused this way here")

    def run(*words, way=request.param):
        front = WAYS[way] if way else []
        source = str(Path(perfcourse.__file__).parents[1])
        return subprocess.run(
            [*front, sys.executable, "-m", "perfcourse", *words],
            cwd=course,
            env={**os.environ, "PYTHONPATH": source, "COLUMNS": "300"},
            capture_output=True,
            text=True,
        )

    return run


@needs_sandbox
def test_doctor_names_the_missing_sandbox_and_grading_is_refused(perfcourse_there, course):
    done = perfcourse_there("doctor")
    assert done.returncode == 1
    assert "✘ NO SANDBOX (" in done.stdout
    assert "✘ sandbox: without it a submission can do everything that you can" in done.stdout
    assert "Allow user namespaces" in done.stdout
    assert "apt-get install" not in done.stdout, "it is installed"
    assert done.stdout.count(f": {COMES_WITH_IT}") == 2, "filter and user ids"
    (course / "in").mkdir()
    (course / "in" / "ada.ipynb").write_bytes(notebook(RIGHT))
    done = perfcourse_there("grade", "in")
    assert done.returncode != 0
    assert "no sandbox here" in done.stderr
    assert not (course / "in-graded").exists()


@needs_sandbox
def test_what_the_missing_sandbox_lets_through(perfcourse_there, course):
    """The attack: it earns its points only where it can read a file of the course."""
    (course / "answers.txt").write_text("ours")
    look = f"assert open({str(course / 'answers.txt')!r}).read() == 'ours'\n{RIGHT}"
    (course / "mallory.ipynb").write_bytes(notebook(look))
    unsafe = perfcourse_there("autograde", "mallory.ipynb", "--unsafe-no-sandbox")
    assert '"q1": 4' in unsafe.stdout, unsafe.stderr
    safe = perfcourse_there("autograde", "mallory.ipynb", way="")
    assert '"q1": 0' in safe.stdout, safe.stderr
