"""Source code: a student's line that failed, a reference as it is shown, a stub left as it was."""

from __future__ import annotations

import ast
import inspect
import linecache
from collections.abc import Callable
from functools import cache
from textwrap import dedent, indent
from typing import Any

Function = Callable[..., Any]


def where(error: BaseException, function: Function) -> str:
    """Return the line of the student's own cell at which `error` was raised, or nothing."""
    own = getattr(inspect.unwrap(function), "__code__", None)
    line, trace = "", error.__traceback__
    while own and trace:
        code = trace.tb_frame.f_code
        if code.co_filename == own.co_filename:
            text = linecache.getline(code.co_filename, trace.tb_lineno).strip()
            line = f"line {trace.tb_lineno}" + (f", `{text}`" if text else "")
        trace = trace.tb_next
    return line


def is_stub(function: Function) -> bool:
    """Return whether a function's body is nothing but `...`, `pass` or its docstring.

    >>> is_stub(lambda x: ...), is_stub(lambda x: x)
    (True, False)
    """
    code = getattr(function, "__code__", None)
    return code is not None and code.co_code in (_stub.__code__.co_code, _dots.__code__.co_code)


def unchanged(function: Function, given: Function) -> bool:
    """Return whether a function's code is that of `given` but for name, types and comments."""
    if function is given:
        return True
    try:
        return _bare(function) == _bare(given)
    except (OSError, TypeError, SyntaxError, StopIteration):
        return False


def shown(reference: Function, name: str = "") -> str:
    """Return a reference's source as a student would write it.

    A function comes as it is, without what is indented around it. Of a lambda the expression is
    shown, under `name` and behind `return` where it takes arguments.

    >>> shown(lambda: 2 + 3)
    '2 + 3'
    """
    if reference.__name__ != "<lambda>":
        return dedent(inspect.getsource(reference)).strip()
    node = _lambda_node(reference)
    body = _segment(reference.__code__.co_filename, node.body)
    if not node.args.args:
        return body
    long = "\n" in body
    value = f"(\n{indent(body, '        ')}\n    )" if long else body
    return f"def {name or 'answer'}({ast.unparse(node.args)}):\n    return {value}"


def _stub() -> None: ...


def _dots() -> Any:
    return ...


def _bare(function: Function) -> str:
    plain = inspect.unwrap(getattr(function, "py_func", function))
    node = ast.parse(dedent(inspect.getsource(plain))).body[0]
    if not isinstance(node, ast.FunctionDef):
        raise TypeError(f"function must be made by def, got {function!r}")
    node.name, node.returns = "", None
    for argument in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
        argument.annotation = None
    if ast.get_docstring(node) is not None:
        node.body = node.body[1:]
    return ast.dump(node)


def _lambda_node(function: Function) -> ast.Lambda:
    """Return the lambda at a function's place in its file; of several on a line, its own."""
    code = function.__code__
    places = {(line, column) for line, _, column, _ in code.co_positions()}
    found = [
        node
        for node in ast.walk(_parsed(code.co_filename))
        if isinstance(node, ast.Lambda) and node.lineno == code.co_firstlineno
    ]
    own = [node for node in found if (node.body.lineno, node.body.col_offset) in places]
    return (own or found)[0]


@cache
def _parsed(file: str) -> ast.Module:
    return ast.parse("".join(linecache.getlines(file)))


def _segment(file: str, node: ast.expr) -> str:
    text = "".join(linecache.getlines(file))
    segment = ast.get_source_segment(text, node) or ast.unparse(node)
    first, *rest = segment.split("\n")
    return "\n".join([first, *dedent("\n".join(rest)).split("\n")]) if rest else first
