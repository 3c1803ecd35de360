"""Sparse products: descriptors of a matrix, counts of both models, the recorded runs."""

import numpy as np
import pandas as pd
import pytest

from perfmodel.labs.prediction.shootout.measured import sparse_matrices, sparse_products
from perfmodel.labs.prediction.shootout.measured.sparse_products import (
    least_bytes,
    loop_and_gathers,
)

SCATTERED = {
    "rows": 2**20,
    "nonzeros": 2**23,
    "word": 8,
    "gap": 2**17,
    "drift": 2**18,
    "hot": 0.01,
    "unevenness": 0.0,
}


def count(name, **changes):
    return float(loop_and_gathers(pd.DataFrame([SCATTERED | changes]))[name][0])


def test_least_bytes_are_those_of_the_arrays():
    product, _ = sparse_matrices.matrix(3)
    parts = (product.data, product.indices, product.indptr)
    vectors = 2 * product.shape[0] * product.dtype.itemsize
    found = least_bytes(pd.DataFrame([sparse_matrices.describe(product)]))[0]
    assert found == pytest.approx(sum(part.nbytes for part in parts) + vectors - 4)


def test_gathers_of_a_vector_that_the_cache_holds_cost_nothing():
    assert count("gathers past the cache", rows=2**18, nonzeros=2**21) == 0
    assert count("bytes past the cache", rows=2**12, nonzeros=2**15) == 0


def test_scattered_gathers_fetch_a_line_each_and_neighbours_share_one():
    scattered = count("gathers past the cache")
    assert scattered == pytest.approx(2**23 * 0.75 * 0.99)
    assert count("gathers past the cache", gap=1) == pytest.approx(scattered / 8)
    assert count("gathers past the cache", gap=1, drift=1) == pytest.approx(scattered / 64)
    assert count("gathers past the cache", hot=1.0) == 0


def test_row_ends_are_foreseen_where_rows_are_alike_and_short():
    assert count("unforeseen row ends") == 0
    assert count("unforeseen row ends", unevenness=1.0) == 2**20
    assert count("unforeseen row ends", rows=2**16, nonzeros=2**23) == 2**16


def test_long_rows_chain_their_additions():
    assert count("chained nonzeros") == pytest.approx(2**23 * 8 / 72)
    assert count("chained nonzeros", rows=2**10) > 0.99 * 2**23


@pytest.mark.parametrize("place", range(6))
def test_structures_are_what_they_are_called(place):
    product, structure = sparse_matrices.matrix(60 + place)
    found = sparse_matrices.describe(product)
    assert structure == sparse_matrices.STRUCTURES[place]
    assert product.has_sorted_indices
    assert product.nnz == product.indptr[-1]
    assert {
        "band": found["unevenness"] == 0 and found["gap"] < 0.1 * found["rows"],
        "stencil": found["unevenness"] == 0 and found["drift"] < 0.1 * found["rows"],
        "blocks": found["nonzeros"] % sparse_matrices.BLOCK == 0,
        "random": found["hot"] < 0.2,
        "uneven rows": found["unevenness"] > 0.5,
        "popular columns": found["hot"] > 0.1,
    }[structure]


def test_a_band_has_neighbouring_columns():
    product, _ = sparse_matrices.matrix(0)
    columns = product[product.shape[0] // 2].nonzero()[0]
    assert set(np.diff(columns)) <= {1}


def test_recorded_runs():
    runs = sparse_products.dataset()
    assert len(runs) == 252
    assert runs.unit == "s"
    assert list(runs.features) == [*sparse_products.LOGGED, *sparse_products.PLAIN]
    assert (runs.features[list(sparse_products.LOGGED)] > 0).all(axis=None)
    assert set(runs.group("structure")) == set(sparse_matrices.STRUCTURES)
    assert set(runs.group("word")) == {4, 8}
    assert 0 < runs.noise < 0.2
    np.testing.assert_array_equal(sparse_products.work(runs.features), runs.features["nonzeros"])


def test_whiteboxes_learn_what_they_are_made_of():
    runs = sparse_products.dataset()
    for model in sparse_products.whiteboxes().values():
        true = sum(np.asarray(one) for one in model.counts(runs.features).values()) * 1e-9
        fitted = model.fit(runs.features, true)
        np.testing.assert_allclose(fitted.predict(runs.features), true, rtol=1e-6)
