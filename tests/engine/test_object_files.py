"""Machine code on disk: found again without the compiler, kept whole or not at all."""

import json
import subprocess
import sys

import numpy as np
import pytest

from perfmodel.engine import object_files
from perfmodel.queueing.simulation.core import LOOPS
from perfmodel.queueing.simulation.selection import scan
from perfmodel.queueing.simulation.state import CHAIN, GENERAL

LOOP = LOOPS[CHAIN]


def test_a_long_run_needs_neither_compiler_nor_scipy_once_its_code_is_kept():
    object_files.loaded(LOOP)
    object_files.loaded(scan)
    assert object_files.is_kept(LOOP)
    script = (
        "import sys, json\n"
        "from perfmodel.queueing.network.model import JobClass, Network, Station\n"
        "from perfmodel.engine import object_files\n"
        "from perfmodel.queueing.simulation import simulate\n"
        "from perfmodel.queueing.simulation.core import LOOPS\n"
        "simulate(Network([Station('s')], [JobClass('c', 0.5)], [1.0]), 60_000)\n"
        "ready = [loop for loop in LOOPS if object_files.is_loaded(LOOPS[loop])]\n"
        "print(json.dumps([ready, 'numba' in sys.modules, 'scipy' in sys.modules]))\n"
    )
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert json.loads(out.stdout) == [[CHAIN], False, False]


def test_a_short_run_waits_for_no_compiler_because_another_loop_is_loaded(monkeypatch):
    object_files.loaded(LOOP)
    monkeypatch.delitem(object_files._LOADED, LOOPS[GENERAL], raising=False)
    assert not object_files.is_worth_compiling(LOOPS[GENERAL], 1000, 50_000)
    assert object_files.is_worth_compiling(LOOP, 1000, 50_000)


def test_code_goes_to_the_first_folder_that_takes_it(tmp_path, monkeypatch):
    blocked, free = tmp_path / "file", tmp_path / "a" / "b"
    blocked.write_text("no folder")
    monkeypatch.setattr(object_files, "FOLDERS", (blocked, free))
    assert object_files.is_kept(LOOP) is None
    object_files._keep(object_files._file_name(LOOP), b"code")
    assert object_files.is_kept(LOOP).read_bytes() == b"code"
    assert [p.name for p in free.iterdir()] == [object_files._file_name(LOOP)]
    monkeypatch.setattr(object_files, "FOLDERS", (blocked,))
    object_files._keep("nowhere", b"code")


@pytest.mark.parametrize("array", [np.zeros((3, 2))[:, 0], np.zeros(3, dtype=np.float32)])
def test_fields_must_lie_as_the_code_expects_them(array):
    with pytest.raises(ValueError, match="contiguous array of 8-byte numbers"):
        list(object_files._words(((array,),)))
