"""Mutation testing: plant bugs, and see which test finds which.

A test suite that passes says something only if it would have failed. So a right program is changed
in small ways, each change is a mutant, and every test runs on every mutant. The share of mutants
that some test kills is the mutation score. A mutant that loops forever is ended after a number of
bytecodes, not seconds, so that every run finds the same.

Source: R. A. DeMillo, R. J. Lipton and F. G. Sayward, "Hints on test data selection: help for the
practicing programmer", IEEE Computer 11(4), 1978.
"""

from __future__ import annotations

import ast
import copy
import inspect
import textwrap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from perfmodel.benchmarking.counting.bytecodes import CountExceeded, count_bytecodes
from perfmodel.validation import whole

Program = Callable[..., Any]
PropertyTest = Callable[[Program], object]
"""Takes a program; raises, or returns False, where it finds the program wrong."""


@dataclass(frozen=True)
class Kills:
    """Which test killed which mutant."""

    tests: tuple[str, ...]
    mutants: tuple[str, ...]
    killed: NDArray[np.bool_]
    """Shape (tests, mutants)."""

    @property
    def score(self) -> float:
        """Share of the mutants that some test kills, 0 to 1."""
        return float(self.killed.any(axis=0).mean())

    @property
    def survivors(self) -> tuple[str, ...]:
        """The mutants that no test kills, in their order."""
        return tuple(name for at, name in enumerate(self.mutants) if not self.killed[:, at].any())

    @property
    def scores(self) -> dict[str, float]:
        """Share of the mutants that each test kills by itself."""
        fractions = self.killed.mean(axis=1)
        return {name: float(fraction) for name, fraction in zip(self.tests, fractions, strict=True)}

    @property
    def needed(self) -> tuple[str, ...]:
        """The tests that alone kill some mutant: without one of them the score falls."""
        once = self.killed & (self.killed.sum(axis=0) == 1)
        alone = once.any(axis=1)
        return tuple(name for name, keeps in zip(self.tests, alone, strict=True) if keeps)


def run_mutants(
    tests: Mapping[str, PropertyTest],
    mutants: Mapping[str, Program],
    reference: Program,
    limit: int = 200_000,
) -> Kills:
    """Run every test on every mutant, in this process, and return the `Kills`.

    Raises `ValueError` if there is no test or no mutant, or the reference fails a test.

    Parameters
    ----------
    tests : mapping of str to callable
        Each takes a program and raises, or returns False, where it finds it wrong. Anything else
        returned passes.
    mutants : mapping of str to callable
        Programs with a planted bug each. They run with all rights of the caller: your own code.
    reference : callable
        The right program, which must pass every test.
    limit : int
        Bytecodes that one test on one program may execute, 1 or more; a mutant beyond is killed.

    Examples
    --------
    >>> def never_negative(program):
    ...     assert program(-2) >= 0
    >>> kills = run_mutants({"never negative": never_negative},
    ...                     {"forgot the sign": lambda x: x, "one more": lambda x: abs(x) + 1}, abs)
    >>> kills.score, kills.survivors
    (0.5, ('one more',))
    """
    most = whole("limit", limit, 1)
    for name, given in (("tests", tests), ("mutants", mutants)):
        if not given:
            raise ValueError(f"{name} must hold one or more, got none")
    for name, test in tests.items():
        if _fails(test, reference, most):
            raise ValueError(f"reference must pass every test, got a failure of {name!r}")
    killed = [
        [_fails(test, mutant, most) for mutant in mutants.values()] for test in tests.values()
    ]
    return Kills(tuple(tests), tuple(mutants), np.array(killed, dtype=np.bool_))


def _fails(test: PropertyTest, program: Program, limit: int) -> bool:
    answers: list[object] = []
    try:
        count_bytecodes(lambda: answers.append(test(program)), limit=limit)
    except (Exception, CountExceeded):
        return True
    return answers[0] is False or (isinstance(answers[0], np.bool_) and not answers[0])


SWAPS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.And: ast.Or,
    ast.Or: ast.And,
}
SIGNS: dict[type[ast.AST], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Lt: "<",
    ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=", ast.And: "and",
    ast.Or: "or",
}  # fmt: skip


def mutate(function: Program) -> dict[str, Program]:
    """Return mutants of a function: each with one operator swapped or one number raised by one.

    `+` and `-`, `*` and `/`, `and` and `or`, `==` and `!=`, and `<` and `<=` change places; a whole
    number n becomes n + 1. Some mutants may be right all the same: a test can't kill those. The
    mapping goes from what was changed, with its line in the function, to the mutant. The `function`
    is in Python; what it uses of an enclosing one is not carried over. Raises `ValueError` if the
    source can't be read.

    Examples
    --------
    >>> from statistics import median
    >>> any("line" in name for name in mutate(median))
    True
    """
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError) as reason:
        raise ValueError(f"function must have a source to read, got {function!r}") from reason
    result: dict[str, Program] = {}
    indices = sum(1 for _ in _changes(tree))
    for index in range(indices):
        mutant = copy.deepcopy(tree)
        name, change = list(_changes(mutant))[index]
        change()
        result[_unused(name, result)] = _compiled(mutant, function)
    return result


def _changes(tree: ast.Module) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield what can be changed in a tree, in its order, with the call that changes it."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.BinOp, ast.AugAssign, ast.BoolOp)):
            yield from _swapped(node.op, node.lineno, partial(setattr, node, "op"))
        elif isinstance(node, ast.Compare):
            yield from _swapped(node.ops[0], node.lineno, partial(node.ops.__setitem__, 0))
        elif isinstance(node, ast.Constant) and type(node.value) is int:
            text = f"line {node.lineno}: {node.value} to {node.value + 1}"
            yield text, partial(setattr, node, "value", node.value + 1)


def _swapped(
    sign: ast.AST, line: int, replace: Callable[[ast.AST], object]
) -> Iterator[tuple[str, Callable[[], object]]]:
    swap = SWAPS.get(type(sign))
    if swap is not None:
        text = f"line {line}: {SIGNS[type(sign)]} to {SIGNS[swap]}"
        yield text, partial(replace, swap())


def _unused(name: str, taken: Mapping[str, object]) -> str:
    """Return a name with a number behind it where another mutant has it."""
    count = 2
    while name in taken:
        name, count = f"{name.split(' (')[0]} ({count})", count + 1
    return name


def _compiled(tree: ast.Module, function: Program) -> Program:
    """Return the function of a changed tree, among the names of the one that it was made from."""
    body = tree.body[0]
    if not isinstance(body, ast.FunctionDef):
        raise ValueError(f"function must be defined by def, got {function!r}")
    body.decorator_list = []
    names = dict(function.__globals__)
    exec(compile(ast.fix_missing_locations(tree), "<mutant>", "exec"), names)
    made: Program = names[body.name]
    return made
