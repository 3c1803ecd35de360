"""The latencies of HELP: codes, counts, the published protocol, and who competes on them."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.prediction.architectures import device_latency
from perfmodel.prediction.architectures.device_latency import UNSEEN, query_rows
from perfmodel.prediction.architectures.search_space import counts
from perfmodel.prediction.arena.contest import FAMILIES, compete


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
def test_dataset(device):
    runs = device_latency.dataset(device)
    assert len(runs) == 1900
    assert runs.licence == "MIT"
    assert 1e-6 < np.median(runs.target) < 1
    recounted = counts(runs.features)
    assert (recounted["conv3x3"] == runs.features["conv3x3"]).all()


def test_table_is_whole():
    table = device_latency.latencies("nb201")
    assert table.choices.shape == (4_006, 6)
    assert len(np.unique(table.choices, axis=0)) == 4_006
    assert table.seconds.shape == (4_006, 27)
    assert set(UNSEEN) | set(device_latency.TRAINED) <= set(table.seconds.columns)
    assert table.on("fpga")[0] == pytest.approx(2.57296e-3)
    assert table.choices[0].tolist() == [4, 2, 1, 2, 1, 1]
    other = device_latency.latencies("fbnet")
    assert other.choices.shape == (5000, 22)
    assert other.seconds.shape == (5000, 21)


@pytest.mark.parametrize("space", ["nb201", "fbnet"])
def test_references_are_the_ten_of_the_source(space):
    rows, numbers = device_latency.references(space), device_latency.REFERENCES[space]
    assert len(set(rows.tolist())) == 10
    assert device_latency.latencies(space).seconds.index[rows].tolist() == list(numbers)


def test_shipped_tables_are_small():
    folder = Path(device_latency.__file__).parent
    tables = sorted(folder.glob("*.csv"))
    assert len(tables) == 4
    assert all(table.stat().st_size < 1e6 for table in tables)
    assert all(table.name in (folder / "README.md").read_text("utf-8") for table in tables)


def test_few_shot_follows_the_protocol():
    runs = device_latency.dataset("gold_6226")
    split = device_latency.few_shot(runs, 10, 3)
    split.check(runs)
    assert split.train.size == 10
    assert split.train.max() < 900
    assert split.tests["inside"].tolist() == query_rows(runs.target).tolist()
    assert device_latency.few_shot(runs, 10, 4).train.tolist() != split.train.tolist()
    assert device_latency.few_shot(runs, 30, 3).train[:10].tolist() == split.train.tolist()


def test_all_families_compete():
    runs = device_latency.dataset("fpga")
    entries = device_latency.contestants(trees=5)
    assert {entry.family for entry in entries} == set(FAMILIES)
    rounds = [(20, seed, device_latency.few_shot(runs, 20, seed)) for seed in range(2)]
    scores = compete(runs, entries, rounds).groupby("contestant")["mape"].mean()
    assert scores["operation counts"] < 1e-4
    assert scores["counts x forest"] < 1e-4
    assert 1e-4 < scores["ridge on one-hot"] < scores["FLOPs x constant"]


def test_latencies_of_fewer_rows_are_refused():
    with pytest.raises(ValueError, match="1900 or more"):
        query_rows(np.ones(1000))
