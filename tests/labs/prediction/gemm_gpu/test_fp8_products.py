"""Printed FP8 products: one measurement in two columns, and a roofline on products left out."""

import numpy as np
import pytest
from scipy.optimize import least_squares

from perfmodel.labs.prediction.gemm_gpu.fp8_products import (
    APRIL,
    FEBRUARY,
    SECTIONS,
    dense_fit,
    errors,
    gains,
    products,
    second_column,
)
from perfmodel.serving import fit_roofline


def test_both_columns_are_one_measurement():
    worst, rows = second_column()
    assert rows == 56
    assert worst == pytest.approx(0.0013, abs=5e-5)


def test_a_row_by_hand():
    """64 x 4096 x 7168 at 287 TFLOP/s: 13.09 us; 30.34 MB; 2,317 GB/s, where 2,320 are printed."""
    found = products(APRIL, "dense")
    row = found.shapes.index((1, 64, 4096, 7168))
    assert 1e6 * found.seconds[row] == pytest.approx(13.09, abs=5e-3)
    assert found.moved[row] == 64 * 7168 + 7168 * 4096 + 2 * 64 * 4096
    assert found.moved[row] / found.seconds[row] / 1e9 == pytest.approx(2317, abs=1)
    assert found.printed[row] == 2320e9


def test_errors_of_a_roofline_where_it_was_not_fitted():
    assert abs(errors("contig")).mean() == pytest.approx(0.053, abs=1e-3)
    assert abs(errors("masked")).mean() == pytest.approx(0.152, abs=2e-3)
    assert (errors("masked")[1:] < -0.1).all()
    assert abs(errors("dense")).mean() == pytest.approx(0.101, abs=2e-3)


def test_another_fit_finds_nearly_the_same_roofline():
    """Plain least squares of the logarithms instead of a robust loss."""
    found = products(APRIL, "dense")

    def off(logs):
        overhead, peak, bandwidth = np.exp(logs)
        seconds = overhead + np.maximum(found.work / peak, found.moved / bandwidth)
        return np.log(seconds / found.seconds)

    best = np.exp(least_squares(off, np.log([2e-6, 1.2e15, 2.8e12])).x)
    fit = dense_fit()
    assert [fit.peak, fit.bandwidth] == pytest.approx(best[1:], rel=0.03)


def test_rows_of_128_from_the_others():
    found = products(APRIL, "dense")
    left = np.array([shape[1] == 128 for shape in found.shapes])
    fit = fit_roofline(found.work[~left], found.moved[~left], found.seconds[~left])
    predicted = fit.seconds(found.work[left], found.moved[left])
    assert abs(predicted / found.seconds[left] - 1).mean() == pytest.approx(0.088, abs=3e-3)


def test_only_products_of_many_rows_became_faster():
    rows = np.array([shape[1] for shape in products(FEBRUARY, "dense").shapes])
    assert np.abs(gains()[rows <= 128]).max() < 1e-9
    assert gains()[rows == 4096].min() == pytest.approx(0.065, abs=1e-3)
    assert gains()[rows == 4096].max() == pytest.approx(0.314, abs=1e-3)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [(("head", "dense"), "commit must be one of"), ((APRIL, "sparse"), "section must be one of")],
)
def test_bad_input(arguments, message):
    with pytest.raises(ValueError, match=message):
        products(*arguments)
    assert len(SECTIONS) == 3
