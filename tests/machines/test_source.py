"""Hardware numbers in the package's code and docstrings agree with the registry, or come from it.

A statement of code that names a machine of the registry types no rate of a billion or more: it asks
`perfmodel.machines`. What a docstring says is held to the registry like the book's text. A comment
`# not from the registry: why` on a line of the statement leaves it alone.
"""

import ast
from pathlib import Path

import pytest
from test_prose import MARKED, named, wrong_numbers

import perfmodel

SOURCE = Path(perfmodel.__file__).parent
FILES = [path for path in sorted(SOURCE.rglob("*.py")) if path.parent.name != "machines"]
RATE = 1e9


def statements(tree):
    """Yield the statements that hold no others."""
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt) and not hasattr(node, "body"):
            yield node


def typed_rates(text):
    """Return what is typed beside a machine's name, as (line, number)."""
    lines = text.split("\n")
    typed = []
    for node in statements(ast.parse(text)):
        source = "\n".join(lines[node.lineno - 1 : node.end_lineno])
        constants = [part.value for part in ast.walk(node) if isinstance(part, ast.Constant)]
        words = [value for value in constants if isinstance(value, str) and len(value) < 100]
        names = [part.id for part in ast.walk(node) if isinstance(part, ast.Name)]
        if MARKED in source or not named(" ".join([*words, *names]).replace("_", " ")):
            continue
        rates = [v for v in constants if isinstance(v, (int, float)) and abs(v) >= RATE]
        typed += [(node.lineno, rate) for rate in rates]
    return typed


def docstrings(text):
    """Return the module's texts: docstrings of all sorts."""
    values = [node.value for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Expr)]
    strings = [v.value for v in values if isinstance(v, ast.Constant) and isinstance(v.value, str)]
    return "\n\n".join(strings)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_hardware_numbers_come_from_the_registry(path):
    text = path.read_text("utf-8")
    assert typed_rates(text) == []
    assert wrong_numbers(docstrings(text)) == []


@pytest.mark.parametrize(
    ("code", "rates"),
    [
        ('A100 = Platform("A100", 19.5e12, memory=1555e9)', [19.5e12, 1555e9]),
        ("peak = 67e12 if name == 'H100' else 0.0", [67e12]),
        ('A100 = Platform("A100", machines.get("a100-sxm4-80gb").peak("fp32"))', []),
        ("A100 = Run(tokens=1e12)  # not from the registry: a count of tokens", []),
        ("budget = 1e12", []),
        ("cores = {'A100': 108}", []),
    ],
)
def test_typed_rates_are_found(code, rates):
    assert [rate for _, rate in typed_rates(code)] == rates
