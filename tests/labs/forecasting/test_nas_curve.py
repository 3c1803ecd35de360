"""Forecasts of nets by their authors' data, the search's cost, and the drawing's every state."""

import numpy as np
import pytest

from perfmodel.labs.forecasting.nas_curve.forecasts import (
    TITLES,
    by_features,
    curves_of,
    explained,
    lossless_speedup,
    searches,
    shuffled,
    to_come,
)
from perfmodel.labs.forecasting.nas_curve.own_nets import EPOCHS, train_nets
from perfmodel.labs.forecasting.nas_curve.reveal import NETS, revealed_curve


@pytest.mark.parametrize("name", TITLES)
def test_more_of_the_curve_explains_more_of_its_end(name):
    result = explained(name)
    assert result.regression[-1] > result.regression[0]
    assert result.regression.max() <= 1
    assert (result.last_value <= 1).all()


def test_the_last_value_of_a_rising_curve_is_too_low_for_all():
    result = explained("metaqnn_svhn")
    assert result.seen[1] == 0.2
    assert result.last_value[1] < 0 < result.regression[1]


def test_perplexities_are_turned_round():
    nets = curves_of("lstm_ptb")
    assert nets.rising
    assert np.median(nets.results[:, -1]) > np.median(nets.results[:, 0])


def test_the_search_that_loses_nothing():
    assert lossless_speedup() == pytest.approx(20_000 / 3290)
    assert [search.lost for search in searches().values()] == [5, 0, 0, 0, 0]


def test_another_order_has_the_same_nets():
    curves = curves_of("metaqnn_cifar10").results
    assert np.sort(shuffled(curves, 3)[:, -1]) == pytest.approx(np.sort(curves[:, -1]))
    assert searches(3)[0.9].total != searches()[0.9].total


def test_the_curve_says_more_than_the_settings():
    result = by_features()
    assert result["forest, settings"] < 0.5 < 0.85 < result["forest, curve"]
    assert result["last value"] < result["line, curve"]


def test_own_nets_repeat_with_their_seed():
    once, again = (train_nets(3, 5) for _ in range(2))
    assert (once == again).all()
    assert once.shape == (3, EPOCHS)
    assert ((once >= 0) & (once <= 1)).all()


@pytest.mark.parametrize("net", NETS)
def test_every_state_can_be_read(net):
    for seen in range(1, 20):
        assert not revealed_curve(net, seen).faults()


def test_what_is_drawn_looks_at_nothing_to_come():
    says = [revealed_curve(NETS[0], seen).says for seen in (5, 6)]
    assert says[0] != says[1]
    assert len({len(revealed_curve(NETS[0], seen).shapes) for seen in (5, 6)}) == 2


@pytest.mark.parametrize("name", TITLES)
def test_what_the_last_value_explains_hangs_on_what_is_still_to_come(name):
    left = to_come(name)
    misses = left.gain**2 + left.standard_deviation**2
    assert left.last_value == pytest.approx(1 - misses / left.ends**2)
    assert to_come(name, 0.9).last_value > left.last_value


@pytest.mark.parametrize("name", TITLES)
def test_titles_count_the_nets(name):
    number = TITLES[name].split()[0].replace(",", "")
    assert int(number) == len(curves_of(name).results)
