"""The recorded products: complete, with their origin; and a sweep of one's own."""

import numpy as np
import pytest

from perfmodel.labs.prediction.three_ways import contestants, product_sweep


def test_recorded_sweep_is_complete():
    runs = product_sweep.recorded()
    doubles = runs[runs["precision"] == "fp64"]
    passes = doubles.groupby(["m", "n", "k"])["pass"].nunique()
    assert len(passes) == 800
    assert passes.min() == passes.max() >= 6
    assert (runs["best_seconds"] <= runs["median_seconds"] * (1 + 1e-4)).all()
    host = runs.attrs["provenance"]["host"]
    assert host["processor"]
    assert runs.attrs["library"]["version"]
    assert runs.attrs["sittings"]


def test_best_is_over_all_passes():
    times = product_sweep.best(product_sweep.recorded(), "fp32")
    assert (times["word"] == 4).all()
    runs = product_sweep.recorded().query("precision == 'fp32'")
    lowest = runs.groupby(["m", "n", "k"])["best_seconds"].min()
    np.testing.assert_array_equal(times["seconds"], lowest)
    assert (times["second"] >= times["seconds"]).all()
    with pytest.raises(ValueError, match="precision must be one of fp32, fp64, got 'fp16'"):
        product_sweep.best(product_sweep.recorded(), "fp16")


def test_ones_own_sweep_enters_the_arena(tmp_path):
    own = product_sweep.measure(4, ["fp64"], passes=2, runs=2, progress=False)
    assert len(own) == 8
    product_sweep.save(own, tmp_path / "mine")
    again = contestants.dataset(frame=product_sweep.load(tmp_path / "mine"))
    assert len(again) == 4
    assert again.noise >= 0
    with pytest.raises(ValueError, match="passes must be a whole number, 2 or more"):
        product_sweep.measure(4, passes=1)
