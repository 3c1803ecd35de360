"""Sparse updates: rows on their way, and the number of partitions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.labs.communication.sparse_updates import partitions
from perfmodel.labs.communication.sparse_updates.partitions import (
    PartitionTime,
    Sampled,
    chosen,
    doubling_search,
    fit_partitions,
    regret,
)
from perfmodel.labs.communication.sparse_updates.rows_chart import travelling_rows
from perfmodel.labs.communication.sparse_updates.traffic import (
    METHODS,
    crossing_fraction,
    moved,
    random_gradients,
    received,
    union_fraction,
)

constants = st.floats(1e-3, 10)


@given(constants, constants, constants)
def test_planted_constants_are_found_and_their_best(b: float, a: float, c: float) -> None:
    planted = PartitionTime(b, a, c)
    n = np.array([1, 2, 4, 8, 16])
    result = fit_partitions(n, planted(n))
    assert result == pytest.approx(planted, rel=1e-6)
    best = planted.best(1, 200)
    assert all(planted(best) <= planted(k) for k in (max(best - 1, 1), min(best + 1, 200)))
    assert abs(best - np.clip(np.sqrt(b / a), 1, 200)) < 1


def test_search_doubles_then_halves_and_stops_at_the_first_rise() -> None:
    assert doubling_search(lambda n: 64 / n + n, 1, 256).parts == (1, 2, 4, 8, 16)
    assert doubling_search(lambda n: 9 / n + n, 16, 256).parts == (16, 32, 8, 4, 2)
    assert doubling_search(lambda n: 1 / n, 1, 8).parts == (1, 2, 4, 8)
    assert doubling_search(lambda n: n, 1, 8).parts == (1, 2)
    assert doubling_search(lambda n: 1 / n, 4, 8).parts == (4, 8)
    assert doubling_search(lambda n: n, 8, 8).parts == (8, 4, 2, 1)


def test_choice_is_within_what_was_tried() -> None:
    result = doubling_search(lambda n: 100 / n + n, 1, 256)
    assert chosen(result, 256) == 10
    assert chosen(Sampled((1, 2), (1.0, 2.0)), 256) == 1
    assert regret(2, [1, 2], [1.0, 1.5]) == pytest.approx(0.5)


def test_parts_of_an_update_add_up_to_the_whole() -> None:
    rng = np.random.default_rng(1)
    rows, values = rng.integers(0, partitions.ROWS, 5000), rng.random(5000)
    whole = np.bincount(rows, values, partitions.ROWS)
    for count in (1, 3, 64):
        table = np.zeros(partitions.ROWS)
        for part in partitions._cut(rows, values, count):
            partitions._add(table, *part)
        assert table == pytest.approx(whole)


def test_times_are_measured_for_each_number_of_parts() -> None:
    assert (partitions.measured_times([1, 4], repeats=1) > 0).all()


def test_a_fit_needs_three_kinds_and_a_regret_a_part_that_was_tried() -> None:
    with pytest.raises(ValueError, match="parts must be three or more kinds"):
        fit_partitions([1, 2, 2], [1, 1, 1])
    with pytest.raises(ValueError, match="picked must be one of the parts tried"):
        regret(3, [1, 2], [1.0, 1.5])


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("share", [0.05, 0.1, 0.2, 0.5, 1.0])
def test_every_state_can_be_read(method: str, share: float) -> None:
    scene = travelling_rows(method, share)
    assert scene.faults() == []
    if share == 1.0 and method != "gather":
        assert scene.values["rows received, mean"] == 24


machine_counts = st.integers(2, 9)
shares = st.floats(0.001, 1)


@pytest.mark.parametrize("share", [1e-17, 1e-12, 1e-6])
def test_tiny_shares_lose_no_digits(share: float) -> None:
    """Nobody touches a row twice: N shares in all, and on the way 1 + 2 + ... + N - 1 parts."""
    assert float(union_fraction(share, 8)) == pytest.approx(8 * share, rel=1e-5)
    arriving = (28 + 7 * 8) * share / 8
    assert float(received("sparse ring", 8, 1.0, share)) == pytest.approx(arriving, rel=1e-5)
    assert received("sparse ring", [2, 8], 1.0, [0.0, 1.0]).tolist() == [0.0, 1.75]


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(METHODS), machine_counts, shares, st.integers(0, 99))
def test_every_method_ends_with_the_sum(method: str, n: int, share: float, seed: int) -> None:
    gradients = random_gradients(n, 6 * n, share, seed)
    sums = moved(method, gradients).sums
    known = ~np.isnan(sums)
    assert np.array_equal(sums[known], np.tile(gradients.sum(axis=0), (n, 1))[known])
    assert known.all() if method != "server" else np.array_equal(known, gradients != 0)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("n", "share"), [(2, 0.3), (5, 0.02), (8, 0.2), (8, 1.0)])
def test_formula_counts_the_rows_that_arrive(method: str, n: int, share: float) -> None:
    rows = 4000 * n
    count = moved(method, random_gradients(n, rows, share)).received.mean()
    expected = float(received(method, n, rows, share))
    assert count == pytest.approx(expected, rel=6 / np.sqrt(n * rows * share))


@given(machine_counts, shares)
def test_methods_agree_where_they_must(n: int, share: float) -> None:
    result = {method: float(received(method, n, 1.0, share)) for method in METHODS}
    assert result["server"] <= result["dense ring"] * (1 + 1e-12)
    assert result["sparse ring"] <= result["dense ring"] * (1 + 1e-12)
    assert result["gather"] / result["server"] == pytest.approx(n / 2)
    assert float(received("sparse ring", n, 1.0, 1.0)) == pytest.approx(result["dense ring"])


def test_gather_overtakes_the_dense_ring_at_two_over_n() -> None:
    for n in (3, 8, 100):
        assert crossing_fraction("gather", "dense ring", n) == pytest.approx(2 / n)
    with pytest.raises(ValueError, match="first must cross second"):
        crossing_fraction("server", "dense ring", 8)


def test_union_is_that_of_drawn_rows() -> None:
    gradients = random_gradients(20, 20_000, 0.05)
    assert gradients.any(axis=0).mean() == pytest.approx(float(union_fraction(0.05, 20)), abs=0.01)
