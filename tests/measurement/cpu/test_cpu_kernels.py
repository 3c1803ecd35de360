"""The kernels in machine code do exactly the work that is counted for them."""

import ctypes
import platform
import sys

import numpy as np
import pytest

from perfmodel.measurement.cpu import kernels, latency, llvm, peak, stream
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
    cycle = latency.Cycle(64 * 1024)
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
