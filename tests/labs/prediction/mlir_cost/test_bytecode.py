"""Python's bytecode: the stack by hand, and against what the compiler wrote."""

import numpy as np
import pytest

from perfmodel.labs.prediction.mlir_cost import bytecode


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
    ours = np.array([bytecode.stack_depth(code) for code in codes])
    theirs = np.array([code.co_stacksize for code in codes])
    assert len(codes) > 20
    # Some versions of the compiler add one for generators.
    assert set((theirs - ours).tolist()) <= {0, 1}
    assert (ours == theirs).mean() > 0.9


def test_table_has_each_text_once():
    found = bytecode.table(bytecode.functions(["string", "fractions"]))
    assert found.features["text"].is_unique
    first = found.features.iloc[0]
    assert len(first["text"].split()) == first["instructions"]
