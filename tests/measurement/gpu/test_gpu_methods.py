"""Methods of measuring on a simulated GPU: known times come out again."""

import ctypes
import dataclasses
import re
import shutil
import subprocess

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.measurement.errors import Unavailable
from perfmodel.measurement.gpu import bandwidth, launches, products, registers
from perfmodel.measurement.gpu.simulated import SimulatedGpu
from perfmodel.measurement.gpu.timing import LAUNCHES, MAX_COVER_LAUNCHES, UNCOVERED, Watch
from perfmodel.queueing.operational_analysis.sample_path import departures


def near(value):
    return pytest.approx(value, rel=1e-9)


@given(
    launch_time=st.floats(1e-6, 2e-5),
    duration=st.floats(2e-7, 1e-3),
    latency=st.floats(0, 1e-5),
    count=st.integers(1, LAUNCHES),
)
@settings(max_examples=50)
def test_kernels_are_timed_without_the_gaps_between_launches(launch_time, duration, latency, count):
    gpu = SimulatedGpu(launch_time, latency, least_duration=duration)
    assert Watch(gpu).seconds(gpu.empty_kernel, count) == pytest.approx(count * duration, rel=1e-6)


def test_without_cover_the_same_marks_show_the_launches():
    gpu = SimulatedGpu(launch_time=5e-6, least_duration=1e-6)
    first = gpu.record_event()
    for _ in range(100):
        gpu.empty_kernel()
    last = gpu.record_event()
    gpu.synchronize_event()
    assert gpu.elapsed_time(first, last) > 4.9 * 100 * 1e-6


def test_a_host_that_takes_part_ends_the_search_for_cover():
    gpu = SimulatedGpu(launch_time=1e-3, least_duration=1e-6)
    watch = Watch(gpu)
    assert watch.seconds(gpu.empty_kernel, 50) >= 40 * 1e-3
    assert watch._covers == MAX_COVER_LAUNCHES
    assert UNCOVERED in watch.runs("slow host", gpu.empty_kernel, 1, "launches", runs=2).note
    assert (
        Watch(fast := SimulatedGpu()).runs("null", fast.empty_kernel, 1, "launches", runs=2).note
        == ""
    )


def test_the_state_is_read_while_the_gpu_works():
    gpu = SimulatedGpu()
    watch = Watch(gpu, lambda: {"busy": float(gpu._free > gpu.now())})
    bandwidth.copy(watch, runs=2)
    assert watch.seen == {"busy": 1.0}


@pytest.mark.parametrize(("answer", "told"), [(2e-4, True), (2e-3, True), (0.1, False)])
def test_an_answer_that_outlasts_the_work_is_asked_for_again_or_dropped(answer, told):
    gpu, busy = SimulatedGpu(least_duration=10e-6), []

    def state():
        gpu._host += answer
        busy.append(gpu._free > gpu.now())
        return {"clock": 1e9}

    watch = Watch(gpu, state)
    watch.runs("null", gpu.empty_kernel, 1, "launches", runs=2)
    assert busy[-1] == told
    assert watch.seen == {"clock": 1e9} if told else np.isnan(watch.seen["clock"])


def test_warming_up_takes_its_time():
    gpu = SimulatedGpu()
    watch, began = Watch(gpu), gpu.now()
    watch.warm_up(0.5)
    assert 0.5 <= gpu.now() - began < 0.6


def test_memory_cache_and_link_are_found():
    gpu = SimulatedGpu(bandwidth=2e12, l2_cache=40 << 20, l2_bandwidth=6e12, pinned=50e9)
    watch = Watch(gpu)
    assert bandwidth.copy(watch, runs=3).best == near(2e12)
    assert bandwidth.triad(watch, runs=3).best == near(2e12)
    assert bandwidth.copy(watch, 10 << 20, runs=3).best == near(6e12)
    for way in bandwidth.DIRECTIONS:
        assert bandwidth.transfer(watch, way, True, runs=3).best == near(50e9)
        # Without cover, so the start of the first copy counts.
        pageable = bandwidth.transfer(watch, way, False, runs=3).best
        assert pageable == pytest.approx(8e9, rel=2e-3)


def test_arrays_fit_in_a_small_memory(monkeypatch):
    gpu = SimulatedGpu()
    small = gpu.about().__class__("small", 2, 1 << 30, None, "7.5", "simulation", "none")
    monkeypatch.setattr(gpu, "about", lambda: small)
    assert 3 * bandwidth.array_bytes(gpu) < 1 << 30


def test_noise_leaves_the_best_above_the_median():
    watch = Watch(SimulatedGpu(log_deviation=0.1))
    result = bandwidth.copy(watch, runs=40)
    assert result.best > result.median
    assert result.median == pytest.approx(2e12, rel=0.1)


@pytest.mark.parametrize("precision", SimulatedGpu.precisions)
def test_large_products_run_at_the_librarys_rate_and_thin_ones_at_the_memorys(precision):
    gpu = SimulatedGpu()
    watch = Watch(gpu)
    result = products.product(watch, (8192, 8192, 8192), precision, runs=3)
    assert result.best == near(gpu.products[precision])
    thin = products.product(watch, (8192, 1, 8192), precision, runs=3)
    moved = products.least_bytes(8192, 1, 8192, precision)
    assert thin.best == near(2 * 8192**2 / (moved / gpu.bandwidth))


@given(best=st.integers(11, 14), memory=st.sampled_from([1 << 30, 40 << 30]))
@settings(max_examples=10, deadline=None)
def test_the_products_size_is_the_one_that_suits_the_device(best, memory):
    """A device that is fastest at one size, whichever; sizes that don't fit are left alone."""
    gpu, asked = SimulatedGpu(), []
    about = gpu.about()
    gpu.about = lambda: dataclasses.replace(about, memory=memory)

    def product(c, a, b, precision):
        size = a.shape[0]
        asked.append(size)
        gpu._launch(2.0 * size**3 / 1e14 * (1 + abs(np.log2(size) - best)))

    gpu.product = product
    result = products.largest(Watch(gpu), "fp32", runs=2)
    most = max(asked)
    assert 4 * products.least_bytes(most, most, most, "fp32") <= memory
    assert result.name.startswith(f"fp32, {min(1 << best, most)} x")


def test_a_slow_device_is_not_asked_for_what_takes_it_seconds():
    gpu, asked = SimulatedGpu(products={"fp64": 1e11}), []
    real = gpu.product
    gpu.product = lambda c, a, b, p: asked.append(a.shape[0]) or real(c, a, b, p)
    assert products.largest(Watch(gpu), "fp64", runs=2).best == near(1e11)
    assert set(asked) == {2048}


def test_launches_are_found():
    gpu = SimulatedGpu(launch_time=4e-6, latency=3e-6, least_duration=2e-6)
    assert launches.launch_time(gpu, runs=3).shortest == near(4e-6)
    assert launches.round_trip(gpu, runs=3).shortest == near(9e-6)
    assert launches.null_duration(Watch(gpu), runs=3).shortest == pytest.approx(2e-6, rel=1e-6)


@given(duration=st.floats(1e-6, 1e-4), count=st.integers(2, 100))
def test_waits_in_the_queue_are_those_of_a_server_in_order(duration, count):
    gpu = SimulatedGpu(launch_time=5e-6, latency=0.0, least_duration=duration)
    result = launches.queue(gpu, gpu.empty_kernel, count)
    ready = result.launched + gpu.launch_time
    left = departures(ready, np.full(count, duration))
    expected = left - duration - ready
    assert result.waits == pytest.approx(expected - expected[0], abs=1e-12)
    assert result.total == pytest.approx(expected.sum(), abs=1e-9)


def test_a_full_queue_holds_the_host():
    gpu = SimulatedGpu(launch_time=1e-6, least_duration=1e-4, depth=10)
    result = launches.queue(gpu, gpu.empty_kernel, 50)
    assert result.waits.max() < 11 * 1e-4
    assert result.launched[-1] > 35 * 1e-4


def test_a_precision_without_arithmetic_has_no_peak():
    gpu = SimulatedGpu()
    with pytest.raises(Unavailable, match="the peak of bf16 is unavailable"):
        gpu.multiply_adds("bf16", 1)


class Driver:
    """Accepts a kernel and keeps what it was told; says `status` to the call named `fails`."""

    def __init__(self, fails="", status=209):
        self.fails, self.status, self.launched, self.source = fails, status, [], b""

    def cuModuleLoadData(self, module, source):  # noqa: N802
        self.source = source
        return self._said("cuModuleLoadData")

    def cuModuleGetFunction(self, function, module, name):  # noqa: N802
        assert f".entry {name.decode()}(".encode() in self.source
        return self._said("cuModuleGetFunction")

    def cuLaunchKernel(self, function, *told):  # noqa: N802
        *sizes, stream, arguments, extra = told
        kinds = (ctypes.c_uint64, ctypes.c_uint32, ctypes.c_uint32)
        values = [
            ctypes.cast(arguments[index], ctypes.POINTER(kind)).contents.value
            for index, kind in enumerate(kinds)
        ]
        self.launched.append((sizes, stream.value, values, extra))
        return self._said("cuLaunchKernel")

    def _said(self, name):
        return self.status if name == self.fails else 0


@pytest.mark.parametrize("precision", registers.PRECISIONS)
def test_every_chain_is_used_as_often_and_depends_only_on_itself(precision):
    text = registers.text(precision)
    name = re.escape(registers.PRECISIONS[precision].multiply_add)
    links = re.findall(rf"{name} (%a\d), (%a\d), %x, %y;", text)
    assert len(links) == registers.CHAINS * registers.UNROLL
    assert all(target == source for target, source in links)
    assert {target for target, _ in links} == {f"%a{k}" for k in range(registers.CHAINS)}
    stored = re.findall(r"st\.global\S+ \[%out\+\d+\], (%a\d);", text)
    assert len(stored) == registers.CHAINS


@pytest.mark.skipif(shutil.which("ptxas") is None, reason="ptxas is not installed")
@pytest.mark.parametrize("precision", registers.PRECISIONS)
def test_the_assembler_keeps_all_chains_in_registers(precision, tmp_path):
    file = tmp_path / "kernel.ptx"
    file.write_text(registers.text(precision))
    target = registers.PRECISIONS[precision].target.replace("70", "75")
    command = ["ptxas", "-v", f"-arch={target}", str(file), "-o", str(tmp_path / "kernel.cubin")]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stderr
    assert "0 bytes spill stores, 0 bytes spill loads" in said
    used = int(re.search(r"Used (\d+) registers", said).group(1))
    width = 2 if precision == "fp64" else 1
    # Two blocks of 1,024 threads find room among 65,536 registers, and no chain was merged away.
    assert registers.CHAINS * width <= used <= 32


def test_a_launch_fills_the_gpu_and_counts_its_operations():
    driver = Driver()
    loop = registers.Loop("fp16", 132, driver)
    flop = loop.launch(1000, 77)
    ((sizes, stream, values, extra),) = driver.launched
    assert sizes == [264, 1, 1, 1024, 1, 1, 0]
    assert (stream, values, extra) == (77, [0, 1000, 0], None)
    threads = sizes[0] * sizes[3]
    assert flop == threads * 1000 * driver.source.count(b"fma.rn.f16x2") * 2 * 2


@pytest.mark.parametrize("fails", ["cuModuleLoadData", "cuModuleGetFunction", "cuLaunchKernel"])
def test_a_driver_that_refuses_is_quoted(fails):
    with pytest.raises(Unavailable, match=f"the peak of bf16 .* {fails} .* says error 209"):
        registers.Loop("bf16", 4, Driver(fails)).launch(1, 0)


def test_a_missing_driver_is_said(monkeypatch):
    monkeypatch.setattr(registers, "DRIVER", "no-such-library.so")
    with pytest.raises(Unavailable, match="the GPU's driver is unavailable"):
        registers.Loop("fp32", 4)
