"""Loops are compiled where a run is long, once, and give the same numbers."""

from __future__ import annotations

import numpy as np

from perfmodel.compilation import WORTH_COMPILING, compiled_if_long


def running_total(values: np.ndarray) -> float:
    total = 0.0
    for value in values:
        total += value / 3
    return total


def first_ratio(one: np.ndarray, other: np.ndarray) -> float:
    return one[0] / other[0]


def test_short_runs_stay_plain_and_long_ones_are_compiled_once() -> None:
    assert compiled_if_long(running_total, WORTH_COMPILING - 1) is running_total
    compiled = compiled_if_long(running_total, WORTH_COMPILING)
    assert compiled is not running_total
    assert compiled is compiled_if_long(running_total, 10 * WORTH_COMPILING)


def test_compiled_is_the_same_as_plain_to_the_last_bit() -> None:
    values = np.random.default_rng(0).random(1000)
    compiled = compiled_if_long(running_total, WORTH_COMPILING)
    assert compiled(values) == running_total(values)


def test_compiled_divides_by_zero_as_numpy_does() -> None:
    compiled = compiled_if_long(first_ratio, WORTH_COMPILING)
    assert np.isinf(compiled(np.ones(1), np.zeros(1)))
