"""A reference is shown as a student would write it, and runs where it is pasted."""

from collections.abc import Sequence
from math import ceil

from perfmodel.tasks.solution import shown

HALF = 0.5


def test_of_several_lambdas_on_a_line_each_shows_its_own():
    one, other = lambda x: x + 1, lambda y: y * 2
    assert shown(one, "f") == "def f(x):\n    return x + 1"
    assert shown(other, "f") == "def f(y):\n    return y * 2"


def test_a_lambda_over_lines_is_laid_out_again():
    long = lambda first, second: (  # noqa: E731
        first
        + second
    )  # fmt: skip
    assert shown(long, "f") == (
        "def f(first, second):\n    return (\n        first\n        + second\n    )"
    )
    compile(shown(long, "f"), "shown", "exec")


def test_a_function_is_shown_without_its_indentation():
    def inner(x):
        return x

    assert shown(inner) == "def inner(x):\n    return x"


def test_a_function_has_the_name_asked_for_and_no_types():
    def inner(
        x: Sequence[float],  # in seconds
        *,
        scale: float = 1.0,
    ) -> dict[str, float]:
        """Return `x -> y`: a total."""
        total: float = 0.0
        for one in x:
            total += scale * one
        return {"total": total}

    text = shown(inner, "total")
    assert text.startswith("def total(\n    x,  # in seconds\n    *,\n    scale = 1.0,\n):")
    assert "total = 0.0" in text
    assert "`x -> y`: a total" in text
    space = {}
    exec(text, space)
    assert space["total"]([1.0, 2.0], scale=2.0) == {"total": 6.0}


def test_what_it_uses_of_its_module_is_imported_in_front():
    text = shown(lambda x: ceil(x * HALF), "cores")
    head = f"from {__name__} import HALF\nfrom math import ceil\n\n"
    assert sorted(text.splitlines()[:2]) == sorted(head.splitlines()[:2])
    assert text.endswith("\n\ndef cores(x):\n    return ceil(x * HALF)")
    assert shown(lambda ceil: ceil + 1) == "def answer(ceil):\n    return ceil + 1"
