"""Matrix products: operations, bytes, shapes, the library's name and the saved sweep."""

import numpy as np
import pandas as pd
import pytest

from perfmodel.measurement.cpu import blas


def test_operations_and_bytes_of_a_product():
    assert blas.flops(3, 5, 7) == 210
    assert blas.least_bytes(3, 5, 7, "fp32") == 4 * (21 + 35 + 15)
    assert blas.least_bytes(3, 5, 7, "fp64") == 8 * (21 + 35 + 15)


def test_a_run_counts_whole_products():
    result = blas.measure_gemm((24, 16, 8), "fp32", runs=3, seconds=1e-4)
    assert result.unit == "FLOP"
    assert result.work % blas.flops(24, 16, 8) == 0
    assert result.seconds.size == 3
    assert "not a peak" in result.note


def test_shapes_differ_and_stay_in_range():
    result = blas.shapes(800, low=16, high=512)
    assert len(set(result)) == 800
    sizes = np.array(result)
    assert sizes.min() >= 16
    assert sizes.max() <= 512
    assert (sizes[:, 0] == sizes[:, 1]).mean() > 0.15, "some are square"
    assert (sizes % 16 == 0).all(axis=1).mean() > 0.15, "some are multiples of 16"
    assert (sizes % 16 != 0).any(axis=1).mean() > 0.4, "many are not"
    assert result != blas.shapes(800, low=16, high=512, seed=2)


def test_more_shapes_than_there_are_is_an_error():
    with pytest.raises(ValueError, match="count must be fewer"):
        blas.shapes(100, low=1, high=2)


def test_a_sweep_can_be_saved_and_read_again(tmp_path):
    frame = blas.sweep([(8, 8, 8), (5, 6, 7)], threads=(1,), runs=2, seconds=1e-5)
    assert list(frame["precision"]) == ["fp32", "fp64"] * 2
    assert list(frame["flop"]) == [1024, 1024, 420, 420]
    assert (frame["best_seconds"] <= frame["median_seconds"]).all()
    blas.save(frame, tmp_path / "sweep")
    again = blas.load(tmp_path / "sweep")
    pd.testing.assert_frame_equal(again, frame)
    assert again.attrs["library"]["name"] == blas.library().name
    assert again.attrs["provenance"]["host"]["processor"]


def test_a_sweep_without_its_origin_is_not_saved(tmp_path):
    with pytest.raises(ValueError, match="frame must carry library and provenance"):
        blas.save(pd.DataFrame({"m": [1]}), tmp_path / "sweep")
    assert not list(tmp_path.iterdir())


def test_numpys_own_library_is_named(monkeypatch):
    infos = [
        {"user_api": "openmp", "internal_api": "openmp", "num_threads": 8},
        {"user_api": "blas", "internal_api": "openblas", "filepath": "/x/scipy/a.so",
         "version": "1", "architecture": "Zen", "num_threads": 8},
        {"user_api": "blas", "internal_api": "mkl", "filepath": "/x/numpy/b.so",
         "version": None, "num_threads": 4},
    ]  # fmt: skip
    monkeypatch.setattr(blas.threadpoolctl, "threadpool_info", lambda: infos)
    assert blas.library() == blas.Library("mkl", "unknown", "unknown", 4, "threadpoolctl")


def test_a_library_that_cannot_be_seen_is_labelled(monkeypatch):
    monkeypatch.setattr(blas.threadpoolctl, "threadpool_info", list)
    built = {"Build Dependencies": {"blas": {"name": "accelerate", "version": "1"}}}
    monkeypatch.setattr(blas.np, "show_config", lambda mode: built)
    assert blas.library() == blas.Library("accelerate", "1", "unknown", None, "numpy")
    monkeypatch.setattr(blas.np, "show_config", lambda mode: {})
    assert blas.library().name == "unknown"
