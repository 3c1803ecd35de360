"""Source code is found and shown as a student would write it."""

import pytest

from perfmodel.tasks.source import is_stub, shown, unchanged, where
from perfmodel.validation import positive


def given(units):
    """Return a sum."""
    total = 0
    for i in range(units):
        total += i
    return total


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


def test_a_copy_is_unchanged_whatever_its_name_types_and_comments():
    def mine(units: int) -> int:
        # copied
        total = 0
        for i in range(units):
            total += i
        return total

    assert unchanged(mine, given)
    assert unchanged(given, given)


def test_any_other_code_is_changed():
    def mine(units):
        total = 0
        for i in range(1, units):
            total += i
        return total

    assert not unchanged(mine, given)
    assert not unchanged(lambda units: sum(range(units)), given)
    assert not unchanged(sum, given)
    assert not unchanged(eval("lambda units: 3"), given)


def test_stubs():
    def documented(x):
        """Return x."""

    assert is_stub(documented)
    assert not is_stub(given)
    assert not is_stub(len)


def test_no_line_of_an_error_elsewhere():
    with pytest.raises(ValueError, match="tolerance") as caught:
        positive("tolerance", 0)
    inside = caught.value.with_traceback(caught.tb.tb_next)
    assert where(inside, given) == ""
    assert where(inside, len) == ""
