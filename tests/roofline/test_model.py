"""The naive roofline: hand values, every machine's ridge point, properties, ceilings."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel import machines
from perfmodel.machines.machine import PRECISIONS
from perfmodel.roofline.model import (
    Ceiling,
    Kernel,
    Roofline,
    attainable,
    binding_bound,
    bound_by,
    machine_roofline,
    memory_bandwidth,
    ridge_point,
)

rates = st.floats(1e6, 1e18)
intensities = st.floats(1e-6, 1e6)


class TestAttainable:
    def test_hand_values(self):
        # 100 GFLOP/s and 20 GB/s: half the ridge point gives half the peak
        assert attainable([2.5, 5, 10], 1e11, 2e10).tolist() == [5e10, 1e11, 1e11]

    @given(intensities, rates, rates)
    def test_never_above_peak_or_bandwidth(self, at, peak, bandwidth):
        rate = attainable(at, peak, bandwidth)
        assert rate <= peak
        assert rate <= at * bandwidth
        assert rate in (peak, at * bandwidth)

    @given(intensities, intensities, rates, rates)
    def test_monotone_in_intensity(self, one, other, peak, bandwidth):
        low, high = sorted([one, other])
        assert attainable(low, peak, bandwidth) <= attainable(high, peak, bandwidth) * (1 + 1e-12)

    @given(rates, rates)
    def test_continuous_at_the_ridge(self, peak, bandwidth):
        ridge = ridge_point(peak, bandwidth)
        around = attainable(ridge * np.array([1 - 1e-9, 1, 1 + 1e-9]), peak, bandwidth)
        assert around == pytest.approx(peak, rel=2e-9)
        assert attainable(ridge * 0.5, peak, bandwidth) == pytest.approx(peak / 2)

    @given(intensities, rates, rates)
    def test_bound_names_the_resource_whose_growth_helps(self, at, peak, bandwidth):
        which = bound_by(at, peak, bandwidth).item()
        more = (peak, 2 * bandwidth) if which == "memory" else (2 * peak, bandwidth)
        assert attainable(at, *more) >= attainable(at, peak, bandwidth)
        other = (2 * peak, bandwidth) if which == "memory" else (peak, 2 * bandwidth)
        assert attainable(at, *other) == pytest.approx(attainable(at, peak, bandwidth))

    def test_at_the_ridge_arithmetic_is_the_bound(self):
        assert bound_by([4.999, 5, 5.001], 1e11, 2e10).tolist() == ["memory", "compute", "compute"]

    def test_broadcasts(self):
        assert attainable([[1.0], [2.0]], 1e11, [1e9, 2e9, 4e9]).shape == (2, 3)


class TestMachines:
    @pytest.mark.parametrize(
        ("name", "precision", "unit", "ridge"),
        [
            ("v100-sxm2-32gb", "fp64", "vector", 7.8 / 0.9),
            ("a100-sxm4-80gb", "bf16", "any", 312 / 2.039),
            ("h100-sxm5-80gb", "fp64", "vector", 34 / 3.35),
            ("h200-sxm-141gb", "bf16", "any", 989 / 4.8),
            ("mi300x", "fp8", "any", 2614.9 / 5.3),
            ("tpu-v5e", "bf16", "any", 197 / 0.819),
            ("epyc-9654", "fp64", "any", 3.686 / 0.4608),
            ("raspberry-pi-5", "fp32", "any", 154 / 17.1),
            ("example-2vcpu", "fp64", "any", 237 / 69.9),
        ],
    )
    def test_ridge_points_by_hand(self, name, precision, unit, ridge):
        roof = machine_roofline(machines.get(name), precision, unit)
        assert roof.ridge_point == pytest.approx(ridge, rel=1e-12)

    def test_every_machine_meets_its_own_peak_at_its_ridge(self):
        seen = 0
        for name in machines.ids(own=False):
            machine = machines.get(name)
            for precision in PRECISIONS:
                if machine.has(machine.peak_quantity(precision), "memory_bandwidth"):
                    roof = machine_roofline(machine, precision)
                    ridge = machine.peak(precision) / machine.memory_bandwidth
                    assert roof.ridge_point == ridge
                    assert roof.attainable(ridge) == pytest.approx(roof.peak, rel=1e-12)
                    assert roof.attainable(ridge / 3) == pytest.approx(roof.peak / 3)
                    assert 0.5 < ridge < 1500, (name, precision)
                    seen += 1
        assert seen > 90

    def test_a_dagger_marks_what_is_not_verified(self):
        assert machine_roofline(machines.get("rtx-3090"), "fp16").name == "RTX 3090 fp16†"
        sure = machine_roofline(machines.get("h200-sxm-141gb"), "bf16")
        assert (sure.name, sure.verified) == ("H200 bf16", True)

    def test_a_missing_peak_is_named(self):
        with pytest.raises(ValueError, match="apple-m4-max has no peak_fp64"):
            machine_roofline(machines.get("apple-m4-max"))


class TestCeilings:
    roof = Roofline(
        "toy", 1e11, 2e10, (Ceiling("no SIMD", 2.5e10, "compute"), Ceiling("far", 1e10, "memory"))
    )

    def test_under_a_ceiling(self):
        assert self.roof.under("no SIMD").attainable([1, 100]).tolist() == [2e10, 2.5e10]
        assert self.roof.under("far").attainable([1, 100]).tolist() == [1e10, 1e11]
        assert self.roof.under("far", "no SIMD").ridge_point == 2.5
        assert self.roof.under().attainable(100) == 1e11

    @given(intensities)
    def test_never_above_the_roof(self, at):
        assert self.roof.under("far", "no SIMD").attainable(at) <= self.roof.attainable(at)

    def test_refuses_what_is_none(self):
        with pytest.raises(ValueError, match="names must be ceilings .*, got 'fog'"):
            self.roof.under("fog")
        with pytest.raises(ValueError, match=r"ceiling 'x' must not be above 1e\+11"):
            Roofline("toy", 1e11, 2e10, (Ceiling("x", 2e11, "compute"),))
        with pytest.raises(ValueError, match="kind must be one of compute, memory, got 'disk'"):
            Ceiling("x", 1, "disk")


def test_kernel_refuses_work_without_traffic_and_says_its_place():
    with pytest.raises(ValueError, match="bytes must be above 0"):
        Kernel("nothing", 1, 0)
    sentence = binding_bound(Kernel("dot", 2e9, 16e9), Roofline("toy", 1e11, 2e10))
    assert (
        sentence == "dot: 0.125 FLOP/byte, bound by memory, at most 2.5 GFLOP/s (2.5 % of the peak)"
    )


class TestMemoryBandwidth:
    def test_by_hand(self):
        """Two channels of DDR5-4800, eight of DDR4-3200."""
        assert memory_bandwidth([2, 8], [4.8e9, 3.2e9]).tolist() == [76.8e9, 204.8e9]
