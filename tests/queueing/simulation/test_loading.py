"""Machine code on disk: found again without the compiler, kept whole or not at all."""

import json
import subprocess
import sys

import numpy as np
import pytest

from perfmodel.queueing.simulation import loading
from perfmodel.queueing.simulation.core import advance
from perfmodel.queueing.simulation.state import Plan, State


def test_a_long_run_needs_no_compiler_once_its_code_is_kept():
    loading.loaded(advance, (Plan, State))
    assert loading.is_kept(advance)
    script = (
        "import sys, json\n"
        "from perfmodel.queueing.network.model import JobClass, Network, Station\n"
        "from perfmodel.queueing.simulation import loading, simulate\n"
        "simulate(Network([Station('s')], [JobClass('c', 0.5)], [1.0]), 60_000)\n"
        "print(json.dumps([loading.any_loaded(), 'numba' in sys.modules]))\n"
    )
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert json.loads(out.stdout) == [True, False]


def test_code_goes_to_the_first_folder_that_takes_it(tmp_path, monkeypatch):
    blocked, free = tmp_path / "file", tmp_path / "a" / "b"
    blocked.write_text("no folder")
    monkeypatch.setattr(loading, "FOLDERS", (blocked, free))
    assert loading.is_kept(advance) is None
    loading._keep(loading._file_name(advance), b"code")
    assert loading.is_kept(advance).read_bytes() == b"code"
    assert [p.name for p in free.iterdir()] == [loading._file_name(advance)]
    monkeypatch.setattr(loading, "FOLDERS", (blocked,))
    loading._keep("nowhere", b"code")


@pytest.mark.parametrize("array", [np.zeros((3, 2))[:, 0], np.zeros(3, dtype=np.float32)])
def test_fields_must_lie_as_the_code_expects_them(array):
    with pytest.raises(ValueError, match="contiguous array of 8-byte numbers"):
        list(loading._addresses(((array,),)))
