"""The suite and its command on a simulated GPU, and what they say where there is none."""

import math
import sys
from ctypes import ArgumentError
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from perfmodel import machines
from perfmodel.machines import MachineFigure
from perfmodel.measurement import child, cli, nvml
from perfmodel.measurement.errors import Unavailable
from perfmodel.measurement.gpu import battery, device, record, suite
from perfmodel.measurement.gpu.simulated import SimulatedGpu

RUN = suite.run


def processes(function, *arguments, cores, threads):
    """Answer for a child process on a machine with a simulated GPU."""
    gpu = SimulatedGpu()
    if function is battery.everything:
        value = battery.everything(*arguments, opened=lambda library: gpu)
    else:
        value = gpu.about()
    return child.Outcome(value, tuple(cores), threads, "")


@pytest.fixture(scope="module")
def measured():
    return RUN(asked=processes)


def test_the_suite_finds_the_figures(measured):
    result = {item.quantity: item for item in measured.summaries}
    gpu = SimulatedGpu()
    for quantity, truth in {
        "memory_bandwidth": gpu.bandwidth,
        "copy_bandwidth": gpu.bandwidth,
        "copy_in_l2_bandwidth": gpu.l2_bandwidth,
        "peak_fp32": gpu.peaks["fp32"],
        "gemm_bf16": gpu.products["bf16"],
        "library_launch_time": gpu.launch_time,
        "null_kernel_time": gpu.least_duration,
        "host_to_gpu_pinned": gpu.links["pinned"],
        "gpu_to_host_pageable": gpu.links["pageable"],
    }.items():
        assert result[quantity].best == pytest.approx(truth, rel=1e-3), quantity
        assert (result[quantity].processes, result[quantity].runs >= 60) == (3, True)
    assert [item.what for item in measured.unavailable] == ["the peak of bf16"]


def test_the_machine_is_a_gpu_that_labs_can_take(measured, monkeypatch, tmp_path):
    monkeypatch.setenv("PERFMODEL_MACHINES_DIR", str(tmp_path))
    machines.save(suite.as_machine(measured, "mine"))
    machine = machines.get("this-gpu")
    assert (machine.kind, machine.name, machine.compute_units) == ("gpu", "mine", 100)
    assert machine.peak("fp32") == pytest.approx(20e12, rel=1e-3)
    for precision in ("bf16", "fp16", "tf32"):
        assert machine.peak(precision) == machine.peak(precision, "matrix")
        assert machine.peak(precision) == machine.value(f"gemm_{precision}")
        assert "a lower bound" in machine.figure(f"peak_{precision}_matrix").note
    assert not machine.has("peak_fp64_matrix")
    assert machine.peak("fp64") == pytest.approx(10e12, rel=1e-3)
    bandwidth = machine.figure("memory_bandwidth")
    assert bandwidth.low <= bandwidth.value <= bandwidth.high
    assert "its dispatch included" in machine.figure("library_launch_time").note
    assert machine.memory_bandwidth == pytest.approx(2e12, rel=1e-3)
    assert "a library, not a peak" in machine.figure("gemm_bf16").note
    assert machines.this_machine().id == machines.EXAMPLE


def of(**values):
    return {
        name: MachineFigure(value, "FLOP/s", "measured", "a test", "2026", True)
        for name, value in values.items()
    }


def test_double_precision_on_matrix_units_passes_the_vector_units():
    result = suite.matrix_peaks(of(gemm_fp64=60e12, peak_fp64=34e12))
    assert result["peak_fp64_matrix"].value == 60e12
    assert suite.matrix_peaks(of(gemm_fp64=35e12, peak_fp64=34e12)) == {}


def test_half_precision_without_matrix_units_has_the_vector_units_peak():
    result = suite.matrix_peaks(
        of(gemm_fp16=9e12, vector_fp16=10e12, gemm_tf32=5e12, peak_fp32=6e12)
    )
    assert {name: item.value for name, item in result.items()} == {"peak_fp16": 10e12}
    assert "no faster product was seen" in result["peak_fp16"].note


def test_a_product_alone_speaks_for_matrix_units():
    assert list(suite.matrix_peaks(of(gemm_bf16=9e12))) == ["peak_bf16_matrix"]
    assert suite.matrix_peaks({}) == {}


@pytest.fixture
def command(monkeypatch, tmp_path):
    monkeypatch.setenv("PERFMODEL_MACHINES_DIR", str(tmp_path))
    return lambda *words: CliRunner().invoke(cli.main, words, catch_exceptions=False)


def test_the_command_prints_and_saves(command, measured, monkeypatch):
    monkeypatch.setattr(suite, "run", lambda library, report: measured)
    said = command("gpu", "--name", "my card").output
    for words in ("simulated GPU", "peak_fp32", "TFLOP/s", "3 x 20", "saved for the labs"):
        assert words in said
    assert "my card" in command("show", "this-gpu").output


def test_the_command_records(command, monkeypatch, tmp_path):
    monkeypatch.setattr(cli, "find_gpu", lambda library: SimulatedGpu())
    monkeypatch.setattr(
        record, "record", lambda gpu, folder, report: report("products", 1.0) or folder
    )
    assert f"recorded: {tmp_path}" in command("gpu", "--record", str(tmp_path)).output


def test_what_a_library_raises_takes_only_its_own_reading(monkeypatch):
    gpu = SimulatedGpu()

    def full(*given):
        raise MemoryError("CUDA out of memory\nTried to allocate")

    monkeypatch.setattr(gpu, "triad", full)
    result, _ = battery.everything(opened=lambda library: gpu)
    said = [item for item in result if isinstance(item, Unavailable)]
    assert [item.what for item in said] == ["memory", "the peak of bf16"]
    assert said[0].why == "CUDA out of memory"
    assert len(result) > 12


def without(monkeypatch, *names):
    real = device.importlib.util.find_spec
    monkeypatch.setattr(
        device.importlib.util, "find_spec", lambda name: None if name in names else real(name)
    )


def test_no_library_is_said_with_a_remedy(monkeypatch, command):
    without(monkeypatch, "torch", "cupy")
    with pytest.raises(Unavailable, match="torch is not installed and cupy is not installed; on"):
        device.find_gpu()
    (missing,), held = battery.everything()
    assert (missing.what, held) == ("a GPU", ())

    def here(function, *arguments, **how):
        return child.Outcome(function(*arguments), None, 1, "")

    monkeypatch.setattr(suite, "run", lambda library, report: RUN(library, report, asked=here))
    result = command("gpu")
    assert result.exit_code == 1
    for words in ("a GPU is unavailable", "SimulatedGpu"):
        assert words in result.output


class Nvml(SimpleNamespace):
    """The driver's bindings with two GPUs, the second too old to count energy."""

    NVML_CLOCK_SM, NVML_CLOCK_MEM, NVML_TEMPERATURE_GPU = 1, 2, 0

    class NVMLError(Exception):
        """What the bindings raise."""

    def nvmlInit(self):  # noqa: N802
        """Begin."""

    def nvmlDeviceGetCount(self):  # noqa: N802
        return 2

    def nvmlDeviceGetHandleByIndex(self, index):  # noqa: N802
        return index

    def nvmlDeviceGetHandleByPciBusId(self, pci):  # noqa: N802
        return {"00000000:1b:00.0": 0}[pci]

    def nvmlDeviceGetEnforcedPowerLimit(self, gpu):  # noqa: N802
        return 700_000

    def nvmlDeviceGetTotalEnergyConsumption(self, gpu):  # noqa: N802
        if gpu == 1:
            raise self.NVMLError("Not Supported")
        return 1500

    def nvmlDeviceGetClockInfo(self, gpu, kind):  # noqa: N802
        return {1: 1980, 2: 3201}[kind]

    def nvmlDeviceGetPowerUsage(self, gpu):  # noqa: N802
        raise self.NVMLError("Not Supported")

    def nvmlDeviceGetTemperature(self, gpu, sensor):  # noqa: N802
        return 45

    def nvmlDeviceGetCurrentClocksEventReasons(self, gpu):  # noqa: N802
        return 0x4

    def nvmlSystemGetDriverVersion(self):  # noqa: N802
        return "580.1"


def test_what_the_driver_says(monkeypatch):
    monkeypatch.setitem(sys.modules, "pynvml", Nvml())
    assert [(gpu.name, gpu.read()) for gpu in nvml.gpu_counters()] == [("NVML GPU 0", 1.5)]
    said = nvml.state()
    assert (said["sm_clock"], said["memory_clock"], said["temperature"]) == (1.98e9, 3.201e9, 45)
    assert math.isnan(said["power"])
    assert said["power_limit"] == 700
    assert nvml.state("00000000:1b:00.0")["sm_clock"] == 1.98e9
    assert nvml.reasons(said["reasons"]) == ("power cap",)
    assert nvml.driver() == "580.1"
    with pytest.raises(OSError, match="NVML refuses the energy counter of GPU 1: Not Supported"):
        nvml.NvmlCounter(Nvml(), 1, 1).read()
    held = RUN(asked=processes)
    assert held.throttle_reasons == ("power cap",)
    assert "clocks held back: power cap" in suite.as_machine(held).note


class OlderNvml(Nvml):
    """Bindings of before 2023: another name for the reasons, bytes for text, no energy."""

    def __getattribute__(self, name):
        if name in (
            "nvmlDeviceGetCurrentClocksEventReasons",
            "nvmlDeviceGetTotalEnergyConsumption",
        ):
            raise AttributeError(name)
        return super().__getattribute__(name)

    def nvmlDeviceGetCurrentClocksThrottleReasons(self, gpu):  # noqa: N802
        return 0x20

    def nvmlDeviceGetHandleByPciBusId(self, pci):  # noqa: N802
        if isinstance(pci, str):
            raise ArgumentError("wrong type")
        return {b"00000000:1b:00.0": 0}[pci]

    def nvmlSystemGetDriverVersion(self):  # noqa: N802
        return b"470.1"


def test_older_bindings_say_what_they_can(monkeypatch):
    monkeypatch.setitem(sys.modules, "pynvml", OlderNvml())
    said = nvml.state("00000000:1b:00.0")
    assert (said["sm_clock"], nvml.reasons(said["reasons"])) == (1.98e9, ("heat, by software",))
    assert nvml.gpu_counters() == ()
    assert nvml.driver() == "470.1"
    assert RUN(asked=processes).throttle_reasons == ("heat, by software",)


def test_a_driver_older_than_its_bindings_is_asked_by_the_older_name(monkeypatch):
    class Mixed(OlderNvml):
        def __getattribute__(self, name):
            if name == "nvmlDeviceGetCurrentClocksEventReasons":
                return self.missing
            return super().__getattribute__(name)

        def missing(self, gpu):
            raise self.NVMLError("Function Not Found")

    monkeypatch.setitem(sys.modules, "pynvml", Mixed())
    assert nvml.state()["reasons"] == 0x20


def test_bindings_that_lack_all_of_it_end_nothing(monkeypatch):
    class Bare(Nvml):
        def __getattribute__(self, name):
            if name.startswith("nvmlDeviceGet") and "Count" not in name:
                raise AttributeError(name)
            return super().__getattribute__(name)

    monkeypatch.setitem(sys.modules, "pynvml", Bare())
    assert all(math.isnan(value) for value in nvml.state().values())
    result = RUN(asked=processes)
    assert (result.throttle_reasons, len(result.summaries) > 10) == ((), True)


def test_without_bindings_or_driver_nothing_is_said(monkeypatch):
    class Absent(Nvml):
        def nvmlInit(self):  # noqa: N802
            raise self.NVMLError("Driver Not Loaded")

    for module in (None, Absent()):
        monkeypatch.setitem(sys.modules, "pynvml", module)
        assert nvml.gpu_counters() == ()
        assert all(math.isnan(value) for value in nvml.state().values())
        assert nvml.reasons(nvml.state()["reasons"]) == ()
        assert nvml.driver() == ""
