"""Products through a library's C interface: the right numbers, and sittings that add up."""

import ctypes.util
import sys
from pathlib import Path

import numpy as np
import pytest
import threadpoolctl
from click.testing import CliRunner

from perfmodel.labs.prediction.three_ways import library_products
from perfmodel.labs.prediction.three_ways.record_library import cpuinfo, main
from perfmodel.measurement.cpu import blas


@pytest.fixture(scope="module")
def library():
    paths = [str(one["filepath"]) for one in threadpoolctl.threadpool_info()]
    found = [path for path in paths if "openblas" in path and "numpy" in path]
    if not found:
        pytest.skip("NumPy has another library than OpenBLAS here")
    return Path(found[0])


@pytest.mark.parametrize(("precision", "close"), [("fp64", 1e-12), ("fp32", 1e-5)])
def test_products_are_right(library, precision, close):
    random, kind = np.random.default_rng(0), blas.DTYPES[precision]
    a, b = (random.random(size).astype(kind) for size in ((7, 5), (5, 9)))
    c = np.full((7, 9), np.nan, kind)
    library_products.product(library, precision)(a, b, c)()
    np.testing.assert_allclose(c, a @ b, rtol=close)


def test_what_is_no_library_is_refused(library):
    with pytest.raises(ValueError, match="precision must be one of fp64, fp32, got 'fp16'"):
        library_products.product(library, "fp16")
    without = ctypes.util.find_library("m")
    if without and sys.platform == "linux":
        with pytest.raises(ValueError, match="library must have cblas_dgemm, got libm"):
            library_products.product(Path(without))


def test_passes_are_added(library, tmp_path):
    out = tmp_path / "mine"
    asked = [str(library), str(out), "--name", "openblas", "--count", "3", "--runs", "2"]
    for _ in range(2):
        done = CliRunner().invoke(main, asked)
        assert done.exit_code == 0, done.output
    frame = blas.load(out)
    assert frame.groupby(["precision", "pass"]).size().tolist() == [3, 3, 3, 3]
    assert (frame["best_seconds"] <= frame["median_seconds"]).all()
    assert len(frame.attrs["sittings"]) == 2
    assert frame.attrs["library"]["name"] == "openblas"


def test_cpuinfo_is_of_the_first_processor(tmp_path):
    file = tmp_path / "cpuinfo"
    file.write_text("model\t: 7\nfoo : 1\nflags : a b\n\nmodel : 8\n", "utf-8")
    assert cpuinfo(file) == {"model": "7", "flags": "a b"}
    assert cpuinfo(tmp_path / "none") == {}
