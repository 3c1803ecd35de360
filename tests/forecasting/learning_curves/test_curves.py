"""The published learning curves are read as they are described."""

import numpy as np
import pytest

from perfmodel.forecasting.learning_curves.curves import CURVE_SETS, published_curves

SHAPES = {
    "metaqnn_cifar10": (1000, 20),
    "metaqnn_svhn": (1300, 20),
    "deep_resnets_cifar10": (486, 50),
    "deep_resnets_tinyimagenet": (651, 141),
    "lstm_ptb": (280, 60),
}


@pytest.mark.parametrize("name", CURVE_SETS)
def test_each_set_is_whole(name):
    result = published_curves(name)
    assert result.results.shape == SHAPES[name]
    assert len(result.settings) == len(result.results)
    assert not [column for column in result.settings if column.startswith(("acc_", "ep_"))]
    np.testing.assert_array_equal(result.final, result.results[:, -1])
    ran = result.results[result.results.max(axis=1) > 0]
    assert len(np.unique(ran, axis=0)) == len(ran)
    assert len(result.results) - len(ran) == (9 if name == "deep_resnets_tinyimagenet" else 0)
    # Learning moves most curves the way that is said to be better.
    gain = (result.final - result.results[:, 0]) * (1 if result.rising else -1)
    assert np.mean(gain > 0) > 0.9
    if result.rising:
        assert 0 <= result.results.min() <= result.results.max() <= 1


def test_a_curve_by_hand():
    nets = published_curves("lstm_ptb")
    assert nets.settings.loc[0, "n_inputs"] == 90
    np.testing.assert_array_equal(nets.results[0, :3], [296.0, 204.5, 177.4])
    assert not nets.rising
