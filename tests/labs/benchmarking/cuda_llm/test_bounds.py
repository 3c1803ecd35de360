"""Bounds against hand values, the simulated loop against order statistics."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import norm

from perfmodel.labs.benchmarking.cuda_llm.kernels import (
    bound_time,
    largest_speedup,
    tiled_product_time,
    twelve_kernels,
)
from perfmodel.labs.benchmarking.cuda_llm.rounds import search_rounds, solved_chance
from perfmodel.labs.benchmarking.cuda_llm.sieve import search_sieve
from perfmodel.roofline import Kernel, Roofline

ROOF = Roofline("toy", peak=4e12, bandwidth=1e11)


@given(flops=st.floats(0, 1e15), moved=st.floats(1, 1e15), slower=st.floats(1, 1e4))
def test_a_kernel_at_the_roofline_gains_nothing_and_no_kernel_gains_more_than_it_lost(
    flops, moved, slower
):
    kernel = Kernel("any", flops, moved)
    least = bound_time(kernel, ROOF)
    assert largest_speedup(kernel, ROOF, least) == pytest.approx(1)
    assert largest_speedup(kernel, ROOF, slower * least) == pytest.approx(slower)
    computing, moving = flops / ROOF.peak, moved / ROOF.bandwidth
    assert computing * (1 - 1e-12) <= least <= (computing + moving) * (1 + 1e-12)


def test_a_vector_addition_at_sixty_per_cent_of_the_bandwidth():
    vector = twelve_kernels(10**6)[0]
    assert bound_time(vector, ROOF) == pytest.approx(12e6 / 1e11)
    assert largest_speedup(vector, ROOF, 12e6 / 6e10) == pytest.approx(1 / 0.6)


def test_the_naive_product_can_gain_the_ridge_point_over_a_quarter():
    product = twelve_kernels(matrix=4096)[-1]
    gain = largest_speedup(product, ROOF, tiled_product_time(1, ROOF))
    assert gain == pytest.approx(ROOF.ridge_point / 0.25)


@given(tile=st.integers(1, 4095))
def test_larger_tiles_never_take_longer(tile):
    assert tiled_product_time(tile + 1, ROOF) <= tiled_product_time(tile, ROOF)
    assert tiled_product_time(tile, ROOF) >= bound_time(twelve_kernels()[-1], ROOF)


@pytest.mark.parametrize("candidates", [1, 5, 25])
def test_the_best_of_one_round_has_the_median_of_an_order_statistic(candidates):
    ends = [search_rounds(1, candidates, 1.0, 0.5, seed=seed).best[0] for seed in range(4000)]
    expected = max(np.exp(0.5 * norm.ppf(0.5 ** (1 / candidates))), 1)
    assert np.median(ends) == pytest.approx(expected, rel=0.03)


def test_tasks_are_solved_as_often_as_the_formula_says():
    solved = [
        np.isfinite(search_rounds(2, 3, 0.2, seed=seed).speedups).any() for seed in range(3000)
    ]
    assert np.mean(solved) == pytest.approx(solved_chance(0.2, 6), abs=0.03)


@given(
    rounds=st.integers(1, 6),
    candidates=st.integers(1, 6),
    validity=st.floats(0, 1),
    bound=st.floats(1, 5),
    seed=st.integers(0, 99),
)
def test_the_best_never_falls_and_never_passes_the_bound(rounds, candidates, validity, bound, seed):
    found = search_rounds(rounds, candidates, validity, 0.5, bound, seed)
    assert (np.diff(found.best) >= 0).all()
    assert found.best[0] >= 1
    assert found.best[-1] <= bound * (1 + 1e-12)
    valid = found.speedups[np.isfinite(found.speedups)]
    assert found.best[-1] == pytest.approx(max([1.0, *valid]))


def test_without_spread_or_validity_nothing_improves():
    assert search_rounds(5, 5, 1.0, 0.0).best.tolist() == [1.0] * 5
    assert search_rounds(5, 5, 0.0, 1.0).best.tolist() == [1.0] * 5


@pytest.mark.parametrize("validity", [0.1, 0.3, 0.6, 0.9])
@pytest.mark.parametrize("rounds", range(1, 6))
def test_every_sieve_can_be_read(rounds, validity):
    scene = search_sieve(rounds, validity)
    assert scene.faults() == []
    assert len(scene.says) <= 160


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: twelve_kernels(0), "elements must be a whole number, 1 or more"),
        (lambda: largest_speedup(twelve_kernels()[0], ROOF, 0), "seconds must be above 0"),
        (lambda: tiled_product_time(0, ROOF), "tile must be above 0"),
        (lambda: search_rounds(0, 1), "rounds must be a whole number, 1 or more"),
        (lambda: search_rounds(1, 1, 1.5), "validity must be between 0 and 1"),
        (lambda: search_rounds(1, 1, bound=0.5), "bound must be 1 or more"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
