"""Programs: the example worked by hand, liveness against its definition, orders of one graph."""

import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.labs.prediction.mlir_cost.program import (
    EXAMPLE,
    INPUTS,
    Program,
    flops,
    generate,
    live,
    parse,
    pressure,
    rescheduled,
)

PROGRAMS = generate(60, seed=1)


def alive_by_definition(program, instant):
    alive = 0
    for value in range(INPUTS + len(program.ops)):
        uses = [i for i, used in enumerate(program.operands) if value in used]
        born = max(value - INPUTS, 0)
        gone = max(uses) if uses else (-1 if value < INPUTS else born)
        alive += born <= instant <= gone
    return alive


def test_the_example_by_hand():
    program = parse(EXAMPLE)
    assert live(program).tolist() == [3, 4, 4, 4, 3]
    assert pressure(program) == 4
    assert flops(program) == 4 * 64**2 + 2 * 64**3 == 540_672


def test_liveness_is_its_definition():
    for program in PROGRAMS[:25]:
        found = [alive_by_definition(program, t) for t in range(len(program.ops))]
        assert live(program).tolist() == found


def test_scratch_counts_where_it_is_used():
    program = parse(EXAMPLE)
    # The product runs while 3 are live, so that 1 more is not felt and 2 more are.
    assert [pressure(program, {"matmul": k}) for k in (0, 1, 2, 5)] == [4, 4, 5, 8]
    assert pressure(program, {"reduce": 9}) == 4


def test_nothing_to_transpose_is_no_operation():
    one = Program(8, ("transpose", "reduce"), ((0,), (2,)))
    assert flops(one) == 64


@given(st.integers(0, 10**6))
@settings(max_examples=25, deadline=None)
def test_text_holds_the_whole_program(seed):
    [program] = generate(1, seed)
    assert parse(program.text()) == program
    assert 6 <= len(program.ops) < 40
    assert program.side in (16, 32, 64, 128, 256)


@given(st.integers(0, 59), st.integers(0, 10**6))
@settings(max_examples=25, deadline=None)
def test_another_order_is_the_same_graph(which, seed):
    program = PROGRAMS[which]
    other = rescheduled(program, seed)
    assert sorted(other.ops) == sorted(program.ops)
    assert flops(other) == flops(program)

    def uses(one):
        return sorted(
            (op, *sorted(one.ops[v - INPUTS] if v >= INPUTS else str(v) for v in used))
            for op, used in zip(one.ops, one.operands, strict=True)
        )

    assert uses(other) == uses(program)


def test_order_changes_pressure():
    assert len({pressure(rescheduled(PROGRAMS[0], seed)) for seed in range(20)}) > 1


def test_generator_is_seeded_and_even():
    assert generate(5, 3) == generate(5, 3) != generate(5, 4)
    ops = [op for program in generate(300) for op in program.ops]
    assert ops.count("relu") / len(ops) == pytest.approx(1 / 6, abs=0.02)


def test_bad_input():
    with pytest.raises(ValueError, match="ops must be of add, mul"):
        Program(8, ("sub",), ((0,),))
    with pytest.raises(ValueError, match="operands of add number 0 must be defined before"):
        Program(8, ("add",), ((0, 2),))
    with pytest.raises(ValueError, match="operands of relu number 0"):
        Program(8, ("relu",), ((0, 1),))
    with pytest.raises(ValueError, match="text must define %2 in line 0"):
        parse("nonsense")
    with pytest.raises(ValueError, match="tensors of one size"):
        parse(EXAMPLE.replace("64x64", "32x32", 1))
    with pytest.raises(ValueError, match="ops must be 1 or more"):
        Program(8, (), ())
