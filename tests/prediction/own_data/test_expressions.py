"""Counts from text: values by hand, and nothing but arithmetic."""

import pandas as pd
import pytest

from perfmodel.prediction.own_data.expressions import Counts

TABLE = pd.DataFrame({"m": [1, 2**40], "n": [3, 2**40]})


def test_counts_by_hand():
    counted = Counts("m*n, 1, max(m, n)+min(m, 2), -log(m/m), ceil(n/2)**2 - 1")(TABLE)
    first = [float(values[0]) for values in counted.values()]
    assert first == [3, 1, 4, 0, 3]
    assert counted["m*n"][1] == 2.0**80


def test_names_are_those_of_columns():
    assert Counts("log(a)*b, max(b, c)").names == ["b", "a", "c"]


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true')",
        "m.values",
        "m[0]",
        "m if n else 1",
        "(lambda: 1)()",
        "exp(m)",
        "log(m, n)",
        "max(m)",
        "log",
        "True",
        "'m'",
        "m, , n",
        "m) + (n",
        "",
        " ",
        "m // n",
        "m @ n",
    ],
)
def test_anything_else_is_refused(text):
    with pytest.raises(ValueError, match="counts"):
        Counts(text)
