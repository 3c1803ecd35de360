"""Whitebox models of a product: counts by hand, constants recovered."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

from perfmodel.labs.prediction.three_ways.product_time import (
    OPENBLAS_AVX512,
    FittedRoofline,
    TiledLibrary,
    by_precision,
    flop,
    least_bytes,
    work,
    work_and_cache,
)
from perfmodel.prediction.arena.estimators import Priced

RANDOM = np.random.default_rng(6)
SIZES = np.exp(RANDOM.uniform(np.log(16), np.log(2048), (60, 3))).round()
SHAPES = pd.DataFrame(SIZES, columns=list("mnk")).assign(word=8.0)
ODD = pd.DataFrame({"m": [10.0, 300], "n": [17.0, 512], "k": [5.0, 400], "word": [8.0, 4]})


def test_counts_by_hand():
    found = work(ODD)
    assert found["multiply-adds"].tolist() == [850, 30_720_000]
    assert found["partial vectors"].tolist() == [50, 0]
    assert found["copy of A"].tolist() == [0, 60_000]
    assert found["copy of B"].tolist() == [0, 102_400]
    assert found["updates of C"].tolist() == [170, 153_600]
    past = work_and_cache(ODD)["bytes past the cache"]
    moved = 4 * (300 * 400 + 400 * 512 + 300 * 512)
    assert past.tolist() == [0, moved - 2**20]
    assert flop(ODD).tolist() == [1700, 122_880_000]
    assert least_bytes(ODD)[0] == 8 * (50 + 85 + 170)


def test_another_library_counts_otherwise():
    plain = TiledLibrary(vector=16, depth=100, direct=0, cache=0)
    found = work(ODD, plain)
    assert found["copy of A"].tolist() == [50, 60_000]
    assert found["partial vectors"].tolist() == [50, 0]
    assert found["updates of C"].tolist() == [170, 2 * 153_600]
    assert OPENBLAS_AVX512.vector == 64


@given(st.floats(1e-12, 1e-9), st.floats(1e-12, 1e-8), st.sampled_from([False, True]))
def test_roofline_finds_its_constants(per_flop, per_byte, overhead):
    seconds = np.maximum(per_flop * flop(SHAPES), per_byte * least_bytes(SHAPES))
    seconds = seconds + 2e-5 * overhead
    model = FittedRoofline(overhead).fit(SHAPES, seconds)
    errors = np.abs(np.log(model.predict(SHAPES) / seconds))
    assert np.median(errors) < 0.02


def test_roofline_never_beats_either_roof():
    model = FittedRoofline().fit(SHAPES, 1e-11 * flop(SHAPES) + 1e-6)
    slope, flat = model.constants_
    assert (model.predict(SHAPES) >= slope * flop(SHAPES) * (1 - 1e-12)).all()
    assert (model.predict(SHAPES) >= flat * least_bytes(SHAPES) * (1 - 1e-12)).all()


def test_the_price_past_the_cache_cannot_be_told_from_small_products():
    small = SHAPES[least_bytes(SHAPES) < 2**20]
    model = Priced(work_and_cache).fit(small, 1e-6 + 3e-11 * flop(small))
    assert model.prices_["bytes past the cache"] == 0


def test_bad_sizes_are_named():
    with pytest.raises(ValueError, match="k must be above 0"):
        work(ODD.assign(k=[0, 1]))
    with pytest.raises(ValueError, match="k must be finite"):
        work(ODD.assign(k=[np.nan, 1]))
    with pytest.raises(ValueError, match="columns m, n, k, word, got none named k, word"):
        work(ODD[["m", "n"]])
    with pytest.raises(ValueError, match=r"word must be 4 or 8 \(bytes\), got \[2.0, 8.0\]"):
        by_precision(ODD.assign(word=[2, 8]))


def test_each_precision_has_counts_of_its_own():
    found, together = by_precision(ODD), work(ODD)
    assert len(found) == 12
    for name, count in together.items():
        assert found[f"{name} of words of 8"].tolist() == [count[0], 0]
        assert found[f"{name} of words of 4"].tolist() == [0, count[1]]
