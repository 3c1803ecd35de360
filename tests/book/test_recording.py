import io

import nbformat
import pytest
from nbclient.exceptions import CellExecutionError
from rich.console import Console

from perfcourse.book import quiet, recording, run
from perfcourse.book.recording import Machine, NotQuietError

QUIET = quiet.Quietness({}, 0.0, 0.0)
BUSY = quiet.Quietness({"make (42)": 1.0}, 0.5, 2.0)


class Sequence:
    """A machine that looks as told, look by look, and whose clock only sleeping advances."""

    def __init__(self, *looks):
        self.looks = list(looks)
        self.now = 0.0

    def sleep(self, seconds):
        self.now += seconds

    def machine(self):
        return Machine(
            look=lambda since: self.looks.pop(0),
            usage=lambda: quiet.Usage(self.now, {}),
            clock=lambda: self.now,
            sleep=self.sleep,
        )


@pytest.fixture(autouse=True)
def _no_kernel(monkeypatch):
    """Run notebooks without a kernel: each run is noted beside the notebook."""

    def executed(notebook, folder):
        if notebook.cells[0].source == "1 / 0":
            raise CellExecutionError("ZeroDivisionError", "ZeroDivisionError", "division by zero")
        with (folder / "runs").open("a") as runs:
            runs.write("x")
        notebook.cells[0].outputs = [nbformat.v4.new_output("stream", text="42\n")]
        return notebook

    monkeypatch.setattr(run, "executed", executed)


@pytest.fixture
def console():
    return Console(file=io.StringIO(), width=500)


def write(path, source, timed=True, tags=()):
    cell = nbformat.v4.new_code_cell(source, metadata={"tags": list(tags)})
    metadata = {"alone": True} if timed else {}
    nbformat.write(nbformat.v4.new_notebook(cells=[cell], metadata=metadata), path)
    return path


def outputs(path):
    return [output.text for output in nbformat.read(path, as_version=4).cells[0].outputs]


def record(path, console, *looks, minutes=0.0, **options):
    machine = Sequence(*looks)
    recording.record(
        [path],
        path.parent / "cache",
        console,
        minutes=minutes,
        machine=machine.machine(),
        **options,
    )
    assert machine.looks == []
    return machine


def test_timings_are_stored_from_a_machine_quiet_before_and_after(tmp_path, console):
    path = write(tmp_path / "a.ipynb", "print(6 * 7)")
    record(path, console, QUIET, QUIET)
    assert outputs(path) == ["42\n"]
    record(path, console)  # nothing changed: the machine isn't looked at
    record(path, console, QUIET, QUIET, fresh=True)


def test_a_busy_machine_is_refused_and_named(tmp_path, console):
    path = write(tmp_path / "a.ipynb", "print(6 * 7)")
    with pytest.raises(NotQuietError, match=r"a\.ipynb is not recorded: (.|\n)*make \(42\)"):
        record(path, console, BUSY)
    assert outputs(path) == []


def test_a_disturbed_recording_is_thrown_away(tmp_path, console):
    path = write(tmp_path / "a.ipynb", "print(6 * 7)")
    with pytest.raises(NotQuietError, match="50 % of its time"):
        record(path, console, QUIET, BUSY)
    assert outputs(path) == []
    assert "disturbed" in console.file.getvalue()


def test_waits_as_long_as_it_may(tmp_path, console):
    path = write(tmp_path / "a.ipynb", "print(6 * 7)")
    machine = record(path, console, BUSY, QUIET, BUSY, QUIET, QUIET, minutes=1)
    assert outputs(path) == ["42\n"]
    assert machine.now == 2 * recording.AGAIN
    with pytest.raises(NotQuietError):
        record(path, console, *[BUSY] * 5, minutes=1, fresh=True)


def test_what_times_nothing_is_recorded_any_time(tmp_path, console):
    path = write(tmp_path / "a.ipynb", "print(6 * 7)", timed=False)
    record(path, console)
    assert outputs(path) == ["42\n"]


def test_a_cell_that_is_not_compared_makes_a_notebook_timed(tmp_path, console):
    path = write(tmp_path / "a.ipynb", "1", timed=False, tags=["nbval-ignore-output"])
    assert recording.is_timed(nbformat.read(path, as_version=4))


def test_timings_that_the_book_was_built_with_are_not_taken(tmp_path, console):
    path = write(tmp_path / "a.ipynb", "print(6 * 7)")
    run.run_all([path], tmp_path / "cache", console)
    record(path, console, QUIET, QUIET)
    assert (tmp_path / "runs").read_text() == "xx"


def test_an_error_stops_no_other_notebook(tmp_path, console):
    bad, good = write(tmp_path / "bad.ipynb", "1 / 0"), write(tmp_path / "good.ipynb", "print(1)")
    machine = Sequence(QUIET, QUIET, QUIET).machine()
    with pytest.raises(run.NotebookError, match="ZeroDivisionError"):
        recording.record([bad, good], tmp_path / "cache", console, machine=machine)
    assert outputs(good) == ["42\n"]
