"""The roof of the reader's core: its peak, ceilings, and what is known from before."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest

from perfmodel.labs.roofline.your_roofline import core
from perfmodel.machines import MachineFigure, measured_machine
from perfmodel.measurement.cpu import caches, peak
from perfmodel.roofline.cache_levels import MemoryLevel
from perfmodel.roofline.model import Ceiling

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
        core.latency, "measure_reading", lambda size, team, runs: Best(1e16 / size * len(team))
    )
    monkeypatch.setattr(core, "_moved", lambda team, size, runs: 1.0)
    monkeypatch.setattr(core, "usable", lambda: [0, 1])
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


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="clock must be above 0"):
        core.in_core_peak(0, 8)
