"""Fresh processes: results, threads and cores of the child, and everything that can go wrong."""

import math
import os
import pickle
import sys
import time

import numpy as np
import pytest

from perfmodel.measurement import child
from perfmodel.measurement.child import ProcessMeasurement, across_processes, run, start
from perfmodel.measurement.errors import ChildError, Unavailable
from perfmodel.measurement.simulated import SimulatedMachine
from perfmodel.measurement.timing import repeat

PINS = hasattr(os, "sched_setaffinity")


def test_the_result_comes_back_from_another_process():
    assert run(os.getpid) != os.getpid()


def test_threads_are_set_before_any_library_starts_them():
    result = run(os.getenv, "OPENBLAS_NUM_THREADS", threads=3)
    assert result == "3"


@pytest.mark.skipif(not PINS, reason="this system cannot pin a process to cores")
def test_the_child_is_pinned_and_the_parent_is_not_moved():
    before = os.sched_getaffinity(0)
    core = max(before)
    assert run(os.sched_getaffinity, 0, cores=[core]) == {core}
    assert os.sched_getaffinity(0) == before


def test_where_no_process_can_be_pinned_that_is_said(monkeypatch):
    monkeypatch.delattr(os, "sched_setaffinity", raising=False)
    result = start(math.sqrt, 4.0, cores=[0])
    assert result.value == 2
    assert result.cores is None
    assert result.unpinned == f"not pinned: {sys.platform} cannot pin a process to cores"
    with pytest.warns(UserWarning, match="not pinned"):
        assert run(math.sqrt, 9.0, cores=[0]) == 3


def test_what_is_printed_does_not_mix_with_the_result():
    assert run(print, "hello") is None


def test_errors_of_the_function_deaths_and_timeouts_are_told_apart():
    with pytest.raises(ChildError, match="math domain error|nonnegative"):
        run(math.sqrt, -1.0)
    with pytest.raises(ChildError, match="ended with status 7"):
        run(os._exit, 7)
    with pytest.raises(ChildError, match="did not end within 0.1 s"):
        run(time.sleep, 30, timeout=0.1)


def test_functions_that_cannot_be_sent_are_refused(monkeypatch):
    with pytest.raises(ValueError, match="must pickle"):
        run(lambda: 1)
    monkeypatch.setattr(repeat, "__module__", "__main__")
    with pytest.raises(ValueError, match="'repeat' of the running program"):
        run(repeat)


def test_cores_that_are_not_there_are_refused():
    for cores in ([], [10_000]):
        with pytest.raises(ValueError, match="cores must be one or more of"):
            run(math.sqrt, 1.0, cores=cores)


def test_processes_measure_one_after_another():
    result = across_processes(math.factorial, 300, processes=2, runs=8, seconds=0.01)
    assert [measurement.samples.size for measurement in result.measurements] == [8, 8]
    assert result.minimum == result.minima.min() <= result.median
    assert result.measurements[0].name == "factorial"
    assert "between 2 processes" in str(result)


def of_processes(factors, spread=0.01):
    measured = []
    for seed, factor in enumerate(factors):
        machine = SimulatedMachine(spread, seed=seed)
        measured.append(repeat(machine.job(float(factor)), 60, clock=machine.clock))
    return ProcessMeasurement(tuple(measured), None, 1, "", 0.95)


def test_the_interval_between_processes_sees_what_each_has_for_life():
    rng = np.random.default_rng(6)
    covered = narrow = 0
    for _ in range(25):
        result = of_processes(rng.lognormal(0, 0.1, 5))
        low, high = result.interval
        covered += low <= 1 <= high
        inner = result.measurements[0].interval
        narrow += inner[0] <= 1 <= inner[1]
    assert covered >= 21
    assert narrow <= 5


def test_interval_by_hand():
    # Logarithms -0.1, 0, 0.1: mean 0, standard error 0.1 / sqrt(3), t(2, 0.975) = 4.303.
    result = of_processes(np.exp([-0.1, 0, 0.1]), spread=0.0)
    reach = 4.303 * 0.1 / np.sqrt(3)
    assert result.median == pytest.approx(1)
    assert result.interval == pytest.approx((np.exp(-reach), np.exp(reach)), rel=1e-3)
    assert result.spread_between == pytest.approx(0.1)
    assert result.spread_within == 0


def test_errors_survive_the_way_between_processes():
    sent = pickle.loads(pickle.dumps(Unavailable("energy", "no counter", "estimate it")))
    assert str(sent) == "energy is unavailable: no counter; estimate it"
    assert child.THREAD_VARIABLES[0] == "OMP_NUM_THREADS"
