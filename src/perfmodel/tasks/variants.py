"""What a reference gives with one change: a term left out, an operation or a number replaced.

Where one change gives a student's answers in all cases, the verdict names that change, in words
that don't give the formula away. Only arithmetic is changed, never what a loop counts or a call is
asked to make.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from copy import deepcopy
from itertools import islice
from textwrap import dedent
from typing import NamedTuple

from perfmodel.tasks.solution import lambda_node
from perfmodel.tasks.source import Function

MOST = 300
"""Changes that are tried at most."""
_WORDS: dict[type[ast.operator], str] = {
    ast.Add: "a sum",
    ast.Sub: "a difference",
    ast.Mult: "a product",
    ast.Div: "a ratio",
}
_SIDES: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: ("term", "term"),
    ast.Sub: ("term", "term"),
    ast.Mult: ("factor", "factor"),
    ast.Div: ("numerator", "divisor"),
    ast.Pow: ("base", "exponent"),
}
"""What stands left and right of an operator."""
_SWAPPED = {
    "min": "max",
    "max": "min",
    "minimum": "maximum",
    "maximum": "minimum",
    "floor": "ceil",
    "ceil": "floor",
}
_LEFT_OUT = ("sqrt", "log", "log2", "log10", "exp", "abs", "round", "cumsum", "square")
_SIZED = ("range", "arange", "linspace", "geomspace", "zeros", "ones", "full", "repeat", "tile")


class Variant(NamedTuple):
    """A reference with one change, and that change in words."""

    change: str
    model: Function


def variants(reference: Function) -> Iterator[Variant]:
    """Yield a reference's variants, the likeliest changes first; none of one that has a loop.

    >>> waits = lambda load, service: service * load / (1 - load)
    >>> [v.change for v in variants(waits) if v.model(0.25, 4.0) == 1.0]
    ['without the divisor in `load`', 'without the term `load`']
    """
    try:
        node = _definition(reference)
    except (OSError, SyntaxError, TypeError, IndexError):
        return
    if any(isinstance(each, ast.For | ast.While | ast.FunctionDef) for each in _inside(node)):
        return
    changes = sorted(_changes(node), key=lambda change: change[0])
    for _, words, changed in changes[:MOST]:
        space = dict(reference.__globals__)
        ast.fix_missing_locations(changed)
        exec(compile(ast.Module([changed], []), "<variant>", "exec"), space)  # our own source
        yield Variant(words, space["_variant"])


def _definition(reference: Function) -> ast.FunctionDef:
    """Return a reference as the definition of a function called `_variant`."""
    if reference.__name__ == "<lambda>":
        found = lambda_node(reference)
        made = ast.parse("def _variant(): return 0").body[0]
        assert isinstance(made, ast.FunctionDef)
        made.args, made.body = deepcopy(found.args), [ast.Return(deepcopy(found.body))]
        return made
    made = ast.parse(dedent(inspect.getsource(reference))).body[0]
    if not isinstance(made, ast.FunctionDef):
        raise TypeError(f"reference must be made by def or lambda, got {reference!r}")
    made.name, made.decorator_list = "_variant", []
    return made


def _inside(node: ast.FunctionDef) -> Iterator[ast.AST]:
    for statement in node.body:
        yield from ast.walk(statement)


def _changes(node: ast.FunctionDef) -> Iterator[tuple[int, str, ast.FunctionDef]]:
    """Yield the rank of each change, what it is, and the definition with it."""
    for index, (*_, place) in enumerate(_places(node)):
        for rank, words, new in _replacements(place):
            copy = deepcopy(node)
            parent, field, position, _ = next(islice(_places(copy), index, None))
            if position is None:
                setattr(parent, field, new)
            else:
                getattr(parent, field)[position] = new
            yield rank, words, copy


def _places(node: ast.AST) -> Iterator[tuple[ast.AST, str, int | None, ast.AST]]:
    """Yield where arithmetic stands: its parent, the field, the position in a list, itself."""
    for field, value in ast.iter_fields(node):
        if field in ("args", "annotation", "returns", "generators", "slice") and not isinstance(
            node, ast.Call
        ):
            continue
        for position, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if not isinstance(child, ast.AST):
                continue
            exponent = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow)
            exponent = exponent and field == "right"
            if _number(child) is not None or _called(child) in _SWAPPED or not exponent:
                yield node, field, position, child
            if not exponent and _called(child) not in _SIZED:
                yield from _places(child)


def _replacements(place: ast.AST) -> Iterator[tuple[int, str, ast.AST]]:
    """Yield the rank of each possible change, its words, and the new code."""
    called, number = _called(place), _number(place)
    if isinstance(place, ast.Call) and called in _SWAPPED:
        other = _SWAPPED[called]
        words = f"with `{other}` instead of `{called}`"
        if isinstance(place.func, ast.Attribute):
            function: ast.expr = ast.Attribute(place.func.value, other, ast.Load())
        else:
            function = ast.Name(other, ast.Load())
        yield 1, words, ast.Call(function, place.args, place.keywords)
    elif isinstance(place, ast.Call) and called in _LEFT_OUT and len(place.args) == 1:
        yield 1, f"without `{called}`", place.args[0]
    elif number is not None:
        for other_number in (number + 1, number - 1, 2 * number, number / 2):
            words = f"with {other_number:g} instead of {number:g}"
            yield 2, words, ast.Constant(other_number)
    elif isinstance(place, ast.BinOp):
        yield from _other_operations(place)


def _other_operations(place: ast.BinOp) -> Iterator[tuple[int, str, ast.AST]]:
    """Yield what an operation is changed to: either side alone, both swapped, another operator."""
    kind = type(place.op)
    sides = _SIDES.get(kind, ("part", "part"))
    left, right = (
        _named(n, side) for n, side in zip(sides, (place.left, place.right), strict=True)
    )
    yield 0, f"without {right}", place.left
    yield (
        0,
        f"without {left}" if kind in (ast.Add, ast.Mult) else f"with {right} alone",
        place.right,
    )
    if kind in (ast.Sub, ast.Div):
        words = f"with the sides of {_WORDS[kind]} swapped"
        yield 1, words, ast.BinOp(place.right, place.op, place.left)
    if kind in _WORDS:
        for other in _WORDS:
            if other is not kind:
                words = f"with {_WORDS[other]} instead of {_WORDS[kind]}"
                yield 3, words, ast.BinOp(place.left, other(), place.right)


def _called(node: ast.AST) -> str:
    """Return the name of the function that is called there, or nothing."""
    if not isinstance(node, ast.Call):
        return ""
    return node.func.attr if isinstance(node.func, ast.Attribute) else ast.unparse(node.func)


def _named(noun: str, node: ast.AST) -> str:
    """Return one side of an operation in words: the names in it, or its number."""
    names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    shown = sorted(names - {"np", "float", "int", "sum", "range", "max", "min"})
    if not shown or isinstance(node, ast.Name):
        text = ast.unparse(node)
        return f"the {noun} `{text}`" if shown else f"the {noun} {text}"
    return f"the {noun} in {' and '.join(f'`{name}`' for name in shown)}"


def _number(node: ast.AST) -> float | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return None if isinstance(node.value, bool) else node.value
    return None
