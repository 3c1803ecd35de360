import errno
import fcntl
import json
import signal
import subprocess
import sys

import pytest
from click.testing import CliRunner

from perfcourse.commands.cli import main
from perfcourse.grading.lock import NAME, HeldError, held

HOLD = (
    "import sys, time\nfrom pathlib import Path\nfrom perfcourse.grading.lock import held\n"
    "with held(Path(sys.argv[1])):\n    print('held', flush=True)\n    time.sleep(60)"
)


@pytest.fixture
def other_run(tmp_path):
    """Another process that holds the folder until it is killed."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, tmp_path / "out"], stdout=subprocess.PIPE, text=True
    ) as running:
        assert running.stdout.readline() == "held\n"
        yield running
        running.kill()


def test_second_run_is_told_who_holds_the_folder(tmp_path, other_run):
    with pytest.raises(HeldError, match=f"process {other_run.pid} on .* since 20"):
        held(tmp_path / "out").__enter__()
    with held(tmp_path / "another"):
        pass


def test_killed_run_leaves_no_lock(tmp_path, other_run):
    other_run.send_signal(signal.SIGKILL)
    other_run.wait()
    assert json.loads((tmp_path / "out" / NAME).read_text())["process"] == other_run.pid
    with held(tmp_path / "out"):
        pass
    assert (tmp_path / "out" / NAME).read_text() == ""


def test_command_refuses_in_one_line_and_touches_nothing(course):
    (course / "in").mkdir()
    with held(course / "in-graded"):
        before = sorted((course / "in-graded").iterdir())
        result = CliRunner().invoke(main, ["grade", "in", "--unsafe-no-sandbox"])
        assert result.exit_code == 1
        assert "is being written by another run (process" in result.output
        assert "--out" in result.output
        assert sorted((course / "in-graded").iterdir()) == before
    freed = CliRunner().invoke(main, ["grade", "in", "--unsafe-no-sandbox"])
    assert "in holds none" in freed.output


def test_folder_that_cannot_be_locked_is_used_with_a_warning(tmp_path, monkeypatch):
    def refused(*arguments):
        raise OSError(errno.ENOLCK, "no locks")

    monkeypatch.setattr(fcntl, "flock", refused)
    with pytest.warns(UserWarning, match="file system without locks"), held(tmp_path):
        pass
