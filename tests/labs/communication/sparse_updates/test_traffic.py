"""Bytes by formula against rows that are moved, limits, and where methods cross."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.labs.communication.sparse_updates.moves import drawn_gradients, moved
from perfmodel.labs.communication.sparse_updates.traffic import (
    METHODS,
    crossing_share,
    received,
    union_share,
)

machine_counts = st.integers(2, 9)
shares = st.floats(0.001, 1)


@pytest.mark.parametrize("share", [1e-17, 1e-12, 1e-6])
def test_tiny_shares_lose_no_digits(share: float) -> None:
    """Nobody touches a row twice: N shares in all, and on the way 1 + 2 + ... + N - 1 parts."""
    assert float(union_share(share, 8)) == pytest.approx(8 * share, rel=1e-5)
    arriving = (28 + 7 * 8) * share / 8
    assert float(received("sparse ring", 8, 1.0, share)) == pytest.approx(arriving, rel=1e-5)
    assert received("sparse ring", [2, 8], 1.0, [0.0, 1.0]).tolist() == [0.0, 1.75]


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(METHODS), machine_counts, shares, st.integers(0, 99))
def test_every_method_ends_with_the_sum(method: str, n: int, share: float, seed: int) -> None:
    gradients = drawn_gradients(n, 6 * n, share, seed)
    sums = moved(method, gradients).sums
    known = ~np.isnan(sums)
    assert np.array_equal(sums[known], np.tile(gradients.sum(axis=0), (n, 1))[known])
    assert known.all() if method != "server" else np.array_equal(known, gradients != 0)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("n", "share"), [(2, 0.3), (5, 0.02), (8, 0.2), (8, 1.0)])
def test_formula_counts_the_rows_that_arrive(method: str, n: int, share: float) -> None:
    rows = 4000 * n
    count = moved(method, drawn_gradients(n, rows, share)).received.mean()
    expected = float(received(method, n, rows, share))
    assert count == pytest.approx(expected, rel=6 / np.sqrt(n * rows * share))


@given(machine_counts, shares)
def test_methods_agree_where_they_must(n: int, share: float) -> None:
    found = {method: float(received(method, n, 1.0, share)) for method in METHODS}
    assert found["server"] <= found["dense ring"] * (1 + 1e-12)
    assert found["sparse ring"] <= found["dense ring"] * (1 + 1e-12)
    assert found["gather"] / found["server"] == pytest.approx(n / 2)
    assert float(received("sparse ring", n, 1.0, 1.0)) == pytest.approx(found["dense ring"])


def test_gather_overtakes_the_dense_ring_at_two_over_n() -> None:
    for n in (3, 8, 100):
        assert crossing_share("gather", "dense ring", n) == pytest.approx(2 / n)
    with pytest.raises(ValueError, match="first must cross second"):
        crossing_share("server", "dense ring", 8)


def test_union_is_that_of_drawn_rows() -> None:
    gradients = drawn_gradients(20, 20_000, 0.05)
    assert gradients.any(axis=0).mean() == pytest.approx(float(union_share(0.05, 20)), abs=0.01)


def test_bad_input_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="method must be one of"):
        received("magic", 8, 1.0, 0.1)
    with pytest.raises(ValueError, match="machines must be 2 or more"):
        received("server", 1, 1.0, 0.1)
    with pytest.raises(ValueError, match="share must be between 0 and 1"):
        union_share(2, 8)
    with pytest.raises(ValueError, match="gradients must have 2 or more machines"):
        moved("gather", np.ones((3, 4)))
