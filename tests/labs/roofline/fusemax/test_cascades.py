"""Counting passes: the paper's examples, what lowers the count, and cascades that are wrong."""

from __future__ import annotations

import pytest

from perfmodel.labs.roofline.fusemax.cascades import (
    DEFERRED,
    ONE_PASS,
    SCALED,
    THREE_PASS,
    TWO_PASS,
    cascade,
    passes,
    touched,
)


class TestPasses:
    def test_attention(self) -> None:
        counts = [passes(THREE_PASS, "m"), passes(TWO_PASS, "m1 m0"), passes(ONE_PASS, "m1 m0")]
        assert counts == [3, 2, 1]

    def test_scaling_by_a_dot_product(self) -> None:
        carried = cascade("RY[k] = RY[k] A[k] B[k]\nRZ[k] = RZ[k] RY[k] A[k]\nZ[] = RZ[k]")
        assert [passes(c, "k") for c in (SCALED, DEFERRED, carried)] == [2, 1, 1]

    def test_dividing_at_the_end_saves_a_pass(self) -> None:
        late = cascade("""
            QK[m,p] = Q[e,p] K[e,m]
            GM[p] = QK[m,p]
            SN[m,p] = QK[m,p] GM[p]
            SD[p] = SN[m,p]
            SNV[f,p] = SN[m,p] V[f,m]
            AV[f,p] = SNV[f,p] SD[p]
        """)
        assert passes(late, "m") == 2

    def test_other_ranks_are_passed_once(self) -> None:
        assert passes(THREE_PASS, "e") == 1
        assert passes(THREE_PASS, "p") == 1

    def test_a_reduction_of_one_part_of_a_split_rank_is_no_barrier(self) -> None:
        einsums = cascade("LM[m1] = A[m1,m0]\nB[m1,m0] = A[m1,m0] LM[m1]")
        assert passes(einsums, "m1 m0") == 1
        assert passes(einsums, "m0") == 2

    @pytest.mark.parametrize("barriers", range(6))
    def test_each_barrier_adds_a_pass(self, barriers: int) -> None:
        lines = ["X0[k] = A[k]"]
        for i in range(barriers):
            lines += [f"S{i}[] = X{i}[k]", f"X{i + 1}[k] = X{i}[k] S{i}[]"]
        assert passes(cascade("\n".join(lines)), "k") == barriers + 1


class TestTouched:
    def test_one_pass_keeps_nothing(self) -> None:
        assert set(touched(ONE_PASS, "m1 m0").values()) == {(0,)}

    def test_two_pass_keeps_what_the_correction_needs(self) -> None:
        kept = {k for k, v in touched(TWO_PASS, "m1 m0").items() if len(v) > 1}
        assert kept == {"LM", "SLN", "SLD"}

    def test_values_wait_for_the_last_pass(self) -> None:
        assert touched(THREE_PASS, "m")["V"] == (2,)


class TestBadInput:
    @pytest.mark.parametrize("line", ["Z[p] A[m,p]", "Z = A[m]", "Z[p] =", "Z[p] = A[m,p] +"])
    def test_no_equation(self, line: str) -> None:
        with pytest.raises(ValueError, match="an equation must look like"):
            cascade(line)

    def test_made_twice(self) -> None:
        with pytest.raises(ValueError, match="made once, got 'Z' twice"):
            cascade("Z[] = A[k]\nZ[] = B[k]")

    def test_read_before_made(self) -> None:
        with pytest.raises(ValueError, match="made before it is read, got 'Y'"):
            cascade("Z[] = Y[k]\nY[k] = A[k]")

    @pytest.mark.parametrize("rank", ["x", "", "m x"])
    def test_unknown_rank(self, rank: str) -> None:
        with pytest.raises(ValueError, match=r"rank must be among e, f, m, p, got"):
            passes(THREE_PASS, rank)
