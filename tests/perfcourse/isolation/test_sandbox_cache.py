"""What works here is tried once, and again when something has changed that it depends on."""

import json
import os
import shutil
from dataclasses import replace

import pytest
from building import notebook
from click.testing import CliRunner
from limits import HERE, needs_sandbox

from perfcourse.commands.cli import main
from perfcourse.grading.engine import Grader, NoSandboxError, Settings
from perfcourse.intake.submissions import Handin
from perfcourse.isolation import sandbox_cache, trial
from perfcourse.isolation.sandbox import Sandbox
from perfcourse.isolation.session import BrokenError
from perfcourse.kernel import isolate

CLONE_FS = 0x200
"""Which the kernel refuses together with namespaces."""
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
    assert trial.try_again() == first, "doctor tries it all the same"
    assert len(tries) > count


def another(path, text):
    """Have one file read otherwise."""
    real = sandbox_cache._text
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
    monkeypatch.setattr(f"perfcourse.isolation.sandbox_cache.{name}", changed)
    assert found() == first
    assert len(tries) > count


@needs_sandbox
@pytest.mark.parametrize("part", ["bwrap", "kernel", "isolation"])
def test_another_program_or_module_has_it_tried_again(tries, monkeypatch, part):
    found()
    count, real = len(tries), sandbox_cache._stamp
    stamps = {path for path in stamped(monkeypatch, real) if part in path}
    assert stamps
    monkeypatch.setattr(sandbox_cache, "_stamp", lambda path: [0] if path in stamps else real(path))
    found()
    assert len(tries) > count


def stamped(monkeypatch, real):
    """Return the files that the key depends on."""
    paths = []
    monkeypatch.setattr(sandbox_cache, "_stamp", lambda path: paths.append(path) or real(path))
    assert sandbox_cache.key(shutil.which("bwrap"))
    return paths


@needs_sandbox
@pytest.mark.parametrize("spoiled", ["writable", "link", "nonsense", "folder", "lies", "fifo"])
def test_what_is_not_surely_ours_is_not_believed(tries, tmp_path, spoiled):
    first = found()
    path, count = sandbox_cache.folder() / sandbox_cache.NAME, len(tries)
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
    assert not (sandbox_cache.folder() / sandbox_cache.NAME).exists()


SETTINGS = Settings(str(HERE / "example.py"), "a secret", preload=())


def fails(times, why="timed out", only=None):
    """Return a trial that fails this many times in a row, for all sandboxes or only one."""
    left, real = [times], trial.trouble

    def trouble(sandbox):
        if left[0] and only in (None, sandbox):
            left[0] -= 1
            return why
        return real(sandbox)

    return trouble


@pytest.fixture
def two(tries, monkeypatch):
    """The sandbox that works here, and a lesser one that does, too."""
    best = found()
    lesser = replace(best, own_uids=False, subordinate=False)
    if lesser == best:
        pytest.skip("only one works here")
    monkeypatch.setattr(trial, "PAUSE", 0.0)
    sandbox_cache.forget()
    return best, lesser


MOMENTARY = {
    "time": "Command '[]' timed out after 30 seconds",
    "processes": "[Errno 11] Resource temporarily unavailable: '/usr/bin/bwrap'",
    "memory": "bwrap: Can't fork: Cannot allocate memory",
    "memory in Python": "MemoryError",
    "open files": "OSError: [Errno 24] Too many open files: '/proc/9/uid_map'",
    "open files of all": "bwrap: opening /dev/null: Too many open files in system",
    "namespaces": "bwrap: Creating new namespace failed: No space left on device",
    "namespaces of a submission": "OSError: clone: No space left on device",
    "killed": "exit -9",
    "killed within": "exit 137",
    "killed a submission": "exit 247",
    "a disk": "OSError: [Errno 5] Input/output error",
}
"""What a trial says that fails for want of something, or by accident."""
LASTING = [
    "bwrap: No permissions to create new namespace, likely because the kernel does not allow it",
    "bwrap: setting up uid map: Permission denied",
    "newuidmap: uid range [0-65536) -> [100000-165536) not allowed",
    "OSError: clone: Operation not permitted",
    "bwrap: Unknown option --cap-add: Invalid argument",
]


@needs_sandbox
@pytest.mark.parametrize("why", MOMENTARY.values(), ids=MOMENTARY)
def test_a_trial_that_fails_for_a_moment_lowers_nothing(two, monkeypatch, why):
    best, _ = two
    monkeypatch.setattr(trial, "trouble", fails(trial.TRIES - 1, why, best))
    assert found() == best


@needs_sandbox
@pytest.mark.parametrize("why", ["timed out", *MOMENTARY.values()])
def test_what_is_taken_for_want_of_better_is_not_kept(two, monkeypatch, why):
    best, lesser = two
    with monkeypatch.context() as patch:
        patch.setattr(trial, "trouble", fails(10**6, why, best))
        patch.setattr(trial, "possible", lambda bwrap: [best, lesser])
        assert found() == lesser
        assert not (sandbox_cache.folder() / sandbox_cache.NAME).exists()
    assert found() == best


def test_why_the_kernel_makes_no_namespaces_is_told(monkeypatch):
    """Else a want of them for a moment couldn't be told from a refusal."""
    monkeypatch.setattr(isolate, "ALL_NAMESPACES", isolate.ALL_NAMESPACES | CLONE_FS)
    with pytest.raises(OSError, match="clone: Invalid argument"):
        isolate.fork_apart(None)


@needs_sandbox
@pytest.mark.parametrize("why", LASTING)
def test_what_is_refused_for_good_is_tried_once_and_what_works_instead_is_kept(
    two, monkeypatch, why
):
    best, lesser = two
    asked = []
    refused = fails(10**6, why, best)
    monkeypatch.setattr(trial, "trouble", lambda box: asked.append(box) or refused(box))
    monkeypatch.setattr(trial, "possible", lambda bwrap: [best, lesser])
    assert found() == lesser
    assert asked.count(best) == 1
    assert (sandbox_cache.folder() / sandbox_cache.NAME).exists()


@needs_sandbox
@pytest.mark.parametrize("trouble", ["one", "all"])
def test_a_run_keeps_the_sandbox_that_it_has_begun_with(two, monkeypatch, trouble):
    best, _ = two
    grader = Grader(SETTINGS)
    try:
        only = best if trouble == "one" else None
        monkeypatch.setattr(trial, "trouble", fails(10**6, "timed out", only))
        trial.find_sandbox.cache_clear()
        sandbox_cache.forget()
        for _ in range(2):
            grader._warm.process.kill()
            grader._warm.process.wait()
            graded = grader.grade(Handin("ada", "ada", notebook(RIGHT), "x.ipynb"))
            assert (graded.earned, graded.broken) == (4, False)
            assert grader._warm.sandbox == best
    finally:
        grader.close()


@needs_sandbox
def test_a_machine_that_is_short_for_a_moment_is_waited_for(two, monkeypatch):
    grader, left = Grader(SETTINGS), [2]
    real = grader._warm.session

    def short(*how):
        if left[0]:
            left[0] -= 1
            raise BrokenError("no sandbox for a submission")
        return real(*how)

    monkeypatch.setattr(grader._warm, "session", short)
    try:
        graded = grader.grade(Handin("ada", "ada", notebook(RIGHT), "x.ipynb"))
        assert (graded.earned, graded.broken) == (4, False)
        assert grader._warm.sandbox == two[0]
    finally:
        grader.close()


@needs_sandbox
def test_what_was_kept_and_does_not_start_ends_the_run_with_a_sentence(two, monkeypatch):
    """No run goes on with less by itself: `perfcourse doctor` looks again, and shows it."""
    best, lesser = two
    monkeypatch.setattr("perfcourse.grading.engine.PAUSE", 0.0)
    monkeypatch.setattr(trial, "possible", lambda bwrap: [best, lesser])
    assert found() == best
    monkeypatch.setattr(Sandbox, "uid", lambda box, number: 2**32 - 1)
    kept = (sandbox_cache.folder() / sandbox_cache.NAME).read_text()
    with pytest.raises(NoSandboxError, match="worked here before") as caught:
        Grader(SETTINGS)
    assert "perfcourse doctor" in str(caught.value)
    assert (sandbox_cache.folder() / sandbox_cache.NAME).read_text() == kept
    monkeypatch.setattr(trial, "trouble", fails(10**6, "Operation not permitted", best))
    assert trial.try_again() == lesser


@needs_sandbox
def test_where_no_sandbox_works_the_command_says_so(two, monkeypatch, course):
    (course / "in").mkdir()
    (course / "in" / "ada.ipynb").write_bytes(notebook(RIGHT))
    monkeypatch.setattr(trial, "trouble", lambda sandbox: "timed out")
    trial.find_sandbox.cache_clear()
    done = CliRunner().invoke(main, ["grade", "in", "--topic", "example"])
    assert done.exit_code == 1
    assert "no sandbox here: timed out" in done.output
    assert not isinstance(done.exception, NoSandboxError)
    assert not (sandbox_cache.folder() / sandbox_cache.NAME).exists()
