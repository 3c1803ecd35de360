"""Tiles: the product, its cost model, and searches that are counted alike."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.labs.prediction.models_in_learners import tile_search
from perfmodel.labs.prediction.models_in_learners.tile_cost import XEON, Core, tile_cost
from perfmodel.labs.prediction.models_in_learners.tile_product import Shape, product, sizes, tiles
from perfmodel.labs.prediction.models_in_learners.tile_times import SHAPES, TileTimes, recorded

SMALL = Shape(64, 64, 64)


def made_up(seed: int = 0) -> TileTimes:
    every = tiles(SMALL)
    noise = np.random.default_rng(seed).lognormal(0, 0.3, len(every))
    seconds = tile_cost(SMALL, every) * noise
    return TileTimes(SMALL, every, seconds, seconds * 1.01)


@settings(max_examples=20, deadline=None)
@given(
    st.integers(1, 9), st.integers(1, 9), st.integers(1, 9),
    st.integers(1, 12), st.integers(1, 12), st.integers(1, 12),
)  # fmt: skip
def test_tiles_don_t_change_the_product(m, k, n, ti, tj, tk):
    rng = np.random.default_rng(m)
    a, b = rng.random((m, k)), rng.random((k, n))
    assert product(a, b, ti, tj, tk) == pytest.approx(a @ b)


def test_product_refuses_what_doesn_t_fit():
    with pytest.raises(ValueError, match="right"):
        product(np.ones((2, 3)), np.ones((2, 3)), 1, 1, 1)
    with pytest.raises(ValueError, match="ti"):
        product(np.ones((2, 2)), np.ones((2, 2)), 0, 1, 1)


def test_sizes_end_with_the_side():
    assert sizes(64) == [8, 16, 32, 64]
    assert sizes(100) == [8, 16, 32, 64, 100]
    with pytest.raises(ValueError, match="length"):
        sizes(2)


def test_cost_of_a_single_level_is_bytes_over_its_bandwidth():
    flat = Core((1e12, 1e13), (1e9, 1e9, 1e9), 1e-30)
    m, k, n = SMALL
    ti, tj, tk = 16, 32, 8
    touched = m * k * n * (8 + 16 + 8 / ti + 16 / tk + 8 / tj)
    assert float(tile_cost(SMALL, (ti, tj, tk), flat)) == pytest.approx(touched / 1e9)


def test_faster_caches_never_cost_more():
    faster = Core(XEON.capacities, (670e9, 370e9, 57e9), XEON.loop_start / 2)
    larger = Core((2 * XEON.capacities[0], 2 * XEON.capacities[1]), XEON.bandwidths, 4e-9)
    for shape in SHAPES:
        every = tiles(shape)
        now = tile_cost(shape, every)
        assert tile_cost(shape, every, faster) == pytest.approx(now / 2, rel=0.02)
        assert (tile_cost(shape, every, larger) <= now * (1 + 1e-12)).all()


def test_a_core_without_bandwidth_is_refused():
    with pytest.raises(ValueError, match="bandwidths"):
        Core((1, 2), (1, 0, 1), 1e-9)


def test_the_record_has_every_tile_of_every_shape():
    for shape, times in zip(SHAPES, recorded(), strict=True):
        assert times.shape == shape
        assert sorted(map(tuple, times.tiles)) == sorted(map(tuple, tiles(shape)))
        assert (times.seconds <= times.second).all()
        assert times.good.any()


def test_chance_is_the_mean_over_random_orders():
    times, rng = made_up(), np.random.default_rng(1)
    counts = [
        tile_search.evaluations(times, rng.permutation(len(times.tiles))) for _ in range(4000)
    ]
    assert np.mean(counts) == pytest.approx(tile_search.by_chance(times), rel=0.05)


def test_a_true_model_needs_one_evaluation():
    every = tiles(SMALL)
    seconds = tile_cost(SMALL, every)
    exact = TileTimes(SMALL, every, seconds, seconds)
    assert tile_search.evaluations(exact, tile_search.by_model(exact)) == 1
    assert len(tile_search.by_learner(exact, 0, with_model=True)) == 1


@pytest.mark.parametrize("with_model", [True, False])
def test_a_learner_tries_no_tile_twice_and_stops_at_a_good_one(with_model):
    times = made_up(3)
    tried = tile_search.by_learner(times, 2, with_model)
    assert len(set(tried.tolist())) == len(tried)
    assert times.good[tried].any()
    assert with_model or not times.good[tried[tile_search.FIRST : -1]].any()


def test_the_process_goes_through_what_it_saw():
    places = np.arange(6.0)[:, None]
    apart = (places - places.T) ** 2
    seen = np.array([0.0, 1.0, 0.5])
    tried = np.array([0, 2, 5])
    mean, deviation = tile_search.posterior(apart, seen, tried)
    assert mean[tried] == pytest.approx(seen, abs=0.01)
    assert (deviation[tried] < deviation[3]).all()


def test_an_order_without_a_good_tile_is_refused():
    times = made_up()
    bad = np.flatnonzero(~times.good)[:3]
    with pytest.raises(ValueError, match="order"):
        tile_search.evaluations(times, bad)
