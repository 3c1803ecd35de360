"""One way to do it: a reference's source as a student would write it, and can run it."""

from __future__ import annotations

import ast
import inspect
import linecache
import re
from functools import cache
from textwrap import dedent, indent
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from perfmodel.tasks.source import Function


def shown(reference: Function, name: str = "") -> str:
    """Return a reference's source so that it runs where a student pastes it.

    A function comes under `name` where one is given, without types and without what is indented
    around it. Of a lambda the expression is shown, behind `return` where it takes arguments. The
    names that it uses of its module stand in front as imports, except for `np`, which every lab
    has.

    >>> shown(lambda: 2 + 3)
    '2 + 3'
    """
    if reference.__name__ == "<lambda>":
        text = _of_lambda(reference, name)
    else:
        text = _untyped(dedent(inspect.getsource(reference)).strip())
        text = re.sub(r"\bdef \w+", f"def {name}", text, count=1) if name else text
    imports = _imports(text, reference)
    return "\n".join([*imports, "", text]) if imports else text


def _of_lambda(reference: Function, name: str) -> str:
    node = lambda_node(reference)
    body = _segment(reference.__code__.co_filename, node.body)
    if not node.args.args:
        return body
    long = "\n" in body
    value = f"(\n{indent(body, '        ')}\n    )" if long else body
    return f"def {name or 'answer'}({ast.unparse(node.args)}):\n    return {value}"


def _untyped(text: str) -> str:
    r"""Return a function's source without the types of its arguments, variables and result.

    >>> print(_untyped("def f(x: int) -> int:\n    y: int = x\n    return y"))
    def f(x):
        y = x
        return y
    """
    lines = text.encode().splitlines(keepends=True)

    def place(line: int | None, column: int | None) -> int:
        return len(b"".join(lines[: (line or 1) - 1])) + (column or 0)

    code, spans = text.encode(), []
    for node in ast.walk(ast.parse(text)):
        kind = getattr(node, "annotation", None) or getattr(node, "returns", None)
        if kind is None:
            continue
        first, last = (
            place(kind.lineno, kind.col_offset),
            place(kind.end_lineno, kind.end_col_offset),
        )
        mark = b"->" if isinstance(node, ast.FunctionDef) else b":"
        spans.append((len(code[: code.rindex(mark, 0, first)].rstrip()), last))
    for begin, end in sorted(spans, reverse=True):
        code = code[:begin] + code[end:]
    return code.decode()


def _imports(text: str, reference: Function) -> list[str]:
    """Return the imports of the names that `text` uses of its reference's module."""
    nodes = list(ast.walk(ast.parse(text)))
    names = [node for node in nodes if isinstance(node, ast.Name)]
    own = {node.id for node in names if isinstance(node.ctx, ast.Store)}
    own |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    used = {node.id for node in names} - own - {"np"}
    found: dict[str, list[str]] = {}
    for name in sorted(used & reference.__globals__.keys()):
        found.setdefault(_origin(name, reference), []).append(name)
    return [f"{origin} {', '.join(parts)}" for origin, parts in sorted(found.items())]


def _origin(name: str, reference: Function) -> str:
    """Return the words in front of `name` in the import that a reader writes."""
    for node in _parsed(reference.__code__.co_filename).body:
        if not isinstance(node, ast.Import | ast.ImportFrom):
            continue
        if name in (alias.name for alias in node.names if not alias.asname):
            return "import" if isinstance(node, ast.Import) else f"from {node.module} import"
    return f"from {reference.__module__} import"


def lambda_node(reference: Function) -> ast.Lambda:
    """Return the lambda at a function's place in its file; of several on a line, its own."""
    code = reference.__code__
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
