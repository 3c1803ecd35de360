"""Matrix products on GPUs: tile traffic, the surrogate sweep and FP8 products."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.optimize import least_squares

from perfmodel.labs.prediction.gemm_gpu import surrogate
from perfmodel.labs.prediction.gemm_gpu.fp8_products import (
    APRIL,
    FEBRUARY,
    SERVED,
    data_sheet_error,
    dense_fit,
    errors,
    gains,
    guesses,
    products,
    rows_needed,
    second_column,
    tiles_used,
)
from perfmodel.serving import fit_roofline


def test_both_columns_are_one_measurement():
    worst, rows = second_column()
    assert rows == 56
    assert worst == pytest.approx(0.0013, abs=5e-5)


def test_a_row_by_hand():
    """64 x 4096 x 7168 at 287 TFLOP/s: 13.09 us; 30.34 MB; 2,317 GB/s, where 2,320 are printed."""
    table = products(APRIL, "dense")
    row = table.shapes.index((1, 64, 4096, 7168))
    assert 1e6 * table.seconds[row] == pytest.approx(13.09, abs=5e-3)
    assert table.moved[row] == 64 * 7168 + 7168 * 4096 + 2 * 64 * 4096
    assert table.moved[row] / table.seconds[row] / 1e9 == pytest.approx(2317, abs=1)
    assert table.printed[row] == 2320e9


def test_errors_of_a_roofline_where_it_was_not_fitted():
    assert abs(errors("contig")).mean() == pytest.approx(0.053, abs=1e-3)
    assert abs(errors("masked")).mean() == pytest.approx(0.152, abs=2e-3)
    assert (errors("masked")[1:] < -0.1).all()
    assert abs(errors("dense")).mean() == pytest.approx(0.101, abs=2e-3)


def test_another_fit_finds_nearly_the_same_roofline():
    """Plain least squares of the logarithms instead of a robust loss."""
    table = products(APRIL, "dense")

    def off(logs):
        overhead, peak, bandwidth = np.exp(logs)
        seconds = overhead + np.maximum(table.work / peak, table.moved / bandwidth)
        return np.log(seconds / table.seconds)

    best = np.exp(least_squares(off, np.log([2e-6, 1.2e15, 2.8e12])).x)
    fit = dense_fit()
    assert [fit.peak, fit.bandwidth] == pytest.approx(best[1:], rel=0.03)


def test_rows_of_128_from_the_others():
    table = products(APRIL, "dense")
    held_out = np.array([shape[1] == 128 for shape in table.shapes])
    fit = fit_roofline(table.work[~held_out], table.moved[~held_out], table.seconds[~held_out])
    predicted = fit.seconds(table.work[held_out], table.moved[held_out])
    assert abs(predicted / table.seconds[held_out] - 1).mean() == pytest.approx(0.088, abs=3e-3)


def test_only_products_of_many_rows_became_faster():
    rows = np.array([shape[1] for shape in products(FEBRUARY, "dense").shapes])
    assert np.abs(gains()[rows <= 128]).max() < 1e-9
    assert gains()[rows == 4096].min() == pytest.approx(0.065, abs=1e-3)
    assert gains()[rows == 4096].max() == pytest.approx(0.314, abs=1e-3)


UNITS = {"rate": 1e9, "bandwidth": 1e9, "energy": 1.0, "efficiency": 1e9}
BY_HAND = {
    1: ("7.20", "28.8", "126545", "0.07"),
    4: ("281.4", "281.4", "4386", "2.01"),
    8: ("875.4", "437.8", "1293", "6.80"),
    16: ("1701.9", "425.7", "578.5", "15.20"),
    32: ("1504.0", "188.2", "529.2", "16.62"),
}
"""By tile: GFLOP/s, implied GB/s, joules, GFLOP/s/W; worked out from the authors' files."""


@pytest.mark.parametrize("run", surrogate.TILED, ids=lambda run: f"tile {run.tile}")
@pytest.mark.parametrize("index", range(4), ids=UNITS)
def test_largest_cube_by_hand(run, index):
    name, unit = list(UNITS.items())[index]
    digits = BY_HAND[run.tile][index]
    half = 0.5 * 10.0 ** -len(digits.partition(".")[2])
    expected = float(digits)
    assert getattr(run, name) / unit == pytest.approx(expected, abs=half + 0.0005 * expected)


def test_tiles_of_16_halve_the_traffic_of_8_and_the_time_follows():
    eight, sixteen = surrogate.TILED[2:4]
    assert eight.traffic / sixteen.traffic == pytest.approx(2, rel=1e-3)
    assert eight.seconds / sixteen.seconds == pytest.approx(2, rel=0.05)
    assert sixteen.bandwidth == pytest.approx(eight.bandwidth, rel=0.05)


def test_least_time_and_least_energy_are_of_different_tiles():
    assert min(surrogate.TILED, key=lambda run: run.seconds).tile == 16
    assert min(surrogate.TILED, key=lambda run: run.energy).tile == 32


@given(st.integers(1, 5000), st.integers(1, 5000), st.integers(1, 5000), st.integers(1, 64))
def test_traffic_by_counting_tiles(m, n, k, tile):
    # A tile row of A is read for every tile column of C, and the other way round.
    read = m * k * n / tile + k * n * m / tile
    assert surrogate.tiled_traffic(m, n, k, tile) == pytest.approx(4 * (read + m * n))


def test_smaller_cube_implies_the_same_bandwidths():
    for small, large in zip(surrogate.SMALLER, surrogate.TILED[2:], strict=True):
        assert small.tile == large.tile
        assert small.bandwidth / large.bandwidth == pytest.approx(1, abs=0.2)


def test_energy_needs_power():
    with pytest.raises(ValueError, match="watts must be known"):
        _ = surrogate.SMALLER[0].energy


def test_surrogate_has_the_stated_form():
    runs = surrogate.surrogate()
    assert len(runs) == 16_128
    assert (runs["seconds"] > 0.7 * runs["bound"]).all()
    spread = runs.groupby(["m", "n", "k", "bm", "bn"])["seconds"].agg(lambda s: np.log(s).std())
    assert spread.mean() == pytest.approx(0.06, rel=0.1)


@pytest.mark.parametrize("name", ["straight line", "straight line on logs", "roofline x constant"])
def test_cheap_predictors_lose_when_the_large_are_held_out(name):
    inside, beyond = (surrogate.accuracy(split, name) for split in surrogate.SPLITS)
    assert beyond.mape > inside.mape
    assert beyond.r2 < inside.r2


def test_a_roofline_predicts_no_watts():
    with pytest.raises(ValueError, match=r"name must be one of forest.*on logs, got 'roofline"):
        surrogate.accuracy("random", surrogate.ROOFLINE, "watts")


@given(st.integers(1, 1000), st.integers(64, 9000), st.integers(64, 9000))
def test_fewest_rows_by_trying(intensity, n, k):
    def reached(m):
        return 2 * m * n * k / (m * k + k * n + 2 * m * n)

    if 2 * n * k / (k + 2 * n) <= intensity:
        with pytest.raises(ValueError, match="intensity must be below"):
            rows_needed(intensity, n, k)
    else:
        m = rows_needed(intensity, n, k)
        assert reached(m) >= intensity * (1 - 1e-9)
        assert m == 1 or reached(m - 1) < intensity * (1 + 1e-9)


@given(st.integers(1, 5000), st.integers(1, 5000), st.sampled_from([16, 64, 128]))
def test_tiles_by_handing_them_out(m, n, side):
    areas = [
        min(side, m - i) * min(side, n - j) for i in range(0, m, side) for j in range(0, n, side)
    ]
    rounds = [areas[i : i + 132] for i in range(0, len(areas), 132)]
    tiles, used = tiles_used(m, n, side)
    assert tiles == len(areas)
    assert used == pytest.approx(sum(areas) / (len(rounds) * 132 * side**2))


def test_waves_of_the_worst_shape():
    """4096 x 2112: 544 tiles of 128 in 5 rounds; 1,056 tiles of 64 wide would fill 8."""
    assert tiles_used(4096, 2112) == (544, pytest.approx(0.8))
    assert tiles_used(64, 2112)[0] == 17
    assert tiles_used(256, 7168)[0] == 112


def test_what_the_data_sheet_leaves_out():
    assert data_sheet_error() == pytest.approx(0.35, abs=5e-3)
    assert rows_needed(dense_fit().peak / dense_fit().bandwidth) == pytest.approx(240, abs=5)


def test_little_of_whole_servers():
    flying = {name: run.samples * run.latency for name, run in SERVED.items()}
    assert [round(number) for number in flying.values()] == [3345, 3598, 1412]
    for run in SERVED.values():
        assert run.by_little == pytest.approx(run.server, rel=2e-3)
        assert run.server < run.offline


def test_guesses_about_fp8_are_computed():
    text = " ".join(row[2] for row in guesses())
    for said in (
        "10 to 17 %",
        "4 to 22 %",
        "35 % in time",
        "57 % at 2,007",
        "268 MB",
        "1 % for 4,096 x",
        "1.28 times",
    ):
        assert said in text
