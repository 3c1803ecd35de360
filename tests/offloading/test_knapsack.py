import itertools
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.offloading import (
    exact_packing,
    fractional_packing,
    greedy_packing,
)


def all_packings(size, value, capacity):
    choices = np.array(list(itertools.product((0, 1), repeat=len(size))))
    fits = choices @ size <= capacity
    return float((choices @ value)[fits].max())


knapsacks = st.tuples(st.integers(1, 9), st.integers(0, 10**6), st.floats(0, 1.1))


def drawn(count, seed, filled):
    random = np.random.default_rng(seed)
    size = random.integers(1, 30, count)
    value = random.integers(0, 50, count)
    return size, value, int(filled * size.sum())


@settings(max_examples=60, deadline=None)
@given(knapsacks)
def test_both_exact_methods_equal_exhaustive_search(knapsack):
    size, value, capacity = drawn(*knapsack)
    best = all_packings(size, value, capacity)
    for method in ("dynamic", "branch"):
        found = exact_packing(size, value, capacity, method=method)
        assert found.value == pytest.approx(best)
        assert found.size <= capacity
        assert found.fractions @ size == pytest.approx(found.size)


@settings(max_examples=100, deadline=None)
@given(knapsacks)
def test_greedy_below_exact_below_shares_and_the_gap_holds(knapsack):
    size, value, capacity = drawn(*knapsack)
    best = all_packings(size, value, capacity)
    greedy = greedy_packing(size, value, capacity)
    assert greedy.value <= best + 1e-9
    assert best <= fractional_packing(size, value, capacity).value + 1e-9
    fits = size <= capacity
    single = value[fits].max() if fits.any() else 0
    assert max(greedy.value, single) >= best / 2 - 1e-9


@settings(max_examples=50, deadline=None)
@given(knapsacks)
def test_density_is_optimal_for_items_of_one_size(knapsack):
    _, value, capacity = drawn(*knapsack)
    size = np.full(len(value), 7)
    assert greedy_packing(size, value, capacity).value == all_packings(size, value, capacity)


def test_shares_fill_the_knapsack_by_hand():
    found = fractional_packing([10, 20, 30], [60, 100, 120], 50)
    assert found.fractions == pytest.approx([1, 1, 2 / 3])
    assert found.value == pytest.approx(240)
    assert found.price == pytest.approx(4)
    assert fractional_packing([1, 2], [1, 1], 9).price == 0


def test_greedy_by_each_order():
    size, value = [6, 5, 5], [7, 5, 5]
    assert greedy_packing(size, value, 10).value == 7
    assert greedy_packing(size, value, 10, order="size").value == 10
    assert greedy_packing(size, value, 10, order="value").value == 7
    assert exact_packing(size, value, 10).value == 10


def test_greedy_alone_can_be_as_bad_as_one_likes():
    size, value = [1, 1000], [2, 1000]
    assert greedy_packing(size, value, 1000).value == 2
    assert exact_packing(size, value, 1000).value == 1000


def test_price_is_the_slope():
    size, value = [10, 20, 30], [60, 100, 120]
    more = fractional_packing(size, value, 50.5).value - fractional_packing(size, value, 50).value
    assert more == pytest.approx(0.5 * fractional_packing(size, value, 50).price)


@pytest.mark.parametrize("pack", [fractional_packing, greedy_packing, exact_packing])
def test_bad_input_is_named(pack):
    with pytest.raises(ValueError, match="value must be one for each size"):
        pack([1, 1], [1], 3)


def test_bad_choices():
    with pytest.raises(ValueError, match="size must be whole numbers"):
        exact_packing([1.5], [1], 3, method="dynamic")
    with pytest.raises(ValueError, match="capacity must be at most"):
        exact_packing([10**9, 10**9], [1, 1], 10**9, method="dynamic")
    with pytest.raises(ValueError, match="method must be"):
        exact_packing([1], [1], 3, method="guess")
    with pytest.raises(ValueError, match="order must be"):
        greedy_packing([1], [1], 3, order="name")


@pytest.mark.parametrize("excess", [9e3, 1e3, 1.0])
def test_branch_never_takes_more_than_fits(excess):
    found = exact_packing([5e9 + excess, 5e9], [1, 1.5], 1e10)
    assert found.size <= 1e10
    assert found.value == 1.5
    assert exact_packing([5e9, 5e9], [1, 1.5], 1e10).value == 2.5


def test_fractions_that_fill_the_capacity():
    """Three times 0.2 is above 0.6 by rounding only."""
    for pack in (greedy_packing, exact_packing, fractional_packing):
        found = pack([0.2] * 3, [1] * 3, 0.6)
        assert found.fractions.tolist() == [1, 1, 1]
        assert found.price == 0
    assert greedy_packing([0.2] * 3, [1] * 3, 0.59999).value == 2


def test_price_is_that_of_the_next_item_where_none_is_cut():
    assert fractional_packing([10, 20], [60, 100], 10).price == pytest.approx(5)


@pytest.mark.parametrize("room", [0, 0.5])
def test_nothing_fits(room):
    assert exact_packing([1, 2], [1, 1], room).fractions.tolist() == [0, 0]
    assert greedy_packing([1, 2], [1, 1], room).value == 0


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6))
def test_branch_on_sizes_far_apart_against_exhaustive_search(seed):
    random = np.random.default_rng(seed)
    size, value = 10 ** random.uniform(0, 10, 7), random.uniform(0, 1, 7)
    capacity = random.uniform(0, 1) * size.sum()
    found = exact_packing(size, value, capacity)
    assert found.value == pytest.approx(all_packings(size, value, capacity))
    assert found.size <= capacity * (1 + 1e-12)


TALKATIVE = """
import ctypes, os
from scipy import optimize
from perfmodel.offloading import exact_packing

solve, library = optimize.milp, ctypes.CDLL(None) if os.name == "posix" else None

def talkative(*arguments, **options):
    found = solve(*arguments, **options)
    os.write(1, b"HighsMipSolverData::transformNewIntegerFeasibleSolution")
    if library:
        library.printf(b"HighsMipSolverData::transformNewIntegerFeasibleSolution")
    return found

optimize.milp = talkative
print("before")
print(exact_packing([6, 5, 5], [7, 5, 5], 10).fractions.tolist())
"""


def test_nothing_that_the_solver_writes_is_printed():
    """HiGHS writes a line for its developers to the process's output, whatever it is told.

    It writes by C's library, which may keep the text until the process ends.
    """
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    command = [sys.executable, "-c", TALKATIVE]
    done = subprocess.run(command, env=buffered, capture_output=True, text=True, check=True)
    assert (done.stdout.splitlines(), done.stderr) == (["before", "[0.0, 1.0, 1.0]"], "")
