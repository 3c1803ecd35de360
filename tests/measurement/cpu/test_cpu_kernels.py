"""Compiled loops, their peak and bandwidth, and matrix products by BLAS."""

import ctypes
import platform
import sys

import numpy as np
import pandas as pd
import pytest

from perfmodel.measurement.cpu import blas, kernels, latency, llvm, peak, stream
from perfmodel.measurement.cpu.caches import CacheLevel, Hierarchy
from perfmodel.measurement.cpu.pinned_threads import PinnedThreads, usable_threads
from perfmodel.measurement.errors import Unavailable


def every_variant():
    return peak.variants()


@pytest.mark.parametrize("variant", every_variant(), ids=lambda one: one.name)
def test_every_counted_operation_is_done(variant):
    kernel = peak.MultiplyAdds(variant)
    chains, lanes = kernel.accumulators, variant.lanes
    turns = 1000
    grown = kernel(turns, 1.0, 1.0) - lanes * sum(range(chains))
    assert 2 * grown == turns * kernel.flops_per_turn


def test_the_recurrence_is_multiply_then_add():
    kernel = peak.MultiplyAdds(peak.widest("fp64"))
    starts = np.arange(kernel.accumulators, dtype=float)
    expected = kernel.variant.lanes * ((starts * 3 + 5) * 3 + 5).sum()
    assert kernel(2, 3.0, 5.0) == expected


@pytest.mark.skipif(platform.machine() != "x86_64", reason="reads x86 instructions")
@pytest.mark.parametrize("precision", ["fp32", "fp64"])
def test_the_loop_is_nothing_but_multiply_adds_on_registers(precision):
    kernel = peak.MultiplyAdds(peak.widest(precision))
    lines = llvm.disassembly(kernel.text).splitlines()
    fused = [line for line in lines if "vfmadd" in line]
    if not kernel.variant.fused:
        pytest.skip("no fused multiply-add here")
    assert len(fused) == kernel.accumulators
    assert not any("(%r" in line for line in fused), "an operand comes from memory"
    register = {512: "%zmm", 256: "%ymm", 128: "%xmm"}[kernel.variant.vector_bits]
    assert all(register in line for line in fused)


def test_separate_multiply_and_add_are_not_fused():
    text = kernels.multiply_add(64, 128, 4, fused=False)
    assert "llvm.fma.v2f64(<2 x double> %a" not in text
    if platform.machine() == "x86_64":
        assert "fmadd" not in llvm.disassembly(text)


def test_variants_are_named_and_counted():
    assert peak.Variant("fp32", 512, True).lanes == 16
    assert peak.Variant("fp64", 0, True).lanes == 1
    with pytest.raises(ValueError, match="precisions must be among fp32, fp64, got 'fp16'"):
        peak.variants(["fp16"])


def test_the_widest_variant_is_fused_where_there_is_fma():
    here = llvm.isa()
    best = peak.widest("fp64")
    assert (best.vector_bits, best.fused) == (here.vector_bits[-1], here.fma)


def test_features_choose_width_registers_and_fma():
    assert llvm.x86_isa({"avx": True}) == llvm.Isa("AVX", (0, 128, 256), 16, False)
    wide = llvm.x86_isa({"avx512f": True, "avx": True, "fma": True})
    assert wide == llvm.Isa("AVX-512", (0, 128, 256, 512), 32, True)
    assert llvm.x86_isa({}).name == "SSE2"


def test_a_machine_without_fma_has_only_separate_variants(monkeypatch):
    monkeypatch.setattr(llvm, "isa", lambda: llvm.Isa("SSE2", (0, 128), 16, False))
    assert not any(variant.fused for variant in peak.variants())


def test_arm_has_neon(monkeypatch):
    monkeypatch.setattr(llvm.platform, "machine", lambda: "arm64")
    assert llvm.isa() == llvm.Isa("NEON", (0, 128), 32, True)


def test_an_unknown_processor_is_an_error_with_a_remedy(monkeypatch):
    monkeypatch.setattr(llvm.platform, "machine", lambda: "riscv64")
    with pytest.raises(Unavailable, match="riscv64.*use an x86-64"):
        llvm.isa()


def test_missing_llvmlite_is_an_error_with_a_remedy(monkeypatch):
    monkeypatch.setitem(sys.modules, "llvmlite.binding", None)
    llvm.binding.cache_clear()
    with pytest.raises(Unavailable, match="pip install llvmlite"):
        peak.widest("fp64")
    with pytest.raises(Unavailable, match="pip install llvmlite"):
        latency.walker()


def test_features_that_cannot_be_told_are_none(monkeypatch):
    class Mute:
        def get_host_cpu_features(self):
            raise RuntimeError("not here")

    monkeypatch.setattr(llvm, "binding", Mute)
    assert llvm.host_features() == {}


def test_the_walk_takes_sixteen_steps_a_turn():
    cycle = latency.PointerCycle(64 * 1024)
    visited = cycle.lines()
    index = latency.walker()(cycle.start, 3)
    assert (index - cycle.base) // cycle.line == visited[3 * kernels.CHASE_UNROLL]


@pytest.mark.parametrize("bits", llvm.isa().vector_bits[1:])
def test_reading_sees_every_word(bits):
    words = 4 * kernels.STREAM_UNROLL * bits // 64
    number = ctypes.c_uint64
    run = llvm.assembled(kernels.read(bits), "kernel", number, (number, number, number))
    for index in range(words):
        data = np.zeros(words, dtype=np.uint64)
        data[index] = 1 << (index % 64)
        assert run(data.ctypes.data, 4 * kernels.STREAM_UNROLL, 2) == 1 << (index % 64)


def test_reading_stops_at_the_end():
    bits = llvm.isa().vector_bits[-1]
    vectors = 2 * kernels.STREAM_UNROLL
    number = ctypes.c_uint64
    data = np.zeros(vectors * bits // 64 + 1, dtype=np.uint64)
    data[-1] = 1
    run = llvm.assembled(kernels.read(bits), "kernel", number, (number, number, number))
    assert run(data.ctypes.data, vectors, 1) == 0


@pytest.mark.parametrize("hint", [False, True])
@pytest.mark.parametrize(("bits", "dtype"), [(32, np.float32), (64, np.float64)])
def test_triad_writes_every_element_and_none_beside(bits, dtype, hint):
    width = llvm.isa().vector_bits[-1]
    vectors = 2 * kernels.STREAM_UNROLL
    count = vectors * width // bits
    raw = [np.zeros(count + 64, dtype) for _ in range(3)]
    a, b, c = (item[(-item.ctypes.data % 64) // (bits // 8) :] for item in raw)
    b[:count], c[:count] = np.arange(count), 2
    pointer, number = ctypes.c_void_p, ctypes.c_uint64
    run = llvm.assembled(
        kernels.triad(bits, width, hint), "kernel", None, (pointer,) * 3 + (number,) * 2
    )
    run(a.ctypes.data, b.ctypes.data, c.ctypes.data, vectors, 2)
    np.testing.assert_array_equal(a[:count], np.arange(count) + 6)
    assert not a[count:].any()


@pytest.mark.skipif(platform.machine() != "x86_64", reason="reads x86 instructions")
def test_only_the_non_temporal_triad_goes_round_the_caches():
    width = llvm.isa().vector_bits[-1]
    assert "movnt" in llvm.disassembly(kernels.triad(64, width, True))
    assert "movnt" not in llvm.disassembly(kernels.triad(64, width, False))
    assert stream.non_temporal_triad().moved == stream.non_temporal_triad().counted == 24


@pytest.fixture
def simulated(monkeypatch):
    """Turns and seconds of runs that were never made, with the length that was asked for."""
    asked = []

    def short_runs(team, task, seconds, runs):
        task(0, 3)
        asked.append((seconds, runs))
        return 1000, np.array([4e-6, 2e-6, 5e-6])

    monkeypatch.setattr(PinnedThreads, "short_runs", short_runs)
    return asked


def test_a_run_counts_the_operations_of_all_threads(simulated):
    members = usable_threads()[:2]
    variant = peak.widest("fp64")
    with PinnedThreads(members) as team:
        result = peak.measure_peak(variant, team, runs=3, seconds=2e-4)
    per_turn = peak.MultiplyAdds(variant).flops_per_turn
    assert (result.unit, result.threads) == ("FLOP", len(members))
    assert result.work == 1000 * per_turn * len(members)
    assert result.best == pytest.approx(result.work / 2e-6)
    assert result.median == pytest.approx(result.work / 4e-6)


def test_runs_of_several_threads_are_longer(simulated):
    with PinnedThreads(1) as team:
        peak.measure_peak(peak.widest("fp64"), team, runs=3, seconds=2e-4)
    assert simulated[0] == (2e-4, 3)
    team = type("Two", (list,), {"short_runs": PinnedThreads.short_runs, "pinned": False})([0, 1])
    peak.measure_peak(peak.widest("fp64"), team, runs=3, seconds=2e-4)
    assert simulated[1] == (8e-4, 3)


def test_wider_registers_do_more_at_a_time(simulated):
    scalar, fast = peak.Variant("fp64", 0, peak.widest("fp64").fused), peak.widest("fp64")
    with PinnedThreads(1) as team:
        rates = [peak.measure_peak(item, team).best for item in (scalar, fast)]
    assert rates[1] / rates[0] == pytest.approx(fast.lanes)


def test_a_variant_without_fma_is_labelled(simulated):
    with PinnedThreads(1) as team:
        result = peak.measure_peak(peak.Variant("fp32", 0, False), team, runs=2)
    assert result.note == "multiply and add as two instructions"


L3 = Hierarchy((CacheLevel(1, 32 << 10, 1), CacheLevel(3, 30 << 20, 4)), 64, "sysfs")


@pytest.fixture
def no_numba(monkeypatch):
    monkeypatch.delitem(sys.modules, "perfmodel.measurement.cpu.stream_kernels", raising=False)
    monkeypatch.delattr("perfmodel.measurement.cpu.stream_kernels", raising=False)
    monkeypatch.setitem(sys.modules, "numba", None)


def after_all(kernels):
    """Run copy, scale, add, triad once on small arrays."""
    with PinnedThreads(1) as team:
        arrays = stream.StreamArrays(team, 8192)
        for kernel in kernels.values():
            kernel.loop(arrays.a, arrays.b, arrays.c)
    return arrays


def check(arrays):
    """c = a = 1; b = 3 c = 3; c = a + b = 4; a = b + 3 c = 15."""
    assert set(arrays.a) == {15.0}
    assert set(arrays.b) == {3.0}
    assert set(arrays.c) == {4.0}


def test_loops_compute_stream():
    kernels = stream.stream_loops()
    assert list(kernels) == ["copy", "scale", "add", "triad"]
    assert {kernel.implementation for kernel in kernels.values()} == {"numba"}
    check(after_all(kernels))


def test_without_numba_numpy_computes_the_same_and_says_so(no_numba):
    kernels = stream.stream_loops()
    assert {kernel.implementation for kernel in kernels.values()} == {"numpy"}
    check(after_all(kernels))
    triad = kernels["triad"]
    assert (triad.counted, triad.moved) == (40, 48)
    assert "numba is missing" in triad.note
    assert "48 moved" in triad.note
    for kernel in (kernels[name] for name in ("copy", "scale", "add")):
        named = sum(kernel.formula.count(array) for array in "abc")
        assert (kernel.counted, kernel.moved) == (8 * named, 8 * (named + 1))


def test_counted_and_moved_bytes():
    kernels = stream.stream_loops()
    assert {name: (k.counted, k.moved) for name, k in kernels.items()} == {
        "copy": (16, 24),
        "scale": (16, 24),
        "add": (24, 32),
        "triad": (24, 32),
    }


def test_non_temporal_triad_computes_the_triad():
    kernel = stream.non_temporal_triad()
    with PinnedThreads(1) as team:
        arrays = stream.StreamArrays(team, 8192)
    kernel.loop(arrays.a, arrays.b, arrays.c)
    assert set(arrays.a) == {2.0}
    arrays.c[:] = np.arange(arrays.c.size)
    kernel.loop(arrays.a, arrays.b, arrays.c)
    np.testing.assert_array_equal(arrays.a, 2 + 3 * np.arange(arrays.c.size))


def test_arrays_are_aligned_and_parted_for_every_member():
    with PinnedThreads(usable_threads()[:2]) as team:
        arrays = stream.StreamArrays(team, 100_000)
    assert all(item.ctypes.data % 64 == 0 for item in (arrays.a, arrays.b, arrays.c))
    parts = [arrays.of(member)[0] for member in range(len(team))]
    assert all(part.size % stream.UNIT == 0 and part.ctypes.data % 64 == 0 for part in parts)
    assert sum(part.size for part in parts) == arrays.a.size >= 100_000 / 8
    assert set(arrays.a) == {1.0}
    assert set(arrays.b) == {2.0}
    assert set(arrays.c) == {0.0}


def test_a_run_counts_the_bytes_of_one_pass():
    kernel = stream.stream_loops()["triad"]
    with PinnedThreads(1) as team:
        arrays = stream.StreamArrays(team, 1 << 16)
        result = stream.measure_bandwidth(kernel, arrays, runs=4, note="small")
    assert result.work == 24 * arrays.a.size
    assert (result.unit, result.seconds.size, result.note) == ("bytes", 4, "small")
    assert set(arrays.a) == {2.0}


def test_pieces_are_equal_and_follow_one_another():
    with PinnedThreads(usable_threads()[:2]) as team:
        arrays = stream.StreamArrays(team, 1 << 20)
        result = arrays.pieces(5)
    assert len(result) == 5
    assert {part[0].size for piece in result for part in piece} == {result[0][0][0].size}
    assert result[0][0][0].size % stream.UNIT == 0
    for member in range(len(team)):
        starts = [piece[member][0].ctypes.data for piece in result]
        assert set(np.diff(starts)) == {result[0][0][0].nbytes}
        assert starts[0] == arrays.of(member)[0].ctypes.data


def test_a_run_of_a_piece_counts_its_bytes_and_the_next_one_goes_on():
    kernel = stream.stream_loops()["triad"]
    with PinnedThreads(1) as team:
        arrays = stream.StreamArrays(team, 1 << 17)
        result = stream.measure_bandwidth(kernel, arrays, runs=3, pieces=8)
    assert result.work == 24 * arrays.a.size / 8
    done = 5 * arrays.a.size // 8
    assert set(arrays.a[:done]) == {2.0}, "two runs to warm up and three"
    assert set(arrays.a[done:]) == {1.0}


def test_the_same_memory_is_cut_for_another_team():
    with PinnedThreads(usable_threads()[:2]) as two, PinnedThreads(1) as one:
        arrays = stream.StreamArrays(two, 1 << 17)
        alone = arrays.cut_for(one)
    assert (
        alone.of(0)[0].size == arrays.a.size == sum(arrays.of(m)[0].size for m in range(len(two)))
    )
    assert np.shares_memory(alone.a, arrays.a)


def test_array_sizes_come_from_the_caches():
    assert stream.array_bytes(L3, 1, None) == (40 << 20, "")
    assert stream.array_bytes(L3, 1, None, strict=True) == (120 << 20, "")
    two = stream.array_bytes(L3, 8, None)[0]
    assert 0 <= two - (80 << 20) < 8 * stream.UNIT * 8


def test_little_memory_and_assumed_caches_are_said():
    size, note = stream.array_bytes(L3, 1, 64 << 20)
    assert 3 * size <= (16 << 20) + 3 * 8 * stream.UNIT
    assert "too little memory" in note
    guessed = Hierarchy(L3.levels, 64, "assumed")
    assert stream.array_bytes(guessed, 1, None)[1] == "cache sizes are assumed, not known"


def test_operations_and_bytes_of_a_product():
    assert blas.flops(3, 5, 7) == 210
    assert blas.least_bytes(3, 5, 7, "fp32") == 4 * (21 + 35 + 15)
    assert blas.least_bytes(3, 5, 7, "fp64") == 8 * (21 + 35 + 15)


def test_a_run_counts_whole_products():
    result = blas.measure_gemm((24, 16, 8), "fp32", runs=3, seconds=1e-4)
    assert result.unit == "FLOP"
    assert result.work % blas.flops(24, 16, 8) == 0
    assert result.seconds.size == 3
    assert "not a peak" in result.note


def test_shapes_differ_and_stay_in_range():
    result = blas.shapes(800, low=16, high=512)
    assert len(set(result)) == 800
    sizes = np.array(result)
    assert sizes.min() >= 16
    assert sizes.max() <= 512
    assert (sizes[:, 0] == sizes[:, 1]).mean() > 0.15, "some are square"
    assert (sizes % 16 == 0).all(axis=1).mean() > 0.15, "some are multiples of 16"
    assert (sizes % 16 != 0).any(axis=1).mean() > 0.4, "many are not"
    assert result != blas.shapes(800, low=16, high=512, seed=2)


def test_more_shapes_than_there_are_is_an_error():
    with pytest.raises(ValueError, match="count must be fewer"):
        blas.shapes(100, low=1, high=2)


def test_a_sweep_can_be_saved_and_read_again(tmp_path):
    frame = blas.sweep([(8, 8, 8), (5, 6, 7)], threads=(1,), runs=2, seconds=1e-5)
    assert list(frame["precision"]) == ["fp32", "fp64"] * 2
    assert list(frame["flop"]) == [1024, 1024, 420, 420]
    assert (frame["best_seconds"] <= frame["median_seconds"]).all()
    blas.save(frame, tmp_path / "sweep")
    again = blas.load(tmp_path / "sweep")
    pd.testing.assert_frame_equal(again, frame)
    assert again.attrs["library"]["name"] == blas.library().name
    assert again.attrs["provenance"]["host"]["processor"]


def test_a_sweep_without_its_origin_is_not_saved(tmp_path):
    with pytest.raises(ValueError, match="frame must carry library and provenance"):
        blas.save(pd.DataFrame({"m": [1]}), tmp_path / "sweep")
    assert not list(tmp_path.iterdir())


def test_numpys_own_library_is_named(monkeypatch):
    infos = [
        {"user_api": "openmp", "internal_api": "openmp", "num_threads": 8},
        {"user_api": "blas", "internal_api": "openblas", "filepath": "/x/scipy/a.so",
         "version": "1", "architecture": "Zen", "num_threads": 8},
        {"user_api": "blas", "internal_api": "mkl", "filepath": "/x/numpy/b.so",
         "version": None, "num_threads": 4},
    ]  # fmt: skip
    monkeypatch.setattr(blas.threadpoolctl, "threadpool_info", lambda: infos)
    assert blas.library() == blas.Library("mkl", "unknown", "unknown", 4, "threadpoolctl")


def test_a_library_that_cannot_be_seen_is_labelled(monkeypatch):
    monkeypatch.setattr(blas.threadpoolctl, "threadpool_info", list)
    built = {"Build Dependencies": {"blas": {"name": "accelerate", "version": "1"}}}
    monkeypatch.setattr(blas.np, "show_config", lambda mode: built)
    assert blas.library() == blas.Library("accelerate", "1", "unknown", None, "numpy")
    monkeypatch.setattr(blas.np, "show_config", lambda mode: {})
    assert blas.library().name == "unknown"
