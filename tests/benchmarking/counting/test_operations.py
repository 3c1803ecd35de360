import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.benchmarking.counting.operations import (
    CountedNumber,
    Operations,
    count_operations,
)


def test_each_kind_by_hand():
    def formula(a, b):
        return (a + b - 1.0) * a / (2 + b) ** 2 if a < b else -a

    assert count_operations(formula, 1.0, 2.0) == Operations(3, 1, 1, 1, 1)
    assert count_operations(formula, 1.0, 2.0).flops == 6
    assert count_operations(formula, 2.0, 1.0) == Operations(comparisons=1)


@given(m=st.integers(1, 5), n=st.integers(1, 5), k=st.integers(1, 5))
def test_matrix_product_inside_numpy(m, n, k):
    result = count_operations(np.matmul, np.ones((m, k)), np.ones((k, n)))
    assert (result.multiplications, result.additions) == (m * n * k, m * n * (k - 1))


def test_loops_and_vectors_count_alike():
    def loop(a, x, y):
        out = y.copy()
        for i in range(len(x)):
            out[i] = a * x[i] + y[i]
        return out

    x, y = np.arange(7.0), np.ones(7)
    vector = count_operations(lambda a, x, y: a * x + y, 2.0, x, y)
    assert vector == count_operations(loop, 2.0, x, y) == Operations(7, 7)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=8))
def test_values_are_those_of_floats(values):
    def squares(xs):
        kept = 0.0
        for x in xs:
            kept = kept + x * x - 1
        results.append(kept)

    results = []
    count_operations(squares, values)
    counted = results.pop()
    squares(values)
    assert counted.value == results.pop()


def test_whole_numbers_and_arguments_stay_as_they_are():
    x = np.ones(3)
    assert count_operations(lambda x, n: [x[i] for i in range(n)], x, 3).flops == 0
    assert x.dtype == np.float64


def test_roots_and_signs():
    assert count_operations(lambda x: np.sqrt(np.abs(-x)), np.ones(4)) == Operations(powers=4)


def test_what_would_go_uncounted_is_refused():
    with pytest.raises(TypeError, match="zeros_like"):
        count_operations(float, 1.0)

    def plain(x):
        np.zeros(3)[0] = x[0]

    with pytest.raises(TypeError, match="zeros_like"):
        count_operations(plain, np.ones(3))
    with pytest.raises(TypeError):
        CountedNumber(1.0, Operations()) + "1"
