"""Several precisions: mixed peaks, and what a change of precision buys on either side."""

import pytest
from hypothesis import given, strategies as st

from perfmodel import machines
from perfmodel.roofline.precision import (
    attainable_mixed,
    change_precision,
    mixed_peak,
    rooflines_by_precision,
)

A100 = machines.get("a100-sxm4-80gb")
peaks = st.floats(1e9, 1e15)


class TestMixed:
    def test_hand_values(self):
        # 3 TFLOP at 3 TFLOP/s and 1 TFLOP at 1 TFLOP/s: 2 s one after the other, 1 s side by side
        assert mixed_peak([3e12, 1e12], [3e12, 1e12]) == 2e12
        assert mixed_peak([3e12, 1e12], [3e12, 1e12], separate_units=True) == 4e12

    @given(st.floats(0, 1), peaks, peaks)
    def test_shared_units_lie_between_the_peaks(self, share, one, other):
        both = mixed_peak([share, 1 - share], [one, other])
        assert min(one, other) * (1 - 1e-9) <= both <= max(one, other) * (1 + 1e-9)

    @given(st.floats(0, 1), peaks, peaks)
    def test_separate_units_are_never_slower(self, share, one, other):
        shared = mixed_peak([share, 1 - share], [one, other])
        apart = mixed_peak([share, 1 - share], [one, other], separate_units=True)
        assert shared <= apart * (1 + 1e-12) <= (one + other) * (1 + 1e-9)

    def test_traffic_can_bound_it(self):
        assert attainable_mixed([3e12, 1e12], 8e12, [3e12, 1e12], 1e12) == 5e11

    def test_refuses_no_work(self):
        with pytest.raises(ValueError, match="flops must have a positive count"):
            mixed_peak([0, 0], [1, 1])


class TestChange:
    def test_memory_bound_kernels_gain_what_their_words_shrink_by(self):
        # one operation a number: fp64 moves 8 bytes, bf16 2
        change = change_precision(A100, 1, "fp64", "bf16")
        assert change.speedup == pytest.approx(4)
        assert (change.bound_before, change.bound_after) == ("memory", "memory")

    def test_compute_bound_kernels_gain_the_ratio_of_the_peaks(self):
        change = change_precision(A100, 1e6, "fp64", "bf16")
        assert change.speedup == pytest.approx(312 / 19.5)
        assert (change.bound_before, change.bound_after) == ("compute", "compute")

    def test_a_faster_unit_can_move_the_bound_to_memory(self):
        # 240 operations a number: fp64 has 30 FLOP/byte, beyond its ridge at 9.6; bf16 120, short
        # of its ridge at 153
        change = change_precision(A100, 240, "fp64", "bf16")
        assert (change.bound_before, change.bound_after) == ("compute", "memory")
        assert change.after == pytest.approx(120 * 2.039e12)

    @given(st.floats(1e-3, 1e6))
    def test_narrower_is_never_slower(self, words):
        assert change_precision(A100, words, "fp64", "fp16").speedup >= 1

    def test_tf32_is_stored_as_fp32(self):
        assert change_precision(A100, 0.1, "fp32", "tf32").speedup == 1

    def test_refuses_what_the_machine_has_not(self):
        with pytest.raises(ValueError, match="a100-sxm4-80gb has no peak_fp8"):
            change_precision(A100, 1, "fp64", "fp8")


def test_rooflines_share_the_memory():
    roofs = rooflines_by_precision(A100)
    assert list(roofs) == ["fp64", "fp32", "tf32", "fp16", "bf16", "int8"]
    assert {roof.bandwidth for roof in roofs.values()} == {2.039e12}
    assert roofs["bf16"].peak == 312e12
