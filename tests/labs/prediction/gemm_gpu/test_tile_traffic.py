"""Tile traffic and the surrogate sweep."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfmodel import ledger
from perfmodel.labs.prediction.gemm_gpu import surrogate, tile_traffic

CLAIMS = [one for one in tile_traffic.claims() if one.kind != "same-method"]


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.quantity)
def test_claims(claim):
    assert claim.check().met


@given(st.integers(1, 5000), st.integers(1, 5000), st.integers(1, 5000), st.integers(1, 64))
def test_traffic_by_counting_tiles(m, n, k, tile):
    # A tile row of A is read for every tile column of C, and the other way round.
    read = m * k * n / tile + k * n * m / tile
    assert tile_traffic.tiled_traffic(m, n, k, tile) == pytest.approx(4 * (read + m * n))


def test_smaller_cube_implies_the_same_bandwidths():
    for small, large in zip(tile_traffic.SMALLER, tile_traffic.TILED[2:], strict=True):
        assert small.tile == large.tile
        assert small.bandwidth / large.bandwidth == pytest.approx(1, abs=0.2)


def test_energy_needs_power():
    with pytest.raises(ValueError, match="watts must be known"):
        _ = tile_traffic.SMALLER[0].energy
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
    inside, beyond = (surrogate.contest(split, name) for split in surrogate.SPLITS)
    assert beyond.mape > inside.mape
    assert beyond.r2 < inside.r2


def test_unknown_names():
    with pytest.raises(ValueError, match="split must be one of random, .*, got 'none'"):
        surrogate.contest("none", "forest")
    with pytest.raises(ValueError, match="name must be one of forest, .*, got 'oak'"):
        surrogate.contest("random", "oak")
    assert ledger.collect("gemm_gpu")
