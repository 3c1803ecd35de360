import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.interpolate import interp1d

from perfmodel.labs.serving.apex.measured_table import MeasuredTable

X = 2.0 ** np.arange(8)


def grid(function, sizes=2):
    rows = np.array(np.meshgrid(*[X] * sizes)).reshape(sizes, -1).T
    return rows, function(*rows.T)


@settings(max_examples=40, deadline=None)
@given(st.sets(st.integers(0, 7), min_size=2), st.lists(st.floats(0.1, 9), min_size=8, max_size=8))
def test_one_size_is_ordinary_interpolation(kept, values):
    """Against scipy, inside; the first value before; beyond, on with the last line or flat."""
    at = sorted(kept)
    x, y = X[at], np.array(values)[at]
    table = MeasuredTable(x[:, None], y, X[:, None])
    line = interp1d(x, y, fill_value="extrapolate")(X)
    slope = (y[-1] - y[-2]) / (x[-1] - x[-2])
    ours = table.seconds(X[:, None])
    for place, size in enumerate(X):
        if size < x[0]:
            assert ours[place] == pytest.approx(y[0])
        elif size <= x[-1]:
            assert ours[place] == pytest.approx(line[place])
        else:
            assert ours[place] == pytest.approx(y[-1] + max(slope, 0) * (size - x[-1]))
    assert table.between(X[:, None]).tolist() == [x[0] <= size <= x[-1] for size in X]


def test_planes_are_found_again_inside():
    rows, times = grid(lambda a, b, c: 3 + a + 2 * b + 0.5 * c, 3)
    hole = (rows > 1).all(axis=1) & (rows < 128).all(axis=1) & (np.arange(len(rows)) % 5 == 0)
    table = MeasuredTable(rows[~hole], times[~hole], rows)
    assert table.seconds(rows[hole]) == pytest.approx(times[hole])
    assert table.seconds(rows[~hole]) == pytest.approx(times[~hole])


def test_answers_of_several_sizes_are_averaged_by_ratio():
    """Along the first size 4, along the second 9: sqrt(36)."""
    table = MeasuredTable([[1, 2], [3, 2], [2, 1], [2, 3]], [4, 4, 9, 9])
    assert table.seconds([[2, 2]]) == pytest.approx([6])


def test_inside_goes_before_beyond():
    """Along the first size there are points on both sides; the second could only be gone on."""
    table = MeasuredTable([[1, 4], [4, 4], [2, 1], [2, 2]], [10, 13, 1, 50], [[2, 4]])
    assert table.seconds([[2, 4]]) == pytest.approx([11])


def test_a_line_goes_on_straight_and_where_there_is_none_the_answer_is_missing():
    rows, times = grid(lambda a, b: a * b)
    small = rows.prod(axis=1) <= 64
    table = MeasuredTable(rows[small], times[small], rows)
    assert table.seconds([[16.0, 8.0]])[0] == pytest.approx(128)
    assert np.isnan(table.seconds([[128.0, 128.0]])[0])
    assert table.between([[16.0, 4.0], [16.0, 8.0]]).tolist() == [True, False]


def test_refuses():
    with pytest.raises(ValueError, match="must not hold a row twice"):
        MeasuredTable([[1], [1]], [1, 2])
    with pytest.raises(ValueError, match="seconds must be of shape"):
        MeasuredTable([[1], [2]], [1])
    with pytest.raises(ValueError, match=r"sizes must be of shape \(n, d\), got \(2,\)"):
        MeasuredTable([1, 2], [1, 2])
    table = MeasuredTable([[1], [2]], [1, 2])
    with pytest.raises(ValueError, match="3 isn't a value of size 0"):
        table.seconds([[3]])
    with pytest.raises(ValueError, match=r"sizes must be of shape \(n, 1\)"):
        table.seconds([[1, 2]])
