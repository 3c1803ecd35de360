"""What works here is tried once, and again when something has changed that it hangs on."""

import json
import os
import shutil

import pytest
from building import notebook
from conftest import HERE, needs_sandbox

from perfcourse.engine import Grader, NoSandboxError, Settings
from perfcourse.intake.submissions import Handin
from perfcourse.isolation import outcome, trial
from perfcourse.isolation.sandbox import Sandbox

RIGHT = "def speedup(serial, n):\n    return 1 / (serial + (1 - serial) / n)"


@pytest.fixture
def tries(tmp_path, monkeypatch):
    """A list that grows with each try, and a folder of its own for what is kept."""
    made, real = [], trial.trouble
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(trial, "trouble", lambda sandbox: made.append(sandbox) or real(sandbox))
    trial.find_sandbox.cache_clear()
    yield made
    trial.find_sandbox.cache_clear()


def found():
    """Return what another process would find."""
    trial.find_sandbox.cache_clear()
    return trial.find_sandbox()


@needs_sandbox
def test_it_is_tried_once(tries):
    first = found()
    assert first == tries[-1]
    count = len(tries)
    assert found() == first
    assert len(tries) == count
    assert trial.tried() == first, "doctor tries it all the same"
    assert len(tries) > count


def another(path, text):
    """Have one file read otherwise."""
    real = outcome._text
    return "_text", lambda asked: text if asked == path else real(asked)


CHANGES = {
    "started again": lambda: another("/proc/sys/kernel/random/boot_id", "another"),
    "namespaces limited": lambda: another("/proc/sys/user/max_user_namespaces", "0"),
    "confined": lambda: another("/proc/self/attr/current", "unconfined"),
    "ids granted": lambda: another("/etc/subuid", "ada:100000:65536"),
    "filtered": lambda: another("/proc/self/status", "Seccomp:\t2\nCapEff:\t0\n"),
    "namespace": lambda: ("_link", lambda path: f"{path}:[1]"),
    "kernel": lambda: ("platform.release", lambda: "9.9"),
    "Python": lambda: ("platform.python_version", lambda: "9.9"),
    "package": lambda: ("version", lambda name: "9.9"),
}


@needs_sandbox
@pytest.mark.parametrize("change", CHANGES)
def test_a_change_has_it_tried_again(tries, monkeypatch, change):
    first = found()
    count = len(tries)
    name, changed = CHANGES[change]()
    monkeypatch.setattr(f"perfcourse.isolation.outcome.{name}", changed)
    assert found() == first
    assert len(tries) > count


@needs_sandbox
@pytest.mark.parametrize("part", ["bwrap", "kernel", "isolation"])
def test_another_program_or_module_has_it_tried_again(tries, monkeypatch, part):
    found()
    count, real = len(tries), outcome._stamp
    stamps = {path for path in stamped(monkeypatch, real) if part in path}
    assert stamps
    monkeypatch.setattr(outcome, "_stamp", lambda path: [0] if path in stamps else real(path))
    found()
    assert len(tries) > count


def stamped(monkeypatch, real):
    """Return the files that the key hangs on."""
    paths = []
    monkeypatch.setattr(outcome, "_stamp", lambda path: paths.append(path) or real(path))
    assert outcome.key(shutil.which("bwrap"))
    return paths


@needs_sandbox
@pytest.mark.parametrize("spoiled", ["writable", "link", "nonsense", "folder", "lies", "fifo"])
def test_what_is_not_surely_ours_is_not_believed(tries, tmp_path, spoiled):
    first = found()
    path, count = outcome.folder() / outcome.NAME, len(tries)
    kept = json.loads(path.read_text())
    assert path.stat().st_mode & 0o777 == 0o600
    if spoiled == "writable":
        path.chmod(0o666)
    elif spoiled == "nonsense":
        path.write_text("[" * 10_000)
    elif spoiled == "lies":
        path.write_text(json.dumps({**kept, "how": [True] * 9}))
    else:
        path.rename(tmp_path / "elsewhere")
    if spoiled == "link":
        path.symlink_to(tmp_path / "elsewhere")
    elif spoiled == "folder":
        path.mkdir()
    elif spoiled == "fifo":
        os.mkfifo(path)
    assert found() == first
    assert len(tries) > count


def test_failure_is_not_kept(tries, monkeypatch):
    monkeypatch.setattr(trial, "trouble", lambda sandbox: "not now")
    monkeypatch.setattr(trial.shutil, "which", lambda name: "/bin/true")
    assert found().problem == "not now"
    assert not (outcome.folder() / outcome.NAME).exists()


@needs_sandbox
def test_outcome_that_is_no_longer_true_is_found_out(tries, monkeypatch):
    """Kept is what doesn't work any more: submissions are graded in what does."""
    first, bwrap = found(), shutil.which("bwrap")
    wrong = Sandbox(bwrap, own_uids=not first.own_uids, subordinate=not first.own_uids)
    monkeypatch.setattr(trial, "possible", lambda bwrap: [first, wrong])
    outcome.write(outcome.key(bwrap), trial.how(wrong))
    assert found() == wrong
    real = Sandbox.uid
    monkeypatch.setattr(Sandbox, "uid", lambda box, n: 2**32 - 1 if box == wrong else real(box, n))
    grader = Grader(Settings(str(HERE / "example.py"), "a secret", preload=()))
    try:
        if wrong.own_uids:
            graded = grader.grade(Handin("ada", "ada", notebook(RIGHT), "x.ipynb"))
            assert graded.earned == 4
            assert not graded.broken
            assert grader._warm.sandbox == first
            assert found() == first
    finally:
        grader.close()


@needs_sandbox
def test_sandbox_that_is_gone_is_never_replaced_by_none(tries, monkeypatch):
    assert found().bwrap
    grader = Grader(Settings(str(HERE / "example.py"), "a secret", preload=()))
    monkeypatch.setattr(trial, "trouble", lambda sandbox: "not any more")
    grader._warm.process.kill()
    grader._warm.process.wait()
    trial.try_again()
    graded = grader.grade(Handin("ada", "ada", notebook(RIGHT), "x.ipynb"))
    grader.close()
    assert graded.broken
    assert "not any more" in graded.problem
    with pytest.raises(NoSandboxError, match="not any more"):
        Grader(Settings(str(HERE / "example.py"), "a secret", preload=()))
