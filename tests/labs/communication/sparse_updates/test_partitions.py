"""The time in parts: recovery of planted constants, the search, and parts that add up the same."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.labs.communication.sparse_updates import chunks
from perfmodel.labs.communication.sparse_updates.partitions import (
    PartitionTime,
    Sampled,
    chosen,
    doubling_search,
    fit_partitions,
    regret,
)

constants = st.floats(1e-3, 10)


@given(constants, constants, constants)
def test_planted_constants_are_found_and_their_best(b: float, a: float, c: float) -> None:
    planted = PartitionTime(b, a, c)
    n = np.array([1, 2, 4, 8, 16])
    found = fit_partitions(n, planted(n))
    assert found == pytest.approx(planted, rel=1e-6)
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
    found = doubling_search(lambda n: 100 / n + n, 1, 256)
    assert chosen(found, 256) == 10
    assert chosen(Sampled((1, 2), (1.0, 2.0)), 256) == 1
    assert regret(2, [1, 2], [1.0, 1.5]) == pytest.approx(0.5)


def test_parts_of_an_update_add_up_to_the_whole() -> None:
    rng = np.random.default_rng(1)
    rows, values = rng.integers(0, chunks.ROWS, 5000), rng.random(5000)
    whole = np.bincount(rows, values, chunks.ROWS)
    for count in (1, 3, 64):
        table = np.zeros(chunks.ROWS)
        for part in chunks._cut(rows, values, count):
            chunks._add(table, *part)
        assert table == pytest.approx(whole)


def test_times_are_measured_for_each_number_of_parts() -> None:
    assert (chunks.measured_times([1, 4], repeats=1) > 0).all()


def test_bad_input_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="parts must be three or more kinds"):
        fit_partitions([1, 2, 2], [1, 1, 1])
    with pytest.raises(ValueError, match="picked must be one of the parts tried"):
        regret(3, [1, 2], [1.0, 1.5])
    with pytest.raises(ValueError, match="start must be a whole number"):
        doubling_search(lambda n: n, 0, 8)
