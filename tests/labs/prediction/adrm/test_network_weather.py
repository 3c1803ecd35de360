"""The bank of forecasters: each method by hand, and the choice among them."""

import numpy as np
import pytest

from perfmodel.labs.prediction.adrm.network_weather import bank


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
    changed = walk.copy()
    changed[100:] += 50
    assert (bank(changed)["best"][:100] == bank(walk)["best"][:100]).all()


def test_bad_input():
    with pytest.raises(ValueError, match="series must be a one-dimensional sample of 2 or more"):
        bank([1.0])
