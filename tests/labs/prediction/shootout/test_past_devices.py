import numpy as np
import pytest

from perfmodel.labs.prediction.shootout import past_devices
from perfmodel.labs.prediction.shootout.challenges import latencies as challenge
from perfmodel.prediction.architectures.device_latency import latencies, pool_rows
from perfmodel.prediction.arena.estimators import Formula
from perfmodel.prediction.arena.metrics import spearman


@pytest.mark.parametrize("space", ["nb201", "fbnet"])
def test_a_new_device_is_none_of_the_past(space):
    assert not set(challenge.DEVICES[space]) & set(past_devices.PAST[space])
    assert set(past_devices.PAST[space]) <= set(latencies(space).seconds.columns)


def test_predictions_follow_devices_on_networks_outside_the_pool():
    found = past_devices.predicted_elsewhere("nb201")
    outside = slice(pool_rows("nb201").size, None)
    measured = latencies("nb201").seconds["1080ti_256"].to_numpy()[outside]
    assert spearman(measured, found["1080ti_256, predicted"].to_numpy()[outside]) > 0.9
    assert (found > 0).all(axis=None)


def test_tested_networks_have_no_part_in_past_predictions(monkeypatch):
    table = latencies("nb201")
    before = past_devices.predicted_elsewhere("nb201").to_numpy()
    changed = table.seconds.copy()
    changed.iloc[pool_rows("nb201").size :] *= 7
    other = type(table)(table.space, table.choices, changed)
    monkeypatch.setattr(past_devices, "latencies", lambda space: other)
    again = past_devices._predicted.__wrapped__("nb201")
    np.testing.assert_array_equal(again, before)


def test_four_settings_of_which_one_sees_the_network():
    entry = past_devices.meta_learner("nb201", ["pool"])
    settings = entry.estimator.settings
    assert len(settings) == 4
    assert [list(one.plain) for one in settings.values()].count(["pool"]) == 1


def test_the_graybox_sees_past_devices_and_is_told_two_models():
    models = {"one": Formula(np.ravel), "two": Formula(np.ravel)}
    entry = past_devices.told_learner("fbnet", ["pool"], models)
    settings = entry.estimator.settings
    assert entry.family == "graybox"
    assert len(settings) == 4
    assert {id(one.model) for one in settings.values()} == set(map(id, models.values()))
    past = past_devices.past_columns("fbnet")
    assert all(list(one.columns) == past for one in settings.values())
