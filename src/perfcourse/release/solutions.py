"""The solutions of a notebook's cells: what stands between two markers, and what replaces it.

A solution stands between `### BEGIN SOLUTION` and `### END SOLUTION`. In the student's edition an
indented solution becomes `raise NotImplementedError`, and one at the margin becomes `name = ...`
for each answer that it assigns. Whatever else stands in the cell stays as it is, so every line of
the student's cell, but for the placeholder, occurs in the solution.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Sequence

BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"
PLACEHOLDER = "# your answer here"


class ReleaseError(ValueError):
    """The source notebook can't be released as it is; the message says where and why."""


def cleared(text: str, names: Sequence[str], where: str = "cell") -> str:
    r"""Return a cell's text with its solutions replaced by placeholders.

    >>> print(cleared("### BEGIN SOLUTION\nx = 1\n### END SOLUTION\ncheck('q', x)", ["x"]))
    x = ...  # your answer here
    check('q', x)
    """
    return swapped(text, lambda solution, indent: placeholders(solution, names, indent), where)


def swapped(
    text: str, instead: Callable[[list[str], str], Sequence[str]], where: str = "cell"
) -> str:
    r"""Return a cell's text with other lines instead of its solutions.

    `instead` takes a solution's lines and its indentation; `where` is what an error names.

    >>> swapped("### BEGIN SOLUTION\nx = 1\n### END SOLUTION", lambda lines, _: ["#", *lines])
    '#\nx = 1'
    """
    new_lines: list[str] = []
    solution: list[str] | None = None
    for line in text.splitlines():
        mark = line.strip()
        if mark == BEGIN and solution is None:
            solution, indent = [], line[: len(line) - len(line.lstrip())]
        elif mark == END and solution is not None:
            new_lines += instead(solution, indent)
            solution = None
        elif mark in (BEGIN, END):
            raise ReleaseError(f"{where}: {mark} doesn't match")
        else:
            (new_lines if solution is None else solution).append(line)
    if solution is not None:
        raise ReleaseError(f"{where}: {BEGIN} without {END}")
    return "\n".join(new_lines)


def stray_lines(stub: str, solution: str) -> list[str]:
    """Return the lines of a student's cell that are neither placeholders nor in the solution."""
    known = {line.strip() for line in solution.splitlines()}
    lines = [line.strip() for line in stub.splitlines()]
    return [line for line in lines if line not in known and not line.endswith(PLACEHOLDER)]


def placeholders(solution: list[str], names: Sequence[str], indent: str) -> list[str]:
    """Return what stands in a student's cell for a solution that sets some of `names`."""
    if indent:
        return [f"{indent}raise NotImplementedError  {PLACEHOLDER}"]
    targets = [target for name, target in assigned("\n".join(solution)) if name in names]
    return [f"{target} = ...  {PLACEHOLDER}" for target in targets] or [PLACEHOLDER]


def assigned(text: str) -> list[tuple[str, str]]:
    r"""Return what code at the margin sets, in order: the name, and `name` or `name["key"]`.

    >>> assigned("q1 = 2\nq2['a'] = 3\ndef f(x):\n    y = x\n    return y")
    [('q1', 'q1'), ('q2', 'q2["a"]'), ('f', 'f')]
    """
    try:
        tree = ast.parse(re.sub(r"(?m)^(\s*)[%!].*$", r"\1pass", text))
    except SyntaxError:
        return []
    pairs: list[tuple[str, str]] = []
    for node in _at_the_margin(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            pairs.append((node.name, node.name))
        elif isinstance(node, ast.alias):
            name = node.asname or node.name.partition(".")[0]
            pairs.append((name, name))
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            pairs.append((node.id, node.id))
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            target = ast.unparse(node).replace("'", '"')
            pairs += [(n.id, target) for n in ast.walk(node.value) if isinstance(n, ast.Name)]
    return list(dict.fromkeys(pairs))


_NAMES_OF_ITS_OWN = (
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Lambda,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
)


def _at_the_margin(node: ast.AST) -> Iterator[ast.AST]:
    """Return the nodes of code in order, without what has names of its own inside."""
    yield node
    if not isinstance(node, _NAMES_OF_ITS_OWN):
        for child in ast.iter_child_nodes(node):
            yield from _at_the_margin(child)
