"""Three algorithms, one result, and as many passes as their cascades say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.labs.roofline.fusemax import cascades
from perfmodel.labs.roofline.fusemax.passes import (
    TiledRows,
    one_pass,
    reference,
    three_pass,
    two_pass,
)

ALGORITHMS = [
    (three_pass, cascades.THREE_PASS, "m"),
    (two_pass, cascades.TWO_PASS, "m1 m0"),
    (one_pass, cascades.ONE_PASS, "m1 m0"),
]
each = pytest.mark.parametrize(("algorithm", "einsums", "rank"), ALGORITHMS)


def arrays(seed: int, spread: float = 1.0, rows: int = 24):
    rng = np.random.default_rng(seed)
    return rng.normal(0, spread, (5, 4)), rng.normal(size=(rows, 4)), rng.normal(size=(rows, 3))


@each
class TestAttention:
    @settings(max_examples=15, deadline=None)
    @given(st.integers(0, 10**6), st.integers(1, 30), st.floats(0.01, 300))
    def test_is_softmax_attention(self, algorithm, einsums, rank, seed, tile, spread) -> None:
        queries, keys, values = arrays(seed, spread)
        output = algorithm(queries, TiledRows(keys, tile), TiledRows(values, tile))
        assert output == pytest.approx(reference(queries, keys, values), rel=1e-9, abs=1e-12)

    def test_reads_the_keys_as_often_as_its_cascade_says(self, algorithm, einsums, rank) -> None:
        queries, keys, values = arrays(1)
        streams = TiledRows(keys, 7), TiledRows(values, 7)
        algorithm(queries, *streams)
        assert streams[0].passes == cascades.passes(einsums, rank)
        assert streams[1].passes == 1

    def test_large_scores_do_not_overflow(self, algorithm, einsums, rank) -> None:
        queries, keys, values = arrays(2, spread=1e4)
        output = algorithm(queries, TiledRows(keys, 4), TiledRows(values, 4))
        assert np.isfinite(output).all()

    def test_equal_scores_give_the_mean(self, algorithm, einsums, rank) -> None:
        _, keys, values = arrays(3)
        output = algorithm(np.zeros((2, 4)), TiledRows(keys, 5), TiledRows(values, 5))
        assert output == pytest.approx(np.tile(values.mean(axis=0), (2, 1)))

    def test_shapes_that_do_not_fit(self, algorithm, einsums, rank) -> None:
        queries, keys, values = arrays(4)
        with pytest.raises(ValueError, match=r"queries must have 4 columns, got shape \(5, 3\)"):
            algorithm(queries[:, :3], TiledRows(keys, 4), TiledRows(values, 4))
        with pytest.raises(ValueError, match="values must have 24 rows, got 23"):
            algorithm(queries, TiledRows(keys, 4), TiledRows(values[:-1], 4))


class TestTiledRows:
    def test_counts_tiles_read(self) -> None:
        stream = TiledRows(np.ones((10, 2)), 4)
        iterator = iter(stream)
        assert len(next(iterator)) == 4
        assert stream.passes == 0.4
        assert [len(tile) for tile in iterator] == [4, 2]
        assert stream.passes == 1

    def test_bad_input(self) -> None:
        with pytest.raises(ValueError, match="tile must be a whole number, 1 or more, got 0"):
            TiledRows(np.ones((2, 2)), 0)
        with pytest.raises(ValueError, match=r"rows must be a matrix with elements, got \(3,\)"):
            TiledRows(np.ones(3), 1)
