"""The blocked product computes a product whatever its settings, and its table is whole."""

import numpy as np
import pytest

from perfmodel.benchmarking import (
    PRODUCT_LEVELS,
    ProductSettings,
    ProductTimes,
    product_loops,
    product_settings,
    product_source,
    recorded_products,
    recorded_products_source,
    time_products,
)
from perfmodel.benchmarking.blocked_product.loops import stored

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("order", PRODUCT_LEVELS["order"])
@pytest.mark.parametrize("rows", PRODUCT_LEVELS["rows"])
@pytest.mark.parametrize("storage", PRODUCT_LEVELS["storage"])
def test_the_loops_compute_the_product(order, rows, storage):
    names = {}
    exec(product_source(order, rows), names)
    first, second = RNG.random((2, 12, 12))
    result = np.zeros((12, 12))
    names["loops"](*stored(first, second, storage), result, 5, 8)
    assert result == pytest.approx(first @ second)


def test_compiled_loops_compute_the_same():
    first, second = RNG.random((2, 8, 8))
    result = np.zeros((8, 8))
    product_loops("kij", 2, "fast")(first, second, result, 3, 8)
    assert result == pytest.approx(first @ second)


def test_rows_that_do_not_divide_the_size_are_left_out():
    names = {}
    exec(product_source("ikj", 4), names)
    first, second = RNG.random((2, 6, 6))
    result = np.zeros((6, 6))
    names["loops"](first, second, result, 6, 6)
    assert result[:4] == pytest.approx((first @ second)[:4])
    assert not result[4:].any()


def test_the_recorded_table_is_whole_and_repeatable():
    times, source = recorded_products(), recorded_products_source()
    assert times.settings == product_settings()
    assert len(set(times.settings)) == 3**6
    assert times.best == pytest.approx(np.minimum(times.odd, times.even))
    assert (times.best <= times.median).all()
    assert np.median(times.split_half_difference) < 0.02
    assert source["rounds"] >= 25
    assert source["host"]["processor"]


def test_the_spread_is_relative_to_the_best_time():
    best, odd = np.array([2.0, 4.0]), np.array([3.0, 4.0])
    times = ProductTimes(product_settings()[:2], best, odd, odd, even=best)
    assert times.split_half_difference.tolist() == [0.5, 0.0]


def test_levels_and_features_tell_all_settings_apart():
    times = recorded_products()
    assert len(np.unique(times.levels, axis=0)) == len(np.unique(times.features, axis=0)) == 729
    assert (times.features[:, 3:].reshape(-1, 3, 3).sum(axis=2) == 1).all()


def test_timing_visits_every_setting_in_every_round():
    some = product_settings()[:2]
    times = time_products(some, size=8, rounds=3)
    assert times.settings == some
    assert times.best.shape == (2,)
    assert (times.best > 0).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: stored(np.eye(2), np.eye(2), "rows"), "storage must be one of rows-rows"),
        (lambda: time_products([], 8, 3), "settings must have rows that divide the size 8"),
        (
            lambda: time_products([ProductSettings(8, 8, 4, "ijk", "rows-rows", "exact")], 6, 3),
            "rows that divide the size 6",
        ),
    ],
)
def test_loops_that_there_are_not_and_rows_that_do_not_divide_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
