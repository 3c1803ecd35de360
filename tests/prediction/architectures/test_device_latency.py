"""The latencies of HELP: codes, counts, the published protocol, and who competes on them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfmodel import data
from perfmodel.prediction.architectures import device_latency
from perfmodel.prediction.architectures.device_latency import UNSEEN, query_rows
from perfmodel.prediction.architectures.search_space import counts
from perfmodel.prediction.arena.contest import FAMILIES, compete


@pytest.fixture(scope="module")
def folder(third_party):
    return third_party("help", "nb201_latency.csv").parents[1]


@given(st.integers(0, 100))
def test_query_is_the_middle_of_the_thousand_after_the_pool(seed):
    seconds = np.random.default_rng(seed).permutation(2000) + 1.0
    chosen = query_rows(seconds)
    assert len(set(chosen.tolist())) == 800
    assert chosen.min() >= 900
    assert chosen.max() < 1900
    left = np.setdiff1d(np.arange(900, 1900), chosen)
    below, above = (seconds[left] < seconds[chosen].min()), (seconds[left] > seconds[chosen].max())
    assert below.sum() == above.sum() == 100


def test_equal_latencies_keep_their_order():
    assert query_rows(np.ones(1900)).tolist() == list(range(1000, 1800))


@pytest.mark.parametrize("device", UNSEEN)
def test_dataset(device, folder):
    found = device_latency.dataset(device, folder)
    assert len(found) == 1900
    assert found.licence == "MIT"
    assert 1e-6 < np.median(found.target) < 1
    recounted = counts(found.features)
    assert (recounted["conv3x3"] == found.features["conv3x3"]).all()


def test_table_is_whole(folder):
    table = device_latency.latencies("nb201", folder)
    assert table.choices.shape == (15_625, 6)
    assert len(np.unique(table.choices, axis=0)) == 5**6
    assert set(UNSEEN) | set(device_latency.TRAINED) <= set(table.seconds.columns)
    assert table.seconds["fpga"][0] == pytest.approx(2.57296e-3)
    assert table.choices[0].tolist() == [4, 2, 1, 2, 1, 1]
    other = device_latency.latencies("fbnet", folder)
    assert other.choices.shape == (5000, 22)
    assert other.seconds.shape == (5000, 27)


@pytest.mark.parametrize(("space", "rows"), [("nb201", 15_625), ("fbnet", 5000)])
def test_references(space, rows, folder):
    found = device_latency.references(space, folder)
    assert found.size == len(set(found.tolist())) == 10
    assert found.max() < rows


def test_few_shot_follows_the_protocol(folder):
    runs = device_latency.dataset("gold_6226", folder)
    split = device_latency.few_shot(runs, 10, 3)
    split.check(runs)
    assert split.train.size == 10
    assert split.train.max() < 900
    assert split.tests["inside"].tolist() == query_rows(runs.target).tolist()
    assert device_latency.few_shot(runs, 10, 4).train.tolist() != split.train.tolist()
    assert device_latency.few_shot(runs, 30, 3).train[:10].tolist() == split.train.tolist()


def test_all_families_compete(folder):
    runs = device_latency.dataset("fpga", folder)
    entries = device_latency.contestants(trees=5)
    assert {one.family for one in entries} == set(FAMILIES)
    rounds = [(20, seed, device_latency.few_shot(runs, 20, seed)) for seed in range(2)]
    scores = compete(runs, entries, rounds).groupby("contestant")["mape"].mean()
    assert scores["operation counts"] < 1e-4
    assert scores["counts x forest"] < 1e-4
    assert 1e-4 < scores["ridge on one-hot"] < scores["FLOPs x constant"]


def test_at_hand(folder, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv(data.FOLDER_VARIABLE, str(folder))
    assert device_latency.at_hand()
    assert not capsys.readouterr().out
    monkeypatch.setenv(data.FOLDER_VARIABLE, str(tmp_path))
    assert not device_latency.at_hand()
    assert "FOLDER/help/" in capsys.readouterr().out


def test_bad_input(folder, tmp_path, monkeypatch):
    with pytest.raises(ValueError, match="space must be one of nb201, fbnet, got 'ofa'"):
        device_latency.latencies("ofa", folder)
    with pytest.raises(ValueError, match="device must be one of 1080ti_1, .*, got 'abacus'"):
        device_latency.dataset("abacus", folder)
    with pytest.raises(ValueError, match="budget must be at most 900, got 901"):
        device_latency.few_shot(device_latency.dataset("fpga", folder), 901, 0)
    with pytest.raises(ValueError, match="1900 or more"):
        query_rows(np.ones(1000))
    monkeypatch.delenv(data.FOLDER_VARIABLE, raising=False)
    with pytest.raises(data.DataUnavailable, match=r"conversion to CSV .* FOLDER/help/nb201"):
        device_latency.dataset("fpga", tmp_path)
