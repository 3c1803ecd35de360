"""Stable sorts: descriptors of an order, counts of both models, the recorded runs."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.labs.prediction.shootout.measured import key_orders, stable_sorts
from perfmodel.labs.prediction.shootout.measured.stable_sorts import (
    natural_merge,
    shortest_run,
    timsort,
)

SHUFFLED = {
    "keys": 2**16,
    "word": 8,
    "runs": 2**15,
    "distinct": 2**16,
    "displacement": 2**16 / 3,
    "reach": 2**16,
    "floating": 0,
}


def features(**changes):
    return pd.DataFrame([SHUFFLED | changes])


def count(name, **changes):
    return float(timsort(features(**changes))[name][0])


def test_textbook_counts():
    counted = natural_merge(features())
    assert counted["merged keys"][0] == 2**16 * 15
    assert natural_merge(features(runs=1))["merged keys"][0] == 0


def test_a_shuffle_is_inserted_and_merged_from_64_keys_up():
    assert count("insertion moves") == pytest.approx(2**16 * 64 / 4, rel=1e-3)
    assert count("merged keys") == pytest.approx(2**16 * 10, rel=0.01)
    assert count("unforeseen comparisons") == pytest.approx(2**16 * (10 / 2 + 1), rel=0.01)


def test_two_sorted_halves_are_merged_once_and_hardly_anything_is_inserted():
    assert count("insertion moves", runs=2) < 0.01 * count("insertion moves")
    assert count("merged keys", runs=2) == pytest.approx(2**16, rel=0.01)


def test_keys_near_their_places_are_hardly_merged():
    near = {"displacement": 8 / 3, "reach": 8}
    assert count("merged keys", **near) < 0.3 * 2**16
    assert count("insertion moves", **near) == pytest.approx(2**16 * 8 / 4, rel=1e-3)


def test_few_values_are_foreseen_but_merged():
    few = {"distinct": 2, "runs": 2**14}
    assert count("merged keys", **few) == pytest.approx(count("merged keys"), rel=0.01)
    assert count("unforeseen comparisons", **few) < 0.3 * count("unforeseen comparisons")


def test_only_floating_keys_have_float_comparisons_and_only_large_ones_leave_the_cache():
    assert count("float comparisons") == 0
    assert count("float comparisons", floating=1) > 2**16 * 10
    assert count("bytes past the cache") == 0
    # Runs are merged to 128 and 256 and 512 kB: two levels are beyond 200 kB.
    past = timsort(features(), cache=200_000)["bytes past the cache"][0]
    assert past == pytest.approx(2 * 2**16 * 8, rel=0.02)


@given(keys=st.integers(2, 2**22))
def test_short_runs_are_between_half_of_64_and_64(keys):
    run = shortest_run(np.array([float(keys)]))[0]
    assert run == keys if keys <= 64 else 32 <= run <= 64


@settings(max_examples=25)
@given(run=st.integers(0, 10**6))
def test_counts_are_finite_and_never_negative(run):
    values, _ = key_orders.keys(run)
    table = pd.DataFrame([key_orders.describe(values[:5000])])
    if table["displacement"][0] > 0:
        for counts in (timsort(table), natural_merge(table)):
            assert all(np.isfinite(one).all() and (one >= 0).all() for one in counts.values())


def test_merged_keys_agree_with_a_sort_that_counts():
    """Of shuffles: every level of pairwise merges touches nearly all keys."""
    for length in (1000, 3000):
        values = np.random.default_rng(length).permutation(length)
        runs = int(shortest_run(np.array([float(length)]))[0])
        parts = [np.sort(values[at : at + runs]) for at in range(0, length, runs)]
        touched = 0
        while len(parts) > 1:
            pairs = [parts[at : at + 2] for at in range(0, len(parts), 2)]
            touched += sum(sum(map(len, pair)) for pair in pairs if len(pair) == 2)
            parts = [np.sort(np.concatenate(pair)) for pair in pairs]
        counted = timsort(pd.DataFrame([key_orders.describe(values)]))["merged keys"][0]
        assert counted == pytest.approx(touched, rel=0.06)


@pytest.mark.parametrize("run", range(5))
def test_orders_are_what_they_are_called(run):
    values, order = key_orders.keys(run + 20)
    found = key_orders.describe(values)
    assert order == key_orders.ORDERS[run]
    assert {
        "random": found["runs"] > 0.4 * found["keys"],
        "few values": found["distinct"] <= 1000,
        "sorted runs": found["runs"] <= 256,
        "swapped": found["runs"] <= 1 + 0.11 * found["keys"],
        "windows": found["reach"] < 4096,
    }[order]
    np.testing.assert_array_equal(values, key_orders.keys(run + 20)[0])


def test_recorded_runs():
    runs = stable_sorts.dataset()
    assert len(runs) == 300
    assert runs.unit == "s"
    assert list(runs.features) == [*stable_sorts.LOGGED, *stable_sorts.PLAIN]
    assert (runs.features[list(stable_sorts.LOGGED)] > 0).all(axis=None)
    assert set(runs.group("order")) == set(key_orders.ORDERS)
    assert set(runs.group("type")) == set(key_orders.TYPES)
    assert 0 < runs.noise < 0.2
    assert (stable_sorts.work(runs.features) > 0).all()


def test_whiteboxes_learn_what_they_are_made_of():
    runs = stable_sorts.dataset()
    for model in stable_sorts.whiteboxes().values():
        true = sum(np.asarray(one) for one in model.counts(runs.features).values()) * 1e-9
        fitted = model.fit(runs.features, true)
        np.testing.assert_allclose(fitted.predict(runs.features), true, rtol=1e-6)


def test_the_package_of_the_plan_gives_the_recorded_features():
    values, order = key_orders.keys(7)
    runs = stable_sorts.dataset()
    assert runs.group("order")[7] == order
    found = pd.DataFrame([key_orders.describe(values)])[list(stable_sorts.UNITS)]
    np.testing.assert_allclose(runs.features.iloc[7].to_numpy(float), found.iloc[0], rtol=1e-5)
