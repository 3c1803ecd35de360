"""Ctrl-C and SIGTERM: nothing is lost, nothing stays behind, and one sentence says so."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from building import notebook

from perfcourse.bank.loader import load
from perfcourse.grading.batch import run
from perfcourse.grading.engine import Settings, grade_here
from perfcourse.grading.interrupts import SIGNALS, caught, deferred, stop_signal
from perfcourse.grading.submission import grade
from perfcourse.intake.submissions import Handin

HERE = Path(__file__).parents[1]
PERFCOURSE = sys.executable, "-m", "perfcourse"
SLOW = "import time; time.sleep(0.4)"


@pytest.fixture(autouse=True)
def as_in_a_terminal():
    """A shell lets what it starts in the background ignore SIGINT, and so the tests."""
    before = {number: signal.getsignal(number) for number in SIGNALS}
    for number in SIGNALS:
        signal.signal(number, signal.default_int_handler)
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("number", SIGNALS)
def test_the_first_signal_counts_and_later_ones_do_nothing(number):
    before = [signal.getsignal(each) for each in SIGNALS]
    with caught():
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(number)
        assert stop_signal() == number
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGTERM)
        assert stop_signal() == number
    after = [signal.getsignal(each) for each in SIGNALS]
    assert (stop_signal(), after) == (0, before)


def test_a_deferred_signal_waits_for_the_end_of_the_block():
    done = []

    def work():
        with deferred():
            signal.raise_signal(signal.SIGTERM)
            done.append(stop_signal())

    with pytest.raises(KeyboardInterrupt):
        work()
    assert done == [signal.SIGTERM]
    with deferred():
        assert stop_signal() == 0


def test_a_signal_that_is_ignored_stays_ignored():
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with caught():
        signal.raise_signal(signal.SIGHUP)
        assert stop_signal() == 0


def kept(out):
    return [json.loads(line)["result"]["name"] for line in (out / "journal.jsonl").open()]


def hand_in(folder, count, *cells):
    folder.mkdir()
    for number in range(count):
        (folder / f"s{number:02}.ipynb").write_bytes(notebook(*cells, f"q2 = {number}"))


def test_what_is_finished_when_a_run_is_asked_to_end_is_kept(course):
    """The engine has finished all of them; the signals come while the third is put away."""
    hand_in(course / "in", 6)
    settings = Settings(str(course / "solutions" / "example.py"), "x")

    def engine(handins, settings):
        bank = load(Path(settings.bank))
        for handin in handins:
            if not stop_signal():
                yield grade(handin, bank, "", None)

    def press_twice(done, total):
        if done == 3:
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)

    for path in (course / "in").iterdir():
        path.write_bytes(b"no notebook of " + path.name.encode())
    with pytest.raises(KeyboardInterrupt):
        run(course / "in", course / "out", settings, engine, progress=press_twice)
    assert kept(course / "out") == ["s00.ipynb", "s01.ipynb", "s02.ipynb"]
    assert run(course / "in", course / "out", settings, engine).graded_now == 3


def test_what_runs_when_the_process_is_asked_to_end_is_stopped(monkeypatch):
    """What is finished by then comes too, and nothing that was stopped halfway."""
    handins = [Handin(f"s{n}", f"s{n}", notebook(SLOW, f"q2 = {n}"), "x.ipynb") for n in range(8)]
    seen = []
    monkeypatch.setattr("perfcourse.grading.engine.stop_signal", lambda: len(seen) >= 2)
    settings = Settings(str(HERE / "example.py"), "x", unsafe=True, preload=())
    for graded in grade_here(handins, settings, workers=2):
        seen.append(graded)
    assert 2 <= len(seen) == len({graded.name for graded in seen}) < 8
    assert not [graded.problem for graded in seen if graded.broken or graded.problem]


STOPS = [
    (signal.SIGINT, signal.SIGINT),
    (signal.SIGTERM,),
    (signal.SIGHUP,),
    (signal.SIGINT, signal.SIGTERM, signal.SIGTERM),
    (signal.SIGHUP, signal.SIGINT),
]
"""The lowest first: of signals that come at once, Python takes that one."""


@pytest.mark.parametrize("numbers", STOPS)
def test_stopped_command_keeps_what_is_graded_and_leaves_nothing_behind(course, numbers):
    for name in ("kinds.py", "kinds.csv", "kinds-hidden.csv"):
        shutil.copy(HERE / name, course / "solutions")
    hand_in(course / "in", 20, SLOW)
    (course / "tmp").mkdir()
    words = [*PERFCOURSE, "grade", "in", "--topic", "kinds"]
    environment = {**os.environ, "TMPDIR": str(course / "tmp")}
    running = subprocess.Popen(
        [*words, "--unsafe-no-sandbox"], env=environment, stderr=subprocess.PIPE, text=True
    )
    journal = course / "in-graded" / "journal.jsonl"
    while not journal.exists() or journal.read_bytes().count(b"\n") < 2:
        assert running.poll() is None
        time.sleep(0.01)
    assert [*(course / "tmp").glob("perfcourse-data-*")]
    for number in numbers:
        running.send_signal(number)
    _, said = running.communicate()
    assert running.returncode == 128 + numbers[0]
    (line,) = said.strip().splitlines()
    names = kept(course / "in-graded")
    assert line == (
        f"Error: stopped; {len(names)} of 20 submissions are graded and kept. "
        "The same command goes on from there."
    )
    assert 2 <= len(names) == len(set(names)) < 20
    assert not [*(course / "tmp").glob("perfcourse-data-*")]


@pytest.mark.parametrize("numbers", STOPS)
def test_stopped_before_a_grade_it_says_so_and_leaves_nothing_behind(course, numbers):
    for name in ("kinds.py", "kinds.csv", "kinds-hidden.csv"):
        shutil.copy(HERE / name, course / "solutions")
    hand_in(course / "in", 1, SLOW)
    (course / "tmp").mkdir()
    running = subprocess.Popen(
        [*PERFCOURSE, "autograde", "in/s00.ipynb", "--topic", "kinds", "--unsafe-no-sandbox"],
        env={**os.environ, "TMPDIR": str(course / "tmp")},
        stderr=subprocess.PIPE,
        text=True,
    )
    while not [*(course / "tmp").glob("perfcourse-data-*/data/*")]:
        assert running.poll() is None
        time.sleep(0.01)
    for number in numbers:
        running.send_signal(number)
    _, said = running.communicate()
    assert (running.returncode, said) == (
        128 + numbers[0],
        "Error: stopped before there was a grade\n",
    )
    assert not [*(course / "tmp").glob("perfcourse-data-*")]


def test_interrupted_while_it_loads_a_command_says_so_in_a_sentence():
    code = (
        "import runpy, signal, sys\n"
        "class Presses:\n"
        "    def find_spec(name, path=None, target=None):\n"
        "        if name == 'perfcourse.commands.cli': signal.raise_signal(signal.SIGINT)\n"
        "sys.meta_path.insert(0, Presses)\n"
        "runpy.run_module('perfcourse', run_name='__main__')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (130, "Error: stopped before anything was begun\n")
