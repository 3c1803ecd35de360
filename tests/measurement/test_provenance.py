"""Child processes, provenance, the load of the machine, its energy and page cache."""

from __future__ import annotations

import json
import math
import os
import pickle
import sys
import time

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

from perfmodel.measurement import child, drop_pages, energy
from perfmodel.measurement.child import ProcessMeasurement, across_processes, run, start
from perfmodel.measurement.energy import Energy, GridIntensity, PowerModel, Rapl, measure_energy
from perfmodel.measurement.errors import ChildError, EnergyUnavailable, Unavailable
from perfmodel.measurement.load import cpu_quota, usable_cores
from perfmodel.measurement.provenance import (
    Cache,
    from_dict,
    host,
    provenance,
    record_table,
    recorded_origin,
    recorded_table,
)
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


def test_errors_survive_the_way_between_processes():
    sent = pickle.loads(pickle.dumps(Unavailable("energy", "no counter", "estimate it")))
    assert str(sent) == "energy is unavailable: no counter; estimate it"
    assert child.THREAD_VARIABLES[0] == "OMP_NUM_THREADS"


@pytest.fixture
def system(tmp_path):
    files = {
        "proc/cpuinfo": "model name\t: Example 9000\nflags\t\t: fpu sse hypervisor\n",
        "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "powersave\n",
        "sys/devices/system/cpu/cpu0/cache/index0/size": "32K\n",
        "sys/devices/system/cpu/cpu0/cache/index0/level": "1\n",
        "sys/devices/system/cpu/cpu0/cache/index0/type": "Data\n",
        "sys/devices/system/cpu/cpu0/cache/index0/shared_cpu_list": "0,4\n",
        "sys/devices/system/cpu/cpu0/cache/index3/size": "2M\n",
        "sys/devices/system/cpu/cpu0/cache/index3/level": "3\n",
        "sys/devices/system/cpu/cpu0/cache/index3/type": "Unified\n",
        "sys/devices/system/cpu/cpu0/cache/index3/shared_cpu_list": "0-3,8-11\n",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def test_a_system_is_read(system):
    result = host(system)
    assert result.processor == "Example 9000"
    assert result.governor == "powersave"
    assert result.virtual is True
    assert result.caches == (Cache(1, "Data", 32768, 2), Cache(3, "Unified", 2097152, 8))


def test_a_system_that_shows_nothing_is_unknown_and_no_error(tmp_path):
    result = host(tmp_path)
    assert result.governor == "unknown"
    assert result.caches == ()
    assert result.virtual is None
    assert result.processor


def test_it_survives_json():
    result = provenance()
    assert from_dict(json.loads(json.dumps(result.as_dict()))) == result
    assert result.date.endswith("+00:00")
    assert {"python", "numpy", "scipy", "perfmodel"} <= set(result.versions)


def test_a_field_too_many_or_too_few_is_an_error():
    data = provenance().as_dict()
    with pytest.raises(KeyError):
        from_dict({key: value for key, value in data.items() if key != "date"})
    with pytest.raises(TypeError):
        from_dict(data | {"host": data["host"] | {"colour": "red"}})


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Return the name of an empty package, another one for each test, and its folder."""
    (tmp_path / "__init__.py").write_text("", "utf-8")
    monkeypatch.syspath_prepend(tmp_path.parent)
    return tmp_path.name, tmp_path


def test_a_table_and_its_origin_are_read_back(package):
    name, folder = package
    table = pd.DataFrame({"who": ["a, b", "c"], "seconds": [1 / 3, float("nan")]}, index=[7, 8])
    record_table(table, folder / "times.csv", {"command": "run me"}, float_format="%.3g")
    assert (folder / "times.csv").read_bytes() == b'who,seconds\n"a, b",0.333\nc,\n'
    read = recorded_table(name, "times.csv")
    assert read["who"].tolist() == ["a, b", "c"]
    origin = recorded_origin(name, "times.csv")
    assert origin.pop("command") == "run me"
    assert from_dict(origin).host == host()


def test_a_table_that_is_changed_is_read_as_it_was(package):
    name, folder = package
    record_table(pd.DataFrame({"seconds": [1.0]}), folder / "alone.csv")
    changed = recorded_table(name, "alone.csv")
    changed["seconds"] = 2.0
    assert recorded_table(name, "alone.csv")["seconds"].tolist() == [1.0]
    assert set(recorded_origin(name, "alone.csv")) == {"host", "versions", "date"}
    with pytest.raises(FileNotFoundError):
        recorded_table(name, "none.csv")


def test_a_record_is_refused_before_anything_is_written(tmp_path):
    table = pd.DataFrame({"seconds": [1.0]})
    with pytest.raises(ValueError, match=r"path must end in \.csv, got '.*times'"):
        record_table(table, tmp_path / "times")
    with pytest.raises(ValueError, match="about must have none of host, versions, date, got date"):
        record_table(table, tmp_path / "times.csv", {"date": "today"})
    assert not list(tmp_path.iterdir())


def group(root, path, text, name="cpu.max"):
    """Write a file of a control group."""
    folder = root / "sys/fs/cgroup" / path
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text)


def process(root, text):
    """Write the process's groups."""
    (root / "proc/self").mkdir(parents=True)
    (root / "proc/self/cgroup").write_text(text)


def test_no_limit(tmp_path):
    assert cpu_quota(tmp_path) is None
    group(tmp_path, "", "max 100000\n")
    assert cpu_quota(tmp_path) is None


def test_quota_of_a_container(tmp_path):
    group(tmp_path, "", "150000 100000\n")
    assert cpu_quota(tmp_path) == pytest.approx(1.5)


def test_the_tightest_group_above_counts(tmp_path):
    process(tmp_path, "0::/user/job\n")
    group(tmp_path, "user", "200000 100000\n")
    group(tmp_path, "user/job", "max 100000\n")
    assert cpu_quota(tmp_path) == pytest.approx(2.0)
    group(tmp_path, "user/job", "50000 100000\n")
    assert cpu_quota(tmp_path) == pytest.approx(0.5)


def test_version_1(tmp_path):
    process(tmp_path, "3:cpu,cpuacct:/job\n")
    group(tmp_path, "cpu/job", "75000\n", "cpu.cfs_quota_us")
    group(tmp_path, "cpu/job", "100000\n", "cpu.cfs_period_us")
    assert cpu_quota(tmp_path) == pytest.approx(0.75)
    group(tmp_path, "cpu/job", "-1\n", "cpu.cfs_quota_us")
    assert cpu_quota(tmp_path) is None


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"pages" * 1000)
    return path


def test_all_pages_are_asked_for_after_they_were_written_out(file, monkeypatch):
    asked = []

    def advise(handle, offset, length, advice):
        same = os.path.sameopenfile(handle, kept.fileno())
        asked.append(("advise", same, offset, length, advice))

    monkeypatch.setattr(os, "POSIX_FADV_DONTNEED", 4, raising=False)
    monkeypatch.setattr(os, "posix_fadvise", advise, raising=False)
    monkeypatch.setattr(os, "fsync", lambda handle: asked.append("sync"))
    with open(file, "rb") as kept:
        assert drop_pages(file) is True
    assert asked == ["sync", ("advise", True, 0, 0, 4)]


def test_a_system_that_cannot_be_asked(file, monkeypatch):
    monkeypatch.delattr(os, "posix_fadvise", raising=False)
    assert drop_pages(file) is False


def test_the_file_stays_as_it_was(file):
    assert drop_pages(str(file)) is hasattr(os, "posix_fadvise")
    assert file.read_bytes() == b"pages" * 1000


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere"):
        drop_pages(tmp_path / "nowhere")


GRID = GridIntensity(400, "an example grid")


@pytest.fixture
def powercap(tmp_path):
    for name, label in (("intel-rapl:0", "package-0"), ("intel-rapl:0:0", "core")):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "name").write_text(f"{label}\n")
        (folder / "energy_uj").write_text("5000000\n")
        (folder / "max_energy_range_uj").write_text("262143328850\n")
    return tmp_path


def test_only_packages_are_counted(powercap, monkeypatch):
    monkeypatch.setattr(energy, "gpu_counters", tuple)
    assert [item.name for item in energy.energy_counters(powercap)] == ["RAPL package-0"]
    assert energy.energy_counters(powercap / "none") == ()


def test_a_counter_may_wrap_around(powercap):
    meter = Rapl(powercap / "intel-rapl:0")
    assert meter.read() == 5.0
    assert meter.between(5.0, 7.5) == 2.5
    assert meter.between(262143.0, 1.0) == pytest.approx(1.32885)


def test_joules_of_a_run(powercap):
    machine = SimulatedMachine(log_deviation=0.0)
    job, meter = machine.job(0.5), Rapl(powercap / "intel-rapl:0")

    def work():
        job()
        (meter.folder / "energy_uj").write_text(f"{5_000_000 + round(20e6 * machine.seconds)}")

    result = measure_energy(work, seconds=2, sources=[meter], clock=machine.clock)
    assert (result.joules, result.seconds, result.calls) == pytest.approx((40, 2, 4))
    assert result.power == pytest.approx(20)
    assert result.per(1e9) == pytest.approx(10e-9)
    assert not result.estimated
    assert str(result) == "40 J in 2 s, measured: RAPL package-0"


def test_an_estimate_says_so_and_is_never_used_unasked():
    machine = SimulatedMachine(log_deviation=0.0)
    job = machine.job(1.0)
    with pytest.raises(EnergyUnavailable, match="energy is unavailable: .* pass `estimate`"):
        measure_energy(job, sources=[], clock=machine.clock)
    model = PowerModel(10, 50, "data sheet")
    result = measure_energy(
        job, sources=[], estimate=model, clock=machine.clock, busy=lambda: 0.5 * machine.seconds
    )
    fraction = 0.5 / usable_cores()
    assert result.estimated
    assert result.power == pytest.approx(10 + 40 * fraction)
    assert str(result).count("estimate: data sheet")


def test_a_counter_goes_before_an_estimate(powercap):
    result = measure_energy(
        lambda: sum(range(1000)),
        seconds=0.001,
        estimate=PowerModel(1, 2, "guess"),
        sources=[Rapl(powercap / "intel-rapl:0")],
    )
    assert not result.estimated
    assert result.joules == 0


def test_carbon_by_hand():
    # 121 W for 1000 s is 33.61 Wh; 112 W for 700 s is 21.78 Wh; at 400 g/kWh 4.73 g lie between.
    fp32, mixed = Energy(121e3, 1000, "example"), Energy(112 * 700, 700, "example")
    assert 1e3 * fp32.carbon(GRID) == pytest.approx(13.44, abs=5e-3)
    assert 1e3 * (fp32.carbon(GRID) - mixed.carbon(GRID)) == pytest.approx(4.73, abs=5e-3)
    year = Energy(7 * 8760 * 3600, 8760 * 3600, "7 W for a year")
    assert year.carbon(GRID) == pytest.approx(24.5, abs=0.05)


@given(st.floats(1, 1e6), st.floats(0.1, 1000), st.floats(0.1, 10))
def test_carbon_is_linear(joules, grams, factor):
    base = Energy(joules, 1, "example").carbon(GridIntensity(grams, "example"))
    more = Energy(factor * joules, 1, "example").carbon(GridIntensity(grams, "example"))
    cleaner = Energy(joules, 1, "example").carbon(GridIntensity(factor * grams, "example"))
    assert math.isclose(more, factor * base)
    assert math.isclose(cleaner, factor * base)


def test_figures_without_a_source_are_refused():
    with pytest.raises(ValueError, match="source must say where"):
        GridIntensity(400, " ")
    with pytest.raises(ValueError, match="busy must be at least idle, 50 W, got 10 W"):
        PowerModel(50, 10, "example")
    assert issubclass(EnergyUnavailable, Unavailable)


def test_joules_and_seconds_are_of_the_same_stretch():
    """A counter that takes 10 ms to read, of a machine that draws 20 W all the time."""

    class Slow:
        name = "slow"

        def __init__(self, machine):
            self.machine = machine

        def read(self):
            self.machine.seconds += 0.005
            joules = 20 * self.machine.seconds
            self.machine.seconds += 0.005
            return joules

        def between(self, before, after):
            return after - before

    machine = SimulatedMachine(log_deviation=0.0)
    result = measure_energy(
        machine.job(0.001), seconds=0.002, sources=[Slow(machine)], clock=machine.clock
    )
    assert result.power == pytest.approx(20)
    assert result.seconds >= 100 * 0.01
    assert result.calls == pytest.approx(1000, abs=2)
