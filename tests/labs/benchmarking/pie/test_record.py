"""The recorder: commands are timed as often as asked for, and the kernels run."""

from __future__ import annotations

import shutil
import subprocess
import sys
from importlib.resources import files

import pytest

from perfmodel.labs.benchmarking.pie.record import KINDS, mean_time


def test_first_and_mean_are_those_of_the_runs(tmp_path) -> None:  # type: ignore[no-untyped-def]
    log = tmp_path / "log"
    command = [sys.executable, "-S", "-c", f"open({str(log)!r}, 'a').write('x')"]
    first, mean = mean_time(command, 3)
    assert log.read_text() == "xxx"
    assert 0 < mean < 30
    assert first <= 3 * mean


@pytest.mark.skipif(not shutil.which("cc"), reason="needs a C compiler")
def test_every_kernel_runs_and_knows_the_primes(tmp_path) -> None:  # type: ignore[no-untyped-def]
    program = tmp_path / "kernels"
    source = files("perfmodel.labs.benchmarking.pie") / "kernels.c"
    subprocess.run(["cc", "-O1", "-o", str(program), str(source)], check=True)
    said = [
        subprocess.run([program, str(kind), "1000"], capture_output=True, text=True, check=True)
        for kind in range(KINDS)
    ]
    answers = [int(run.stdout) for run in said]
    assert len(set(answers)) == KINDS
    assert answers[3] == 168, "primes up to 1,000, and 500 is none"
