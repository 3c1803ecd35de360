"""The one definition of a quantile: NumPy's where NumPy has one, exact at ties, with infinities."""

import ast
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

import perfmodel
from perfmodel.measurement.statistics.quantiles import quantile_positions, sample_quantile

SOURCE = Path(perfmodel.__file__).parent.parent


@given(st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=40), st.floats(0, 1))
def test_is_that_of_numpy(values, level):
    assert sample_quantile(values, level) == pytest.approx(np.quantile(values, level), abs=1e-5)
    assert sample_quantile(values, 0.5) == pytest.approx(np.median(values), abs=1e-9)


@given(
    st.lists(st.tuples(st.floats(-9, 9), st.integers(0, 4)), min_size=1, max_size=20),
    st.sampled_from([0, 0.1, 0.5, 0.75, 1]),
)
def test_counts_are_repeated_values(pairs, level):
    values, counts = np.array([[-10.0, 1], *pairs]).T
    repeated = np.repeat(values, counts.astype(int))
    result = sample_quantile(values, level, counts.astype(int))
    assert result == pytest.approx(np.quantile(repeated, level), abs=1e-9)


@pytest.mark.parametrize("size", [11, 101, 1001])
def test_every_whole_position_is_whole(size):
    """0.7 times 10 is 7.000000000000001 in places where the level was computed, such as 1 - 0.3."""
    ranks = np.arange(size)
    for levels in (ranks / (size - 1), 1 - ranks[::-1] / (size - 1)):
        rank, fraction = quantile_positions(levels, size)
        assert rank.tolist() == ranks.tolist()
        assert not fraction.any()


def test_a_neighbour_at_infinity_counts_only_where_it_is_reached():
    values = [1.0, 2.0, 3.0, np.inf, np.inf]
    assert sample_quantile(values, [0.5, 1 - 0.5, 0.51, 0.9]).tolist() == [3, 3, np.inf, np.inf]
    assert sample_quantile([-np.inf, 1.0, 2.0], [0.2, 0.5]).tolist() == [-np.inf, 1]


def test_no_other_definition_is_asked_for_in_the_package():
    """NumPy and pandas have a dozen; a call that names one is a second definition."""
    named = [
        f"{path.relative_to(SOURCE)}:{call.lineno}"
        for path in SOURCE.rglob("*.py")
        for call in ast.walk(ast.parse(path.read_text()))
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr in {"quantile", "percentile", "nanquantile", "nanpercentile"}
        and {"method", "interpolation"} & {keyword.arg for keyword in call.keywords}
    ]
    assert named == []
