"""Comparisons that rounding decides are found in assertions, and all others left as they are."""

import ast

import pytest
import rounding

SUM = 0.1 + 0.2
"""One unit of the last place above 0.3."""


def run(text, **names):
    exec(compile(rounding.look_closely(ast.parse(text)), "test", "exec"), names)


@pytest.mark.parametrize(
    "text",
    [
        "assert x >= 0.3",
        "assert 0.3 < x",
        "assert all(x >= y for y in [0.1, 0.3])",
        "assert 0.1 <= 0.3 <= x",
        "assert np.all(np.array([1.0, x]) >= 0.3)",
    ],
)
def test_a_comparison_decided_by_rounding_fails(text):
    with pytest.raises(AssertionError, match="by less than rounding: say how near is near"):
        run(f"import numpy as np\n{text}", x=SUM)


@pytest.mark.parametrize(
    "text",
    [
        "assert x >= 0.3 - 1e-12",
        "assert x >= x",
        "assert 3 >= 2 and 0 <= x - x",
        "assert x <= float('inf')",
        "assert np.all(np.array([x, -np.inf]) <= np.inf)",
        "assert 0.1 <= x <= 0.4",
        "assert not x < 0.2",
        "assert 'a' <= 'b'",
        "big = x > 0.3\nassert big",
    ],
)
def test_others_pass(text):
    run(f"import numpy as np\n{text}", x=SUM)


def test_a_false_comparison_stays_false():
    with pytest.raises(AssertionError) as stopped:
        run("assert x <= 0.3", x=SUM)
    assert "rounding" not in str(stopped.value)


def test_docstring_and_future_imports_stay_in_front():
    run('"""Text."""\nfrom __future__ import annotations\nassert __doc__ == "Text."')
