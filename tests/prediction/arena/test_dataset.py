"""Data sets refuse leaks and bad shapes, and state their noise."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

from perfmodel.prediction.arena.dataset import Dataset, LeakError, repeat_noise

RANDOM = np.random.default_rng(5)
TARGET = np.exp(RANDOM.normal(size=40))


def made(features, target=TARGET, **more):
    frame = pd.DataFrame(features)
    units = more.pop("units", dict.fromkeys(frame.columns, "1"))
    return Dataset("demo", frame, units, target, "time", "s", "drawn", "CC0-1.0", **more)


@pytest.mark.parametrize(
    "leak", [TARGET, 1e3 * TARGET, -2 * TARGET + 5, TARGET**2, 1 / TARGET, np.log(TARGET)]
)
def test_a_feature_that_is_the_target_is_refused(leak):
    with pytest.raises(LeakError, match="'given' of demo is the target in another scale"):
        made({"size": RANDOM.normal(size=40), "given": leak})
    assert len(made({"given": leak}, known=("given",))) == 40


def test_a_strong_feature_is_no_leak():
    noisy = TARGET * np.exp(0.05 * RANDOM.normal(size=40))
    assert made({"noisy": noisy}).numeric == ["noisy"]
    assert made({"constant": np.ones(40), "kind": ["a", "b"] * 20}).numeric == ["constant"]


def test_what_does_not_fit_is_named():
    with pytest.raises(ValueError, match="features must have a value for each of the 40 targets"):
        made({"size": np.arange(39)})
    with pytest.raises(ValueError, match="machine must have a value for each"):
        made({"size": RANDOM.normal(size=40)}, groups={"machine": ["a"]})
    with pytest.raises(ValueError, match="units must name the unit of 'size'"):
        made({"size": RANDOM.normal(size=40)}, units={})


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_feature_that_is_missing_or_infinite_is_named_with_its_row(bad):
    size = RANDOM.normal(size=40)
    size[[7, 9]] = bad
    message = f"feature 'size' must have a finite value in every row, got {bad} in row 7 and in 1"
    with pytest.raises(ValueError, match=message):
        made({"other": np.arange(40) % 7, "size": size})


def test_missing_names_and_whole_numbers_are_named_too():
    with pytest.raises(ValueError, match="feature 'kind' must .* got .* in row 39$"):
        made({"kind": [*["a"] * 39, None]})
    with pytest.raises(ValueError, match="feature 'count' must .* in row 1$"):
        made({"count": pd.array([1, None, *range(38)], dtype="Int64")})
    with pytest.raises(ValueError, match="group 'machine' must .* got nan in row 2"):
        made({"size": RANDOM.normal(size=40)}, groups={"machine": ["a", "b", np.nan] + ["a"] * 37})


@pytest.mark.parametrize("bad", [np.inf, np.nan])
def test_a_target_that_is_not_finite_is_refused(bad):
    with pytest.raises(ValueError, match=f"target must .*, got {bad} in row 39"):
        made({"size": RANDOM.normal(size=40)}, [*TARGET[:-1], bad])


@pytest.mark.parametrize("count", [0, 39, 41])
def test_lengths_that_differ_are_told_with_both_counts(count):
    values = RANDOM.normal(size=count)
    with pytest.raises(ValueError, match=f"features must .* the 40 targets, got {count}"):
        made({"size": values})
    groups = {"machine": values.tolist()}
    with pytest.raises(ValueError, match=f"machine must .* the 40 targets, got {count}"):
        made({"size": RANDOM.normal(size=40)}, groups=groups)


def test_a_table_that_is_none_is_refused():
    with pytest.raises(ValueError, match="features must be a pandas DataFrame .* got dict"):
        Dataset("demo", {"size": TARGET}, {}, TARGET, "time", "s", "drawn", "CC0-1.0")
    names = ["size", "size", "time", "time"]
    twice = pd.DataFrame(RANDOM.normal(size=(40, 4)), columns=names)
    with pytest.raises(ValueError, match="features must have a name each, got 'size' twice"):
        made(twice)
    with pytest.raises(ValueError, match="machine must have a value for each .* got 'a'"):
        made({"size": RANDOM.normal(size=40)}, groups={"machine": "a"})
    with pytest.raises(ValueError, match="known must name features, size, got 'sise'"):
        made({"size": RANDOM.normal(size=40)}, known=("sise",))


def test_take_keeps_rows_together():
    whole = made({"size": np.arange(40.0)[::-1] % 7}, groups={"machine": list(range(40))})
    part = whole.take([7, 3])
    assert part.target.tolist() == whole.target[[7, 3]].tolist()
    assert part.features["size"].tolist() == whole.features["size"][[7, 3]].tolist()
    assert part.group("machine").tolist() == [7, 3]


@given(st.floats(0.001, 0.2), st.integers(2, 6))
def test_noise_of_repeats_is_that_of_the_draw(spread, repeats):
    drawn = np.exp(spread * np.random.default_rng(1).normal(size=(4000, repeats)))
    # Mean |a normal| is sqrt(2 / pi), and the others' mean has a spread of its own.
    expected = spread * np.sqrt(2 / np.pi * (1 + 1 / (repeats - 1)))
    assert repeat_noise(drawn) == pytest.approx(expected, rel=0.08)


def test_noise_needs_repeats():
    with pytest.raises(ValueError, match=r"repeats must have shape \(n, 2 or more\)"):
        repeat_noise([[1.0], [2.0]])
