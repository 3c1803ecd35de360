"""A GPU's products: what is known before they run, counts of both models, the recorded runs."""

import numpy as np
import pandas as pd
import pytest

from perfmodel.labs.prediction.shootout.challenges import products
from perfmodel.labs.prediction.shootout.measured import gpu_products
from perfmodel.labs.prediction.shootout.measured.gpu_products import features, peaks, waves
from perfmodel.labs.prediction.three_ways.product_time import FittedRoofline, flop

RUNS = gpu_products.dataset()


def one(m, n, k, precision):
    return features(pd.DataFrame([{"m": m, "n": n, "k": k, "precision": precision}]))


@pytest.mark.parametrize(
    ("n", "k", "precision", "aligned"),
    [(8, 8, "bf16", 1), (8, 4, "bf16", 0), (4, 4, "tf32", 1), (6, 4, "tf32", 0), (4, 6, "fp32", 0)],
)
def test_rows_are_aligned_where_16_bytes_divide_them(n, k, precision, aligned):
    assert one(5, n, k, precision)["aligned"][0] == aligned


def test_an_unknown_precision_is_refused():
    with pytest.raises(ValueError, match="precision must be one of bf16, tf32, fp32, got 'fp16'"):
        one(64, 64, 64, "fp16")


def test_peaks_are_those_of_the_units_that_multiply():
    rates = [float(peaks(one(64, 64, 64, p))[0]) for p in ("bf16", "tf32", "fp32")]
    assert rates == [989e12, 494.5e12, 67e12]


def test_a_full_wave_costs_no_more_than_its_multiply_adds_and_one_more_tile_a_whole_wave():
    full = waves(one(128 * 132, 128, 64, "bf16"))
    assert full["waves"] == pytest.approx(full["multiply-adds"])
    more = waves(one(128 * 132 + 1, 128, 64, "bf16"))
    assert more["waves"] == pytest.approx(2 * full["waves"])


def test_rows_askew_cost_on_matrix_units_alone():
    assert waves(one(64, 63, 64, "bf16"))["waves, rows askew"][0] > 0
    assert waves(one(64, 64, 64, "bf16"))["waves, rows askew"][0] == 0
    assert waves(one(64, 63, 64, "fp32"))["waves, rows askew"][0] == 0


def test_recorded_runs():
    assert len(RUNS) == 6000
    assert list(RUNS.features) == [*gpu_products.LOGGED, *gpu_products.PLAIN]
    assert set(RUNS.group("precision")) == set(gpu_products.WORDS)
    assert len(set(RUNS.group("shape"))) == 2000
    assert 0 < RUNS.noise < 0.02


def test_no_product_is_faster_than_the_data_sheet():
    assert (flop(RUNS.features) / RUNS.target < peaks(RUNS.features)).all()


def test_whiteboxes_learn_what_they_are_made_of():
    prices, roofline = gpu_products.whiteboxes().values()
    some = RUNS.features.iloc[:300]
    true = sum(np.asarray(count) for count in waves(some).values()) + 1e-6
    np.testing.assert_allclose(prices.fit(some, true).predict(some), true, rtol=1e-6)
    assert isinstance(roofline, FittedRoofline)
    true = 3e-6 + 2e-15 * gpu_products.bf16_operations(some)
    np.testing.assert_allclose(roofline.fit(some, true).predict(some), true, rtol=0.01)


def test_no_training_row_has_the_shape_of_a_test_row():
    challenge, of = products.h100([0]), RUNS.group("shape")
    assert challenge.blind
    rounds = [split for *_, split in challenge.rounds if split.name == "unseen shape"]
    assert rounds
    for split in rounds:
        assert not set(of[split.train]) & set(of[split.tests["inside"]])
