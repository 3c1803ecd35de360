"""Counts of work written as text, such as `m*n*k`, worked out without running anybody's code.

>>> counts = Counts("m*n*k, 2*m*k")
>>> counts({"m": 2.0, "n": 3.0, "k": 4.0})
{'m*n*k': 24.0, '2*m*k': 16.0}
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "log": np.log,
    "ceil": np.ceil,
    "min": lambda *values: np.minimum.reduce(np.broadcast_arrays(*values)),
    "max": lambda *values: np.maximum.reduce(np.broadcast_arrays(*values)),
}
OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
ALLOWED = "columns, numbers, + - * / **, " + ", ".join(FUNCTIONS)


class Counts:
    """Counts of work by name, from a text of expressions with commas between them.

    Expressions have names of columns, numbers, `+ - * / **`, and the functions `log` (natural),
    `ceil`, `min`, `max`; anything else is refused. A count `1` is what every run costs.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        try:
            body = ast.parse(f"({text.strip()},)", mode="eval").body
        except SyntaxError:
            raise ValueError(
                f"counts must be expressions with commas between them, got {text!r}"
            ) from None
        if not isinstance(body, ast.Tuple) or not text.strip():
            raise ValueError(f"counts must name one expression or more, got {text!r}")
        for expression in body.elts:
            _check(expression)
        self.trees: dict[str, ast.expr] = {
            ast.get_source_segment(f"({text.strip()},)", expression) or "": expression
            for expression in body.elts
        }

    @property
    def names(self) -> list[str]:
        """Names of the columns it needs."""
        nodes = [node for tree in self.trees.values() for node in ast.walk(tree)]
        used = [node.id for node in nodes if isinstance(node, ast.Name)]
        return [name for name in dict.fromkeys(used) if name not in FUNCTIONS]

    def __call__(self, features: Any) -> Mapping[str, Any]:
        """Return each count; of a data frame of n rows each has shape (n,)."""
        counted = {name: _value(tree, features) for name, tree in self.trees.items()}
        if not hasattr(features, "index"):
            return {name: float(count) for name, count in counted.items()}
        rows = len(features)
        return {
            name: np.broadcast_to(np.asarray(count, dtype=float), (rows,))
            for name, count in counted.items()
        }


def _check(node: ast.expr) -> None:
    if isinstance(node, ast.Name) and node.id not in FUNCTIONS:
        return
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        _check(node.left)
        _check(node.right)
        return
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        _check(node.operand)
        return
    if _is_call(node):
        for argument in node.args:  # type: ignore[attr-defined]
            _check(argument)
        return
    raise ValueError(f"counts may hold {ALLOWED}; not {ast.unparse(node)!r}")


def _is_call(node: ast.expr) -> bool:
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)) or node.keywords:
        return False
    if node.func.id in ("log", "ceil"):
        return len(node.args) == 1
    return node.func.id in FUNCTIONS and len(node.args) >= 2


def _value(node: ast.expr, features: Any) -> Any:
    match node:
        case ast.Name(id=name):
            # As floats: a product of whole numbers would overflow in silence.
            return np.asarray(features[name], dtype=float)[()]
        case ast.Constant(value=value):
            return float(value)  # type: ignore[arg-type]
        case ast.BinOp(left=left, op=op, right=right):
            return OPERATORS[type(op)](_value(left, features), _value(right, features))
        case ast.UnaryOp(operand=operand):
            return -_value(operand, features)
        case ast.Call(func=ast.Name(id=name), args=arguments):
            return FUNCTIONS[name](*(_value(argument, features) for argument in arguments))
    raise AssertionError(node)
