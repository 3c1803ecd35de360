"""What a reference gives with one change: a term left out, an operation or a number replaced.

An answer that such a change leads to in all cases is told which one, in words that don't give the
formula away. Only arithmetic is changed, never what a loop counts or a call is asked to make.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from copy import deepcopy
from textwrap import dedent
from typing import NamedTuple

from perfmodel.tasks.source import Function
from perfmodel.tasks.way import lambda_node

MOST = 300
"""Changes that are tried at most."""
_WORDS: dict[type[ast.operator], str] = {
    ast.Add: "a sum",
    ast.Sub: "a difference",
    ast.Mult: "a product",
    ast.Div: "a ratio",
}


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


_VERBS: dict[type[ast.operator], str] = {
    ast.Add: "adds",
    ast.Sub: "subtracts",
    ast.Mult: "multiplies by",
    ast.Div: "divides by",
}


class Variant(NamedTuple):
    """A reference with one change, and that change in words."""

    change: str
    model: Function


def variants(reference: Function) -> Iterator[Variant]:
    """Yield a reference's variants, the likeliest changes first; none of one that has a loop.

    >>> waits = lambda load, service: service * load / (1 - load)
    >>> [v.change for v in variants(waits) if v.model(0.25, 4.0) == 1.0]
    ['without the part that divides by `load`', 'without the part that subtracts `load`']
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
    count = sum(1 for _ in _places(node))
    for index in range(count):
        for step in range(9):
            copy = deepcopy(node)
            parent, field, position, place = list(_places(copy))[index]
            made = _changed(place, step)
            if made is None:
                continue
            rank, words, new = made
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


def _changed(place: ast.AST, step: int) -> tuple[int, str, ast.AST] | None:
    """Return the rank of a change, its words, and what then stands in that place."""
    called = _called(place)
    if isinstance(place, ast.Call) and called in _SWAPPED:
        if step == 0:
            other = _SWAPPED[called]
            made = deepcopy(place)
            if isinstance(made.func, ast.Attribute):
                made.func.attr = other
            elif isinstance(made.func, ast.Name):
                made.func.id = other
            return 1, f"with `{other}` in place of `{called}`", made
        return None
    if isinstance(place, ast.Call) and called in _LEFT_OUT and len(place.args) == 1:
        return (1, f"without `{called}`", place.args[0]) if step == 0 else None
    number = _number(place)
    if number is not None:
        steps = [number + 1, number - 1, 2 * number, number / 2]
        if step >= len(steps):
            return None
        return 2, f"with {steps[step]:g} in place of {number:g}", ast.Constant(steps[step])
    if not isinstance(place, ast.BinOp):
        return None
    divides = isinstance(place.op, ast.Div)
    if step == 0:
        how = _VERBS.get(type(place.op), "has")
        return 0, f"without the part that {how} {_named(place.right)}", place.left
    if step == 1:
        words = f"without the part that has {_named(place.left)}"
        return 0, f"with the divisor {_named(place.right)} alone" if divides else words, place.right
    if step == 2 and type(place.op) in (ast.Sub, ast.Div):
        turned = ast.BinOp(place.right, place.op, place.left)
        return 1, f"with {_WORDS[type(place.op)]} the other way round", turned
    others = [kind for kind in _WORDS if kind is not type(place.op)]
    if type(place.op) not in _WORDS or step - 3 not in range(len(others)):
        return None
    new = ast.BinOp(place.left, others[step - 3](), place.right)
    return 3, f"with {_WORDS[others[step - 3]]} in place of {_WORDS[type(place.op)]}", new


def _called(node: ast.AST) -> str:
    """Return the name of the function that is called there, or nothing."""
    if not isinstance(node, ast.Call):
        return ""
    return node.func.attr if isinstance(node.func, ast.Attribute) else ast.unparse(node.func)


def _named(node: ast.AST) -> str:
    names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    shown = sorted(names - {"np", "float", "int", "sum", "range", "max", "min"})
    return " and ".join(f"`{name}`" for name in shown) if shown else ast.unparse(node)


def _number(node: ast.AST) -> float | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return None if isinstance(node.value, bool) else node.value
    return None
