"""The roof of the reader's core: its peak, ceilings, and what is known from before."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import NamedTuple

import numba
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.labs.roofline.your_roofline import core, kernels as your_kernels, trials
from perfmodel.labs.roofline.your_roofline.core import Core
from perfmodel.labs.roofline.your_roofline.trials import leave_one_out
from perfmodel.machines import MachineFigure, measured_machine
from perfmodel.measurement.cpu import caches, peak, stream_kernels
from perfmodel.measurement.cpu.pinned_threads import PinnedThreads
from perfmodel.roofline.cache_levels import MemoryLevel
from perfmodel.roofline.model import Ceiling, Kernel, Roofline
from perfmodel.roofline.plot import MeasuredKernel, roofline_plot

CORE = core.Core(
    6e10,
    1.5e10,
    (Ceiling("without FMA", 3e10, "compute"), Ceiling("without SIMD", 1.5e10, "compute")),
    (MemoryLevel("L1", 3e11, 16384.0), MemoryLevel("memory", 1.2e10, 1e8)),
    2,
    1.1e11,
    2e10,
)


def test_a_peak_is_clock_times_lanes_times_pipes_times_two():
    assert core.in_core_peak(2.5e9, 8, 2) == 2.5e9 * 8 * 2 * 2
    np.testing.assert_allclose(core.in_core_peak(1e9, [1, 4], 1, fused=False), [1e9, 4e9])


class Best(NamedTuple):
    """A measurement as far as a core needs it."""

    best: float


def test_a_core_is_put_together_from_its_measurements(monkeypatch):
    variants = peak.variants(["fp64"])
    rate = {variant: 1e9 * (1 + place) for place, variant in enumerate(variants)}
    monkeypatch.setattr(
        core.peak, "measure_peak", lambda variant, team, runs: Best(rate[variant] * len(team))
    )
    monkeypatch.setattr(
        core.latency,
        "measure_read_bandwidth",
        lambda size, team, runs: Best(1e16 / size * len(team)),
    )
    monkeypatch.setattr(core, "_moved", lambda team, size, runs: 1.0)
    monkeypatch.setattr(core, "usable_threads", lambda: [0, 1])
    small = caches.Hierarchy((caches.CacheLevel(1, 32 << 10, 1),), 64, "sysfs")
    made = core.measure_core(small, runs=3)
    assert [level.name for level in made.levels] == ["L1", "memory"]
    size = core.data_bytes(small)
    assert made.levels[1].bandwidth == made.bandwidth == 1e16 / size
    assert made.peak == rate[peak.widest("fp64")]
    assert (made.cores, made.all_peak) == (2, 2 * made.peak)
    assert made.all_bandwidth == 1e16 / (size // 2) * 2


def test_ceilings_above_a_roof_are_left_out_and_all_cores_are_never_less_than_one():
    odd = replace(CORE, peak=2e10, all_peak=1e10, all_bandwidth=1e9)
    assert [c.name for c in odd.roof.ceilings] == ["without SIMD"]
    assert (odd.all_roof.peak, odd.all_roof.bandwidth) == (2e10, 1.5e10)


def test_ceilings_that_a_drawing_cannot_tell_apart_are_drawn_once():
    named = {"without FMA": 99.0, "without SIMD": 20.0, "without both": 19.5}
    held = tuple(Ceiling(name, value, "compute") for name, value in named.items())
    assert [c.name for c in replace(CORE, peak=100.0, ceilings=held).roof.ceilings] == [
        "without SIMD"
    ]


def test_ceilings_have_their_variants_rates():
    widest = peak.Variant("fp64", 256, True)
    scalar = replace(widest, vector_bits=0)
    rates = {widest: 8.0, replace(widest, fused=False): 4.0, scalar: 2.0}
    rates[replace(scalar, fused=False)] = 1.0
    ceilings = {c.name: c.value for c in core._ceilings(rates, widest)}
    assert ceilings == {"without FMA": 4.0, "without SIMD": 2.0, "without both": 1.0}
    plain = peak.Variant("fp64", 128, False)
    rates = {plain: 2.0, replace(plain, vector_bits=0): 1.0}
    assert [c.name for c in core._ceilings(rates, plain)] == ["without SIMD"]


def test_a_saved_machine_raises_roofs_and_never_lowers_them():
    def figure(value, unit):
        return MachineFigure(value, unit, "measured", "suite", "2026-11-21", True)

    saved = measured_machine(
        {
            "peak_fp64": 1e11,
            "memory_bandwidth": 1.8e10,
            "peak_fp64_one_core": figure(7e10, "FLOP/s"),
        },
        name="mine",
        source="suite",
    )
    higher = core.raised(CORE, saved)
    assert (higher.peak, higher.all_peak, higher.bandwidth) == (7e10, 1.1e11, 1.5e10)
    assert higher.all_bandwidth == pytest.approx(1.8e10 * 4 / 3)


# The reader's roofline: loops that compute what they count, roofs, shares and their prediction.

MACHINE = Core(
    6e10,
    1.5e10,
    (Ceiling("without FMA", 3e10, "compute"), Ceiling("without SIMD", 1.5e10, "compute")),
    (MemoryLevel("L1", 3e11, 16384.0), MemoryLevel("memory", 1.2e10, 1e8)),
    2,
    1.1e11,
    2e10,
)


TRIALS = trials.trials(1 << 20, order=32)


KERNELS = [trial.kernel for trial in TRIALS]


def test_the_loops_compute_what_their_names_say():
    random = np.random.default_rng(1)
    a, b, c = random.random((3, 501))
    stream_kernels.triad(a, b, c)
    np.testing.assert_allclose(a, b + 3 * c)
    assert your_kernels.dot(b, c) == pytest.approx(float(b @ c))
    assert your_kernels.dot_in_order(b, c) == pytest.approx(float(b @ c))
    out = np.zeros(8)
    your_kernels.again(b, c, out, 3)
    np.testing.assert_allclose(out, [float(b @ c)] * 3 + [0.0] * 5)
    your_kernels.again_in_order(b, c, out, 8)
    np.testing.assert_allclose(out, float(b @ c))


def test_the_stencil_is_a_weighted_sum_of_five_points():
    u, v = np.random.default_rng(2).random((9, 7)), np.zeros((9, 7))
    w = (0.5, 0.1, 0.2, 0.3, 0.4)
    your_kernels.five_points(u, v, w)
    inner = w[0] * u[1:-1, 1:-1] + w[1] * u[:-2, 1:-1] + w[2] * u[2:, 1:-1]
    inner += w[3] * u[1:-1, :-2] + w[4] * u[1:-1, 2:]
    np.testing.assert_allclose(v[1:-1, 1:-1], inner)
    assert not v[0].any()
    assert not v[:, -1].any()


def test_intensities_are_those_of_a_count_by_hand():
    intensities = {kernel.name: kernel.intensity for kernel in KERNELS}
    row = 16 * (8 + 4) + 4 + 8 + 8 + 8
    assert intensities["triad"] == 2 / 32
    assert intensities["dot"] == 2 / 16
    assert intensities["stencil"] == 9 / 24
    assert intensities["GEMM"] == 32 / 16
    assert intensities["SpMV banded"] == intensities["SpMV scattered"] == pytest.approx(32 / row)


def test_the_sparse_matrices_have_as_many_nonzeros_as_are_counted():
    random = np.random.default_rng(1)
    for scattered in (False, True):
        matrix = trials._matrix(100, scattered, random)
        assert matrix.nnz == 1600
        x = random.random(100)
        np.testing.assert_allclose(matrix @ x, matrix.toarray() @ x)
    assert KERNELS[3].flops == 2 * 16 * ((1 << 20) // (12 * 16))


def test_data_are_about_as_large_as_asked_for():
    assert all(0.5 < kernel.bytes / (1 << 20) < 1.8 for kernel in KERNELS[:-1])


def test_a_measurement_counts_the_kernels_operations_on_one_thread():
    with PinnedThreads(1) as team:
        first, last = trials.measure_trials([TRIALS[0], TRIALS[-1]], team, rounds=2, seconds=1e-9)
    assert (first.work, first.unit, first.note) == (KERNELS[0].flops, "FLOP", "numba")
    assert (last.work, last.seconds.size) == (KERNELS[-1].flops, 6), "two turns of three passes"
    with pytest.raises(ValueError, match="team must be one thread, got 2"):
        trials.measure_trials(TRIALS, [0, 1])


def test_a_dot_in_order_adds_one_number_at_a_time():
    packed = {}
    for loop in (your_kernels.dot, your_kernels.dot_in_order):
        fresh = numba.njit(fastmath=loop.targetoptions.get("fastmath", False))(loop.py_func)
        fresh(np.ones(64), np.ones(64))
        (code,) = fresh.inspect_asm().values()
        packed[loop.__name__] = bool(re.search(r"\b(v?addpd|vfmadd\d+pd|fmla\s+v)", code))
    assert packed == {"dot": True, "dot_in_order": False}


@pytest.mark.parametrize("in_order", [False, True])
def test_rate_of_a_dot_is_two_operations_a_pair_by_its_best_run(monkeypatch, in_order):
    def made_runs(run, least, runs):
        run(1)
        return 5, np.array([3e-3, 1e-3, 2e-3])

    monkeypatch.setattr(trials, "short_runs", made_runs)
    with PinnedThreads(1) as team:
        rates = trials.dots(MACHINE.levels[:1], team, in_order)
    assert rates == pytest.approx([2 * (16384 // 16) * 5 / 1e-3])


def test_equal_shares_of_the_roof_are_predicted_from_the_others():
    roof = MACHINE.roof
    rates = 0.6 * roof.attainable([kernel.intensity for kernel in KERNELS])
    predicted = leave_one_out(KERNELS, rates, roof)
    np.testing.assert_allclose(predicted["roofline"], rates / 0.6)
    np.testing.assert_allclose(predicted["roofline times the others' share"], rates)


def test_a_line_is_right_where_all_kernels_are_bound_by_memory_and_wrong_beyond():
    kernels = [Kernel(str(k), 2.0**k, 1) for k in range(6)]
    at = np.array([kernel.intensity for kernel in kernels])
    slope = Roofline("slope", 1e6, 1.0)
    np.testing.assert_allclose(leave_one_out(kernels, at, slope)["line through the others"], at)
    bent = Roofline("bent", 4.0, 1.0)
    rates = bent.attainable(at)
    assert leave_one_out(kernels, rates, bent)["line through the others"][-1] > 1.5 * rates[-1]
    np.testing.assert_allclose(leave_one_out(kernels, rates, bent)["roofline"], rates)


@given(
    st.floats(9.5, 12), st.floats(9.5, 11.5), st.lists(st.floats(-1.5, 0.1), min_size=6, max_size=6)
)
@settings(max_examples=15, deadline=None)
def test_every_machine_finds_places_for_its_labels(log_peak, log_bandwidth, shares):
    peak_, bandwidth = 10**log_peak, 10**log_bandwidth
    held = tuple(
        Ceiling(name, peak_ / by, "compute")
        for name, by in (("without FMA", 2), ("without SIMD", 8), ("without both", 16))
    )
    core = replace(MACHINE, peak=peak_, bandwidth=bandwidth, ceilings=held)
    seen = [
        MeasuredKernel(kernel, float(core.roof.attainable(kernel.intensity)) * 10**share)
        for kernel, share in zip(KERNELS, shares, strict=True)
    ]
    assert len(roofline_plot([core.roof, core.all_roof], measured=seen).notes) == 3 + len(seen)


def test_every_kernel_needs_its_rate():
    with pytest.raises(ValueError, match="one value a kernel, got 3 for 6"):
        leave_one_out(KERNELS, [1.0, 2.0, 3.0], MACHINE.roof)
