"""Bounds against hand values, the simulated loop against order statistics."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import norm

from perfmodel.benchmarking import ProductSettings, random_runs, recorded_products
from perfmodel.labs.benchmarking.cuda_llm import candidates
from perfmodel.labs.benchmarking.cuda_llm.candidates import (
    ACCESSES,
    LATENCY,
    SIZE,
    TRIPS,
    candidate_space,
    counted_cycles,
    evaluate_candidates,
)
from perfmodel.labs.benchmarking.cuda_llm.kernels import (
    bound_time,
    largest_speedup,
    tiled_product_time,
    twelve_kernels,
)
from perfmodel.labs.benchmarking.cuda_llm.rounds import (
    search_rounds,
    search_sieve,
    solve_probability,
)
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
    assert np.mean(solved) == pytest.approx(solve_probability(0.2, 6), abs=0.03)


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


# The count of operations, the searches on the recorded table, and the loop with its check.

ONE = ProductSettings(240, 240, 1, "ikj", "rows-rows", "exact")


def test_the_count_by_hand():
    updates = (3 / 4 + 1 / 240) / ACCESSES + 2 * TRIPS / 240
    sums = LATENCY / 2 + 2 * TRIPS / (240 * 2)
    assert counted_cycles([ONE, ONE._replace(order="ijk", rows=2)]) == pytest.approx(
        [updates, sums]
    )


def test_more_rows_and_larger_blocks_never_count_more():
    times = recorded_products()
    cycles = counted_cycles(times.settings).reshape((3,) * 6)
    for axis in (0, 1, 2):
        assert (np.diff(cycles, axis=axis) <= 1e-12).all()
    assert np.corrcoef(np.log(cycles.ravel()), np.log(times.best))[0, 1] > 0


@pytest.mark.parametrize("name", candidates.ORDERS)
def test_every_search_meets_every_candidate_once(name):
    assert sorted(candidates.ORDERS[name](3).tolist()) == list(range(729))


def test_random_searches_wait_as_long_as_counting_says():
    best = recorded_products().best
    good = int((best <= 1.2 * best.min()).sum())
    runs_needed = candidates.runs_needed("random", 300, 0.2)
    assert runs_needed.mean() == pytest.approx(random_runs(729, good).mean, rel=0.15)


def test_weaker_aims_are_reached_no_later():
    for name in ("mutation", "ranked by count"):
        assert (candidates.runs_needed(name, 5, 0.3) <= candidates.runs_needed(name, 5, 0.05)).all()


def test_the_check_finds_rows_left_out():
    valid = ONE._replace(rows=2)
    found = evaluate_candidates([valid, valid._replace(rows=7)], rounds=1)
    assert [one.valid for one in found] == [True, False]
    assert 0 < found[0].seconds < found[1].seconds == np.inf


def test_the_space_holds_candidates_that_fail():
    rows = {one.rows for one in candidate_space()}
    assert [n for n in sorted(rows) if SIZE % n] == [7]
