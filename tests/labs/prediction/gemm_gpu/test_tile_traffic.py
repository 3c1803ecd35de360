"""Tile traffic and the surrogate sweep."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.labs.prediction.gemm_gpu import inputs, surrogate, tile_traffic

UNITS = {"rate": 1e9, "bandwidth": 1e9, "energy": 1.0, "efficiency": 1e9}
BY_HAND = {
    1: ("7.20", "28.8", "126545", "0.07"),
    4: ("281.4", "281.4", "4386", "2.01"),
    8: ("875.4", "437.8", "1293", "6.80"),
    16: ("1701.9", "425.7", "578.5", "15.20"),
    32: ("1504.0", "188.2", "529.2", "16.62"),
}
"""By tile: GFLOP/s, implied GB/s, joules, GFLOP/s/W; worked out from the authors' files."""


@pytest.mark.parametrize("run", inputs.TILED, ids=lambda run: f"tile {run.tile}")
@pytest.mark.parametrize("place", range(4), ids=UNITS)
def test_largest_cube_by_hand(run, place):
    name, unit = list(UNITS.items())[place]
    digits = BY_HAND[run.tile][place]
    half = 0.5 * 10.0 ** -len(digits.partition(".")[2])
    expected = float(digits)
    assert getattr(run, name) / unit == pytest.approx(expected, abs=half + 0.0005 * expected)


def test_tiles_of_16_halve_the_traffic_of_8_and_the_time_follows():
    eight, sixteen = inputs.TILED[2:4]
    assert eight.traffic / sixteen.traffic == pytest.approx(2, rel=1e-3)
    assert eight.seconds / sixteen.seconds == pytest.approx(2, rel=0.05)
    assert sixteen.bandwidth == pytest.approx(eight.bandwidth, rel=0.05)


def test_least_time_and_least_energy_are_of_different_tiles():
    assert min(inputs.TILED, key=lambda run: run.seconds).tile == 16
    assert min(inputs.TILED, key=lambda run: run.energy).tile == 32


@given(st.integers(1, 5000), st.integers(1, 5000), st.integers(1, 5000), st.integers(1, 64))
def test_traffic_by_counting_tiles(m, n, k, tile):
    # A tile row of A is read for every tile column of C, and the other way round.
    read = m * k * n / tile + k * n * m / tile
    assert tile_traffic.tiled_traffic(m, n, k, tile) == pytest.approx(4 * (read + m * n))


def test_smaller_cube_implies_the_same_bandwidths():
    for small, large in zip(inputs.SMALLER, inputs.TILED[2:], strict=True):
        assert small.tile == large.tile
        assert small.bandwidth / large.bandwidth == pytest.approx(1, abs=0.2)


def test_energy_needs_power():
    with pytest.raises(ValueError, match="watts must be known"):
        _ = inputs.SMALLER[0].energy
    with pytest.raises(ValueError, match="tile must be above 0"):
        tile_traffic.tiled_traffic(1, 1, 1, 0)


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


def test_unknown_names():
    with pytest.raises(ValueError, match="split must be one of random, .*, got 'none'"):
        surrogate.accuracy("none", "forest")
    with pytest.raises(ValueError, match="name must be one of forest, .*, got 'oak'"):
        surrogate.accuracy("random", "oak")
    with pytest.raises(ValueError, match="target must be one of seconds, watts, got 'volts'"):
        surrogate.accuracy("random", "forest", "volts")
    with pytest.raises(ValueError, match=r"name must be one of forest.*on logs, got 'roofline"):
        surrogate.accuracy("random", surrogate.ROOFLINE, "watts")
