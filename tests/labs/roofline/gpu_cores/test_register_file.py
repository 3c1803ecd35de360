"""Bank conflicts and the register file cache, by the paper's examples."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.labs.roofline.gpu_cores.register_file import Operand, fma, read_operands

OPERANDS = st.lists(
    st.builds(Operand, st.integers(0, 7), st.booleans()), min_size=1, max_size=3
).map(tuple)


def hits(*program):
    return [read.hits for read in read_operands(program)]


class TestBanks:
    @pytest.mark.parametrize(
        ("registers", "bubbles"),
        [((2,), 0), ((2, 3), 0), ((2, 4), 1), ((2, 3, 5), 1), ((2, 4, 6), 2), ((1, 3, 5), 2)],
    )
    def test_bubbles(self, registers, bubbles) -> None:
        assert read_operands([fma(*registers)])[0].bubbles == bubbles

    def test_a_second_port(self) -> None:
        assert [r.bubbles for r in read_operands([fma(2, 4), fma(2, 4, 6)], ports=2)] == [0, 1]


class TestCache:
    def test_kept_once(self) -> None:
        assert hits(fma(2, reuse=[0]), fma(2), fma(2)) == [0, 1, 0]

    def test_kept_again(self) -> None:
        assert hits(fma(2, reuse=[0]), fma(2, reuse=[0]), fma(2)) == [0, 1, 1]

    def test_another_place_misses(self) -> None:
        assert hits(fma(2, reuse=[0]), fma(3, 2)) == [0, 0]

    def test_same_bank_and_place_evicts(self) -> None:
        assert hits(fma(2, reuse=[0]), fma(4), fma(2)) == [0, 0, 0]

    def test_other_bank_does_not_evict(self) -> None:
        assert hits(fma(2, reuse=[0]), fma(3), fma(2)) == [0, 0, 1]

    def test_a_hit_needs_no_port(self) -> None:
        reads = read_operands([fma(2, 4, 6, reuse=[1]), fma(8, 4, 6)])
        assert [read.bubbles for read in reads] == [2, 1]


class TestProperties:
    @settings(max_examples=60, deadline=None)
    @given(st.lists(OPERANDS, min_size=1, max_size=10))
    def test_the_cache_never_hurts(self, program) -> None:
        plain = [tuple(Operand(o.register) for o in operands) for operands in program]
        for cached, without in zip(read_operands(program), read_operands(plain), strict=True):
            assert without.hits == 0
            assert cached.bubbles <= without.bubbles <= 2


class TestBadInput:
    def test_number_of_operands(self) -> None:
        with pytest.raises(ValueError, match="operands must be 1 to 3, got 4"):
            read_operands([fma(1, 2, 3, 4)])

    def test_register(self) -> None:
        with pytest.raises(ValueError, match="register must be a whole number, 0 or more, got -1"):
            read_operands([fma(-1)])
