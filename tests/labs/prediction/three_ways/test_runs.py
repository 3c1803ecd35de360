"""The recorded products: complete, with their origin; and a sweep of one's own."""

import numpy as np
import pytest

from perfmodel.labs.prediction.three_ways import contestants
from perfmodel.labs.prediction.three_ways import runs as gemm_runs


def test_recorded_sweep_is_complete():
    runs = gemm_runs.recorded()
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
    found = gemm_runs.best(gemm_runs.recorded(), "fp32")
    assert (found["word"] == 4).all()
    runs = gemm_runs.recorded().query("precision == 'fp32'")
    lowest = runs.groupby(["m", "n", "k"])["best_seconds"].min()
    np.testing.assert_array_equal(found["seconds"], lowest)
    assert (found["second"] >= found["seconds"]).all()
    with pytest.raises(ValueError, match="precision must be one of fp32, fp64, got 'fp16'"):
        gemm_runs.best(gemm_runs.recorded(), "fp16")


def test_ones_own_sweep_enters_the_arena(tmp_path):
    own = gemm_runs.measure(4, ["fp64"], passes=2, runs=2, progress=False)
    assert len(own) == 8
    gemm_runs.save(own, tmp_path / "mine")
    again = contestants.dataset(frame=gemm_runs.load(tmp_path / "mine"))
    assert len(again) == 4
    assert again.noise >= 0
    with pytest.raises(ValueError, match="passes must be a whole number, 2 or more"):
        gemm_runs.measure(4, passes=1)
