"""Attacks beside the notebook's code: odd files, clever names, leaks between questions."""

import csv
import io
import os
import sys
import sysconfig
import time
from fractions import Fraction
from pathlib import Path

import example
import numpy as np
import pytest
from building import notebook
from limits import LIMITS

from perfcourse.gradebook.grade import grade_of
from perfcourse.grading.batch import run
from perfcourse.grading.engine import Settings
from perfcourse.grading.submission import grade
from perfcourse.intake.cells import MAX_CODE, UnreadableError, code_cells
from perfcourse.intake.collection import collect
from perfcourse.intake.submissions import opened
from perfcourse.isolation.sandbox import Sandbox, command
from perfcourse.isolation.session import Times
from perfcourse.judge.result import Graded
from perfcourse.kernel.plain import plain
from perfcourse.kernel.watch import trees
from perfcourse.report import grade_exports
from perfcourse.report.pages import page_name
from perfcourse.report.tables import cell
from perfmodel.answers.closeness import close

BANK = str(Path(example.__file__))
RIGHT = "def speedup(serial, n):\n    return 1 / (serial + (1 - serial) / n)"


def changed(before, after):
    """Return a right notebook in whose bytes something stands for something else."""
    return notebook(RIGHT, "x = 1").replace(before, after)


ODD = {
    "half a sign in code": changed(b"x = 1", b"x = '\\ud800'"),
    "a NUL in code": changed(b"x = 1", b"x = 1\\u0000"),
    "a number of 5,000 digits": changed(b"null", b"9" * 5000),
    "no number": changed(b"null", b"NaN"),
    "deep metadata": changed(b"{}", b'{"a": ' + b"[" * 50_000 + b"]" * 50_000 + b"}"),
    "two bytes a sign": changed(b"", b"").decode().encode("utf-16"),
    "a long id": changed(b'"c1"', b'"' + b"i" * 10**6 + b'"'),
    "a long magic": changed(b"x = 1", b"%" + b"m" * 100_000),
    "a long name": changed(b"x = 1", b"import " + b"a" * 200_000),
    "a deep name": changed(b"x = 1", b"import numpy." + b"b." * 50_000),
    "a long student": changed(b"x = 1", b"STUDENT = '" + b"s" * 100_000 + b"'"),
    "an odd student": changed(b"x = 1", b"STUDENT = '../\\u0000\\ud800\\n=cmd()'"),
    "an odd error": changed(b"x = 1", b"raise ValueError('\\n' * 10**6 + '\\u2028::error::')"),
    "an error within an error": changed(
        b"x = 1", b"class E(Exception):\\n    def __str__(self): return str(self)\\nraise E()"
    ),
    "a long kernel": notebook("x = 1", metadata={"kernelspec": {"language": "k" * 10**5}}),
    "odd cells": b'{"cells": [{"cell_type": [], "source": 5}, 7], "nbformat": "4"}',
}
NAMES = [
    b"\xff\xfe",
    "\u00fc" * 80,
    "=cmd",
    "a\nb",
    "-rf",
    "x" * 240,
    "\u202eabc",
    "a'b\"c<d>",
    "%s",
]


def test_odd_texts_of_some_end_nothing_for_the_others(tmp_path, warm):
    folder, out = tmp_path / "in", tmp_path / "out"
    folder.mkdir()
    for number, data in enumerate(ODD.values()):
        (folder / f"odd{number}.ipynb").write_bytes(data)
    for number, name in enumerate(NAMES):
        path = os.fsencode(folder) + b"/" + os.fsencode(name) + b".ipynb"
        Path(os.fsdecode(path)).write_bytes(notebook(RIGHT, f"number = {number}"))

    def engine(handins, settings):
        for handin in handins:
            yield grade(handin, example.bank, "s", lambda *how: warm.session(Times(), *how))

    results = run(folder, out, Settings(BANK, "s"), engine).results
    assert len(results) == len(ODD) + len(NAMES)
    assert not [each.student for each in results if not each.settled]
    honest = [each for each in results if not each.student.startswith("odd")]
    assert [each.earned for each in honest] == [4.0] * len(NAMES)
    for path in out.rglob("*"):
        if path.is_file():
            path.read_bytes().decode("utf-8")
    assert max(map(len, (out / "journal.jsonl").open())) < 4000


def test_folder_called_like_a_notebook_stops_nobody(tmp_path):
    (tmp_path / "mallory" / "a" / "b" / "x.ipynb").mkdir(parents=True)
    (tmp_path / "deep" / "a" / "x.ipynb").mkdir(parents=True)
    (tmp_path / "top.ipynb").mkdir()
    for submission in collect(tmp_path, "example").submissions:
        assert "holds no notebook" in opened(submission).problem


def test_folder_of_very_many_files_is_not_searched(tmp_path, monkeypatch):
    monkeypatch.setattr("perfcourse.intake.uploads.MAX_LOOKED_AT", 100)
    looked = []
    scandir = os.scandir
    monkeypatch.setattr(os, "scandir", lambda path: looked.append(path) or scandir(path))
    (tmp_path / "ada.ipynb").write_bytes(b"")
    for n in range(40):
        (tmp_path / "mallory" / str(n) / "deeper").mkdir(parents=True)
        (tmp_path / "mallory" / str(n) / "x.ipynb").write_bytes(b"")
    _, submission = collect(tmp_path, "example").submissions
    assert "over 100 files" in submission.problem
    assert len(looked) < 100


def test_names_that_are_not_utf8_stay_apart(tmp_path):
    for name in (b"Zo\xeb", b"Zo\xe8", "Zo\ufffd".encode(), b"Zo\\xeb", b"Zo\\\\xeb"):
        (tmp_path / (name + b".ipynb").decode("utf-8", "surrogateescape")).write_bytes(b"")
    found = collect(tmp_path, "example").submissions
    assert len({submission.name for submission in found}) == 5
    for submission in found:
        submission.name.encode()


def test_no_name_overwrites_anothers_page():
    """The part of a page's name that stands for the file is too long to be hit by trying."""
    assert len(page_name(Graded("ada.ipynb", "ada", "", "", ())).split("-")[1]) >= 16 + len(".html")


@pytest.mark.parametrize("other", ["ada.txt", "ADA.ipynb", "ada\n.ipynb", "\uff41da.ipynb"])
def test_one_id_handed_in_twice_is_for_the_instructor_to_decide(tmp_path, other):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "ada.ipynb").write_bytes(notebook(""))
    (tmp_path / "in" / "bob.ipynb").write_bytes(notebook(""))
    (tmp_path / "in" / other).write_bytes(b"")
    settings = Settings(BANK, "secret", unsafe=True)
    results = run(tmp_path / "in", tmp_path / "out", settings, ungraded).results
    assert ["more than one submission" in graded.problem for graded in results].count(True) == 2
    for name in ("canvas.csv", "moodle.csv"):
        text = (tmp_path / "out" / name).read_text()
        assert "bob" in text
        assert "ada" not in text.lower()


def ungraded(handins, settings):
    """An engine that gives everybody nothing."""
    from perfcourse.grading.submission import grade

    for handin in handins:
        yield grade(handin, example.bank, "", lambda *how: None)


@pytest.mark.parametrize("character", ["x", "\u00e9", "\U0001f600", "[", '"', "\ud800"])
def test_code_that_passes_the_reader_fits_the_wire(grade_cells, solved, character):
    rest = "".join(solved)
    source = "#" + character * (MAX_CODE - 1 - len(rest))
    with pytest.raises(UnreadableError, match="far more code"):
        code_cells(notebook(*solved, source, character))
    graded = grade_cells(*solved, source, times=Times(notebook=60, cell=60, whole=120))
    assert (graded.problem, graded.earned) == ("", graded.points)


def test_file_of_empty_dicts_takes_no_memory():
    data = b'{"cells": [' + b"{}," * 2_000_000 + b"{}]}"
    with pytest.raises(UnreadableError, match="far more"):
        code_cells(data)


@pytest.mark.parametrize("expected", [np.inf, -np.inf, np.nan, np.array([1.0, np.inf])])
def test_nothing_is_close_to_what_is_not_finite(expected):
    for value in (1.0, 1e308, 0, np.inf, np.array([1.0, 5.0]), [1.0, np.inf]):
        assert not close(value, expected, 0.01)


@pytest.mark.filterwarnings("ignore:overflow")
def test_measurements_that_overflow_earn_nothing(grade_cells):
    cells = "q5 = {'processors': [1, 2], 'seconds': [1e308, 1e-308], 'answer': 7.0}"
    assert grade_cells(cells).earned == 0


LEAK = """
def speedup(serial, n):
    name = f"serial_{serial}"
    globals()["q2"] = type(name, (), {})()
    globals()["q3"] = __import__("numpy").zeros((1, int(serial * 1e4)))
    globals()["q4"] = ("keep", type(name, (), {})())
    return 1 / (serial + (1 - serial) / n)
"""


def test_a_function_cannot_tell_its_inputs_through_other_answers(grade_cells):
    graded = grade_cells(LEAK)
    messages = " ".join(verdict.message for verdict in graded.verdicts)
    assert graded.verdicts[0].earned > 0
    assert "serial_" not in messages
    assert "yours has shape (1" not in messages


@pytest.mark.parametrize(
    "cells",
    [
        "import mmap, os, time\n"
        "for _ in range(12):\n"
        "    if os.fork() == 0:\n"
        "        m = mmap.mmap(-1, 10**8)\n"
        "        for at in range(0, 10**8, 4096): m[at] = 1\n"
        "        time.sleep(60)\n"
        "time.sleep(60)",
    ],
)
def test_shared_memory_is_limited_too(grade_cells, cells):
    graded = grade_cells(cells, times=Times(notebook=30, cell=30, call=3, whole=60))
    assert graded.problem.startswith("Cell 1 used more memory than is allowed and was stopped")


def test_no_memory_outlives_its_process(warm):
    """System V memory and messages count for no process, so there are none."""
    code = (
        "import ctypes\nlibc = ctypes.CDLL(None)\n"
        "loot = [libc.shmget(0, 2**20, 0o1600), libc.msgget(0, 0o1600), libc.semget(0, 9, 0o1600)]"
    )
    with warm.session() as session:
        session.run([code], {})
        assert session.get("loot")["value"] == [-1, -1, -1]


@pytest.mark.parametrize("number", [Fraction(7, 2), "Decimal", "object"])
def test_exact_numbers_are_numbers(number):
    from decimal import Decimal

    value = {"Decimal": Decimal("3.5"), "object": np.array(3.5, object)}.get(number, number)
    assert close(plain(value), 3.5, 1e-9)
    assert close(plain([value, value]), np.array([3.5, 3.5]), 1e-9)


def test_a_kind_of_value_error_is_a_value_error(grade_cells, solved):
    cells = [
        "class BadInput(ValueError): pass",
        *("".join(cell).replace("raise ValueError", "raise BadInput") for cell in solved),
    ]
    assert any("raise BadInput" in cell for cell in cells)
    graded = grade_cells(*cells)
    assert graded.earned == graded.points


def test_wide_signs_start_no_formula_either():
    for text in ("\uff1d1+1", "\uff0b1", "\uff0d1", "\uff201", " =1", "\u200b=1"):
        assert cell(text).startswith("'")
    row = grade_of(Graded("x", "=cmd|' /C calc'!A0", "", "", ()))
    for table in (
        grade_exports.canvas([row], example.bank),
        grade_exports.moodle([row], example.bank),
    ):
        assert not any(c.startswith("=") for r in csv.reader(io.StringIO(table)) for c in r)


def test_course_in_pythons_own_folder_is_not_shown(tmp_path, monkeypatch):
    """`python -m venv .` in the course's folder, and a course that was installed by pip."""
    (tmp_path / "lib" / "perfmodel").mkdir(parents=True)
    (tmp_path / "lib64").symlink_to("lib")
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    monkeypatch.setattr(sysconfig, "get_path", lambda name: str(tmp_path / "lib"))
    words, _ = command(Sandbox("bwrap"), 3, LIMITS)
    assert str(tmp_path / "lib") in words
    shown = [word for place, word in enumerate(words) if words[place - 2].startswith("--ro-bind")]
    assert not any((tmp_path / "solutions").is_relative_to(path) for path in shown)
    assert str(tmp_path / "lib64") not in shown, "a second way to what is hidden in lib"
    assert words[words.index(str(tmp_path / "lib" / "perfmodel")) - 1] == "--tmpfs"


SPIN = (
    "import os\n"
    "for _ in range(30):\n"
    "    if os.fork() == 0:\n"
    "        os.setsid()\n"
    "        while True: pass\n"
    "while True: pass"
)


WORK = "import time\nstart = time.process_time()\nwhile time.process_time() < start + 1: pass"


def test_many_busy_processes_take_no_time_from_a_neighbour(warm):
    """While another works for a second, 31 busy processes don't get a second each."""
    patient = Times(notebook=90, cell=90, call=3, whole=120)
    spin = {"op": "run", "cells": [SPIN], "parameters": {}, "withheld": [], "seconds": 90}
    root = warm.process.pid
    with warm.session(patient) as mallory, warm.session(patient) as ada:
        before = trees({root})[root].cpu
        mallory._channel.send(spin, time.monotonic() + 1)
        time.sleep(0.2)
        assert ada.run([WORK], {}) == [None]
        assert trees({root})[root].cpu - before < 20
