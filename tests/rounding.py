"""Comparisons of floats in assertions that rounding decides: they fail here, not only elsewhere.

Two sums of the same numbers in another order, or on another processor, differ in their last bits.
So `assert a <= b` says nothing where the two are that near, unless they are the very same number.
pytest reads each file of tests through `look_closely`, which has comparisons in assertions call
`holds`; whoever wants such a comparison to pass says how near is near, as in `a <= b + 1e-9`.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from _pytest.assertion import rewrite

NEAR = 3e-15
"""Floats that differ by a smaller share than this differ by rounding alone."""
ORDERS: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
NAME = "__holds__"
FOLDER = Path(__file__).resolve().parent


def holds(order: str, left: Any, right: Any) -> Any:
    """Return `left < right`, or another order.

    Raises
    ------
    AssertionError
        If floats are so near that rounding decides.
    """
    result = getattr(operator, order)(left, right)
    if _float(left) and _float(right) and np.any(_near(left, right) & np.asarray(result)):
        raise AssertionError(
            f"{left!r} {order} {right!r} by less than rounding: say how near is near"
        )
    return result


def _float(value: Any) -> bool:
    return isinstance(value, (float, np.floating)) or (
        isinstance(value, np.ndarray) and value.dtype.kind == "f"
    )


def _near(left: Any, right: Any) -> Any:
    with np.errstate(all="ignore"):
        gap = np.abs(np.subtract(left, right))
        return (
            (gap > 0) & np.isfinite(gap) & (gap <= NEAR * np.maximum(np.abs(left), np.abs(right)))
        )


class _Comparisons(ast.NodeTransformer):
    """Has each order comparison of two things call `holds`; a chain becomes several."""

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        if len(node.ops) > 1 or type(node.ops[0]) not in ORDERS:
            return node
        order = ast.Constant(ORDERS[type(node.ops[0])].__name__)
        return ast.copy_location(
            ast.Call(ast.Name(NAME, ast.Load()), [order, node.left, node.comparators[0]], []), node
        )


class _Chains(ast.NodeTransformer):
    """Splits `a <= b < c` where `b` is a name or a constant, so that nothing is computed twice."""

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        inner = node.comparators[:-1]
        if not inner or not all(isinstance(part, (ast.Name, ast.Constant)) for part in inner):
            return node
        sides = [node.left, *node.comparators]
        pairs = zip(sides[:-1], node.ops, sides[1:], strict=True)
        parts: list[ast.expr] = [ast.Compare(left, [op], [right]) for left, op, right in pairs]
        return ast.copy_location(ast.BoolOp(ast.And(), parts), node)


def look_closely(tree: ast.Module) -> ast.Module:
    """Change the assertions of a module so that they fail where rounding decides them."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assert):
            node.test = _Comparisons().visit(_Chains().visit(node.test))
    first = next(
        (place for place, node in enumerate(tree.body) if not _must_lead(node)), len(tree.body)
    )
    brought = ast.ImportFrom("rounding", [ast.alias("holds", NAME)], 0)
    tree.body.insert(first, brought)
    return ast.fix_missing_locations(tree)


def _must_lead(node: ast.stmt) -> bool:
    is_docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return is_docstring or (isinstance(node, ast.ImportFrom) and node.module == "__future__")


def install() -> None:
    """Have pytest read the files of this folder through `look_closely`.

    It also rewrites its plugins, which are left as they are: what it keeps of them serves all.
    """
    plain = rewrite.rewrite_asserts

    def rewritten(tree: ast.Module, source: bytes, path: str | None = None, *rest: Any) -> None:
        ours = path is not None and FOLDER in Path(path).resolve().parents
        plain(look_closely(tree) if ours else tree, source, path, *rest)

    rewrite.rewrite_asserts = rewritten
