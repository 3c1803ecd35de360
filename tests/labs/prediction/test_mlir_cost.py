"""Register pressure from text: programs, bytecode, predictors and the drawing."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats

from perfmodel.labs.prediction.mlir_cost import bytecode, text_regression
from perfmodel.labs.prediction.mlir_cost.program import (
    EXAMPLE,
    INPUTS,
    Program,
    flops,
    generate,
    lifetimes,
    live_tensors,
    parse,
    register_pressure,
    rescheduled,
)
from perfmodel.labs.prediction.mlir_cost.tasks import ALIKE, ANOTHER, COUNTED, against_example
from perfmodel.labs.prediction.mlir_cost.text_regression import (
    FLOW,
    OPERATIONS,
    analysis,
    forest,
    ridge,
    schedule_accuracy,
    table,
)
from perfmodel.live.drawing import Box
from perfmodel.prediction.arena import metrics
from perfmodel.prediction.arena.contest import Contestant, compete
from perfmodel.prediction.arena.splits import larger_split, shuffle_split


def code_of(source):
    return next(c for c in compile(source, "test", "exec").co_consts if hasattr(c, "co_code"))


def test_deeper_expressions_need_more():
    depth = [
        bytecode.stack_depth(code_of(f"def f(a):\n return {'(a + ' * k}a{')' * k}"))
        for k in (1, 2, 5)
    ]
    # Each open bracket keeps one operand waiting.
    assert depth == [2, 3, 6]


def test_jumps_are_refused():
    with pytest.raises(ValueError, match="without jumps and handlers, got 'f'"):
        bytecode.stack_depth(code_of("def f(a):\n return 1 if a else 2"))
    guarded = "def f(a):\n try:\n  return a()\n finally:\n  a.close()"
    assert not bytecode.is_straight(code_of(guarded))


def test_the_compiler_agrees():
    codes = bytecode.functions(["string", "fractions", "pprint", "no_such_module", "sys"])
    counted = np.array([bytecode.stack_depth(code) for code in codes])
    compiled = np.array([code.co_stacksize for code in codes])
    assert len(codes) > 20
    # Some versions of the compiler add one for generators.
    assert set((compiled - counted).tolist()) <= {0, 1}
    assert (counted == compiled).mean() > 0.9


def test_table_has_each_text_once():
    dataset = bytecode.table(bytecode.functions(["string", "fractions"]))
    assert dataset.features["text"].is_unique
    first = dataset.features.iloc[0]
    assert len(first["text"].split()) == first["instructions"]


DRAWN = [
    parse(EXAMPLE),
    Program(16, ("relu", "matmul"), ((0,), (0, 2))),
    Program(16, ("add",), ((0, 1),)),
]


@pytest.mark.parametrize("program", DRAWN)
def test_solid_boxes_are_the_live_values_at_every_step(program):
    for step, count in enumerate(live_tensors(program), 1):
        scene = lifetimes(program, step)
        assert scene.faults() == []
        solid = [s for s in scene.shapes if isinstance(s, Box) and s.fill == "solid"]
        assert len(solid) == scene.values["live here"] == count


def test_all_boxes_are_the_area_under_the_count():
    program = parse(EXAMPLE)
    boxes = [s for s in lifetimes(program, 1).shapes if isinstance(s, Box)]
    assert len(boxes) == live_tensors(program).sum()


def test_long_programs_are_refused():
    with pytest.raises(ValueError, match="5 instructions at most, got 6"):
        lifetimes(Program(16, ("relu",) * 6, tuple((i,) for i in range(6))), 1)


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
    assert live_tensors(program).tolist() == [3, 4, 4, 4, 3]
    assert register_pressure(program) == 4
    assert flops(program) == 4 * 64**2 + 2 * 64**3 == 540_672


def test_liveness_is_its_definition():
    for program in PROGRAMS[:25]:
        expected = [alive_by_definition(program, t) for t in range(len(program.ops))]
        assert live_tensors(program).tolist() == expected


def test_scratch_counts_where_it_is_used():
    program = parse(EXAMPLE)
    # The product runs while 3 are live, so that 1 more is not felt and 2 more are.
    assert [register_pressure(program, {"matmul": k}) for k in (0, 1, 2, 5)] == [4, 4, 5, 8]
    assert register_pressure(program, {"reduce": 9}) == 4


def test_nothing_to_transpose_is_no_operation():
    program = Program(8, ("transpose", "reduce"), ((0,), (2,)))
    assert flops(program) == 64


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

    def uses(schedule):
        return sorted(
            (op, *sorted(schedule.ops[v - INPUTS] if v >= INPUTS else str(v) for v in used))
            for op, used in zip(schedule.ops, schedule.operands, strict=True)
        )

    assert uses(other) == uses(program)


def test_order_changes_pressure():
    assert len({register_pressure(rescheduled(PROGRAMS[0], seed)) for seed in range(20)}) > 1


def test_generator_is_seeded_and_even():
    assert generate(5, 3) == generate(5, 3) != generate(5, 4)
    ops = [op for program in generate(300) for op in program.ops]
    assert ops.count("relu") / len(ops) == pytest.approx(1 / 6, abs=0.02)


def test_what_is_no_program_says_what_is_wrong():
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


def test_the_example_with_other_operands_may_have_another_pressure():
    assert against_example(EXAMPLE) == ALIKE
    assert against_example(f"\n  {EXAMPLE}\n") == ALIKE
    assert against_example(EXAMPLE.replace("relu", "reduce")) == COUNTED


def test_a_program_with_less_waiting_has_another_pressure():
    lines = EXAMPLE.replace("%2, %0", "%2, %2").replace("relu %1", "relu %3")
    assert against_example(lines.replace("%3, %4", "%4, %4").replace("%5, %2", "%5, %5")) == ANOTHER


@pytest.mark.parametrize("text", ["", "%2 = xpu.add %0", EXAMPLE.replace("%3, %4", "%3, %9")])
def test_what_is_no_program_is_told_and_not_raised(text):
    assert against_example(text).startswith("no program: ")


def test_an_untouched_answer_stays_untouched():
    assert against_example(...) is ...


LEARNED = generate(500, seed=2)
LINE = "%5 = xpu.add %3, %4 : tensor<64x64xf32>"


@pytest.fixture(scope="module")
def runs():
    return table(LEARNED, "live tensors")


def test_what_each_tokeniser_sees():
    assert text_regression.tokens(LINE) == ["xpu.add", "tensor<64x64xf32>"]
    assert text_regression.tokens(LINE, FLOW) == ["%5", "xpu.add", "%3", "%4", "tensor<64x64xf32>"]
    seen = ridge(FLOW, 2).fit(table(LEARNED[:50], "live tensors").features, np.arange(1.0, 51))
    names = seen[0].named_transformers_["tokens"].get_feature_names_out()
    assert {"xpu.add", "%3", "%2 xpu.add"} <= set(names)


def test_the_analysis_reads_the_text_and_is_exact(runs):
    entries = [
        Contestant("liveness", "whitebox", analysis(register_pressure)),
        Contestant("ridge", "regression", ridge()),
        Contestant("forest", "ml", forest(trees=10)),
    ]
    size = runs.features["instructions"]
    scores = compete(runs, entries, [(150, s, larger_split(runs, size, 150, s)) for s in (0, 1)])
    of = scores.groupby(["contestant", "test"])["mape"].mean()
    assert of["liveness"].tolist() == [0, 0]
    assert (of["ridge"] > 0.05).all()
    assert (of["forest"] > 0.05).all()


def test_a_forest_stays_within_what_it_saw(runs):
    short = (runs.features["instructions"] < 20).to_numpy()
    model = forest(trees=10).fit(runs.features[short], runs.target[short])
    guess = model.predict(runs.features[~short])
    assert guess.max() <= runs.target[short].max() < runs.target[~short].max()
    assert np.mean(guess - runs.target[~short]) < -1


def test_a_bag_of_operations_ties_and_the_analysis_does_not(runs):
    pairs = text_regression.schedules(LEARNED[300:360])
    learned = ridge().fit(runs.features[:300], runs.target[:300])
    assert schedule_accuracy(learned, pairs) == 0.5
    assert schedule_accuracy(analysis(register_pressure), pairs) == 1.0
    assert schedule_accuracy(analysis(lambda p: 100 - register_pressure(p)), pairs) == 0.0
    alike = [(p, p) for p in LEARNED[:3]]
    with pytest.raises(ValueError, match="different pressure at least once"):
        schedule_accuracy(learned, alike)


def test_hidden_scratch_is_beyond_the_analysis_and_not_below_it():
    hidden = table(LEARNED[:100], "registers").target
    known = table(LEARNED[:100], "live tensors").target
    assert (hidden >= known).all()
    assert (hidden > known).mean() > 0.3
    assert (hidden - known).max() <= max(text_regression.SCRATCH.values())


def test_logarithms_are_taken_and_undone():
    costs = table(LEARNED, "operations")
    model = ridge(words=2, logarithm=True).fit(costs.features[:400], costs.target[:400])
    guess = model.predict(costs.features[400:])
    assert (guess > 0).all()
    constant = np.full(100, stats.gmean(costs.target[:400]))
    least = metrics.log_error(costs.target[400:], constant)
    assert metrics.log_error(costs.target[400:], guess) < least / 2


@pytest.fixture(scope="module")
def many():
    return generate(1500)


@pytest.mark.parametrize(
    ("target", "least", "most"), [("live tensors", -1, 0.05), ("operations", 0.05, 1)]
)
def test_names_of_values_help_with_operations_and_not_with_live_tensors(many, target, least, most):
    """R2 of ridge regression that is told the names, and pairs of tokens, less that without."""
    runs = table(many, target)
    label = np.log10(runs.target) if target == "operations" else runs.target
    split = shuffle_split(runs, 1000, 0, 500)
    asked, scores = split.tests["inside"], []
    for pattern, words in ((OPERATIONS, 1), (FLOW, 2)):
        model = ridge(pattern, words).fit(runs.features.iloc[split.train], label[split.train])
        scores.append(metrics.r2(label[asked], model.predict(runs.features.iloc[asked])))
    assert least < scores[1] - scores[0] < most


def test_range_rmse_by_hand():
    assert text_regression.normalized_rmse([1.0, 5.0], [1.0, 4.0]) == pytest.approx(
        np.sqrt(0.5) / 4
    )
    with pytest.raises(ValueError, match="actual must have two different values"):
        text_regression.normalized_rmse([1.0, 1.0], [1.0, 2.0])
