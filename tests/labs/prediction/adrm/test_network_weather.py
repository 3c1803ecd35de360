"""The bank of forecasters: each method by hand, their choice, and that nothing looks ahead."""

import inspect

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.labs.prediction.adrm import network_weather
from perfmodel.labs.prediction.adrm.network_weather import bank
from tests.labs.prediction.adrm.looking_ahead import looks_ahead

CHOICE = "np.column_stack([np.zeros(len(rows)), missed])"
LEAKS = {
    "the value that is forecast": ('"last": values,', '"last": values.shift(-1),', {"last"}),
    "the value after it": ('"last": values,', '"last": values.shift(-2),', {"last"}),
    "half of it": ('"last": values,', '"last": values / 2 + values.shift(-1) / 2,', {"last"}),
    "the mean of all": ("values.expanding().mean()", "values * 0 + values.mean()", {"mean"}),
    "a scale from all": ("values.expanding().mean()", "values / values.std()", {"mean"}),
    "ranks among all": ("values.expanding().mean()", "values.rank()", {"mean"}),
    "sorted values": (
        "past = values.rolling",
        "past = values.sort_values(ignore_index=True).rolling",
        {f"{of} of {window}" for of in ("mean", "median") for window in (5, 10, 30)},
    ),
    "a centred window": (
        "min_periods=1)",
        "min_periods=1, center=True)",
        {f"{of} of {window}" for of in ("mean", "median") for window in (5, 10, 30)},
    ),
    "smoothing from the end": (
        "values.ewm(alpha=share, adjust=False).mean()",
        "values[::-1].ewm(alpha=share, adjust=False).mean()[::-1]",
        {f"smoothing {share}" for share in (0.1, 0.3, 0.5)},
    ),
    "a choice with the answer in view": (CHOICE, "np.c_[missed, missed[:, -1]]", {"best"}),
    "a choice by all errors": (CHOICE, f"{CHOICE} * 0 + missed[:, -1:]", {"best"}),
}
"""What is put in place of what in the bank's source, and which forecasts then look ahead."""


def test_each_method_by_hand():
    found = bank([1.0, 5.0, 3.0, 9.0])
    assert found["last"].tolist() == [1, 5, 3, 9]
    assert found["mean"].tolist() == [1, 3, 3, 4.5]
    assert found["median of 5"].tolist() == [1, 3, 3, 4]
    assert found["smoothing 0.5"].tolist() == [1, 3, 3, 6]


def test_windows_forget():
    found = bank([100.0, *[1.0] * 5])
    assert found["mean of 5"][-1] == 1
    assert found["mean of 10"][-1] == pytest.approx(105 / 6)


def test_the_best_so_far_is_taken_and_only_the_past_decides():
    rng = np.random.default_rng(0)
    walk, noise = np.cumsum(rng.normal(size=200)) + 100, rng.normal(100, 1, 200)
    missed = {}
    for name, series in {"walk": walk, "noise": noise}.items():
        found = bank(series)
        missed[name] = {k: np.abs(v[20:-1] - series[21:]).mean() for k, v in found.items()}
        of = missed[name]
        assert of["best"] <= 1.1 * min(of.values())
    assert missed["walk"]["last"] < missed["walk"]["mean"]
    assert missed["noise"]["mean"] < missed["noise"]["last"]


def drawn(seed, count=40):
    """Return a walk that is above 0, on which now one method is best and now another."""
    random = np.random.default_rng(seed)
    return np.exp(np.cumsum(random.normal(0, 0.1, count)) + random.normal(0, 0.2, count)), random


@given(st.integers(0, 10**6))
@settings(max_examples=6)
def test_no_method_and_no_choice_looks_ahead(seed):
    assert looks_ahead(bank, *drawn(seed)) == set()


@pytest.mark.parametrize("leak", LEAKS)
def test_a_planted_leak_is_found_where_it_was_planted(leak):
    old, new, where = LEAKS[leak]
    source = inspect.getsource(bank)
    assert source.count(old) == 1
    planted = dict(vars(network_weather))
    exec(source.replace(old, new), planted)
    found = looks_ahead(planted["bank"], *drawn(0))
    assert where <= found <= where | {"best"}


@given(st.lists(st.sampled_from([0.0, 0.0, 0.5, -2.0]), min_size=7, max_size=7), st.integers(0, 99))
def test_the_guard_finds_all_weights_on_later_values_and_only_those(weights, seed):
    """A weighted sum of the values from three before the present one to three after it."""

    def forecast(series):
        padded = np.pad(series, 3)
        return {"sum": sum(w * padded[k:][: series.size] for k, w in enumerate(weights))}

    found = looks_ahead(forecast, *drawn(seed, 12))
    assert found == ({"sum"} if any(weights[4:]) else set())


def test_bad_input():
    with pytest.raises(ValueError, match="series must be a one-dimensional sample of 2 or more"):
        bank([1.0])
