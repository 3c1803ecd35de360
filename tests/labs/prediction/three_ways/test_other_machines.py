"""Sweeps of another machine and two libraries: whole, and scored by the models as they were."""

import numpy as np
import pytest

from perfmodel.labs.prediction.three_ways import contestants, other_machines

NAMES = sorted(other_machines.SWEEPS)


@pytest.mark.parametrize("name", NAMES)
def test_sweeps_are_complete(name):
    runs = other_machines.recorded(name)
    passes = runs.groupby(["precision", "m", "n", "k"])["pass"].nunique()
    assert len(passes) == 1600
    assert passes.min() == passes.max() >= 3
    assert len(runs.attrs["sittings"]) == passes.min()
    assert runs.attrs["library"]["name"] in name.lower()
    assert runs.attrs["library"]["version"] != "unknown"
    old = contestants.product_sweep.recorded().attrs["provenance"]["host"]
    assert runs.attrs["provenance"]["host"]["caches"] != old["caches"]
    assert min(runs.attrs["sittings"]) > "2026-11-24T00:10:55"  # when the models were frozen


@pytest.mark.parametrize("name", NAMES)
def test_data_sets_have_what_a_contest_needs(name):
    both = other_machines.dataset(name)
    assert both.name == name
    assert len(both) == 1600
    assert set(both.features) == {*other_machines.LOGGED, *other_machines.PLAIN}
    assert set(both.groups) == {"precision", "shape"}
    assert 0 < both.noise < 0.5
    single = other_machines.dataset(name, "fp32")
    assert single.name == f"{name}, fp32"
    for model in other_machines.WHITEBOXES.values():
        guess = model.fit(both.features, both.target).predict(both.features)
        assert np.median(np.abs(guess / both.target - 1)) < 0.2


def test_test_shapes_are_new_in_both_precisions():
    both = other_machines.dataset()
    ((points, _, split),) = other_machines.new_shapes(both, [600], [3])
    shapes = both.group("shape")
    assert points == len(split.train) == 600
    assert len(split.tests["inside"]) == 200
    assert not set(shapes[split.train]) & set(shapes[split.tests["inside"]])
    ((_, _, fewer),) = other_machines.new_shapes(both, [10], [3])
    np.testing.assert_array_equal(fewer.tests["inside"], split.tests["inside"])
    with pytest.raises(ValueError, match="budgets must be from 1 to 1400 rows here, got 1401"):
        other_machines.new_shapes(both, [1401], [0])
    with pytest.raises(ValueError, match="name must be one of matrix products, MKL"):
        other_machines.recorded("moon")
