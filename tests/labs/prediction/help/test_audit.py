"""HELP: the ledger, ties, the audit of what was timed, and the shape of the few-shot curve."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfmodel import data
from perfmodel.labs.prediction.help import audit as lab
from perfmodel.labs.prediction.help.few_shot import (
    by_counts,
    by_mixture,
    by_neighbour,
    by_ridge,
    by_used_counts,
    coded,
    drawn,
    prices,
    task,
)
from perfmodel.prediction.architectures.device_latency import UNSEEN, latencies
from perfmodel.prediction.architectures.search_space import counts, used_counts
from perfmodel.prediction.arena import metrics


@pytest.fixture(scope="module")
def folder(third_party):
    third_party("help", "fbnet_latency.csv")
    return third_party("help", "nb201_latency.csv").parents[1]


def test_claims(folder, monkeypatch):
    monkeypatch.setenv(data.FOLDER_VARIABLE, str(folder))
    found = [claim.check() for claim in lab.claims()]
    assert len(found) == 18
    assert [bool(one.claim.miss) for one in found] == [not one.met for one in found]


def test_claims_without_the_data(tmp_path, monkeypatch):
    monkeypatch.setenv(data.FOLDER_VARIABLE, str(tmp_path))
    assert [claim.published for claim in lab.claims()] == [0.932, 0.910]


@settings(max_examples=20)
@given(st.integers(0, 200))
def test_tie_range_holds_every_order(seed):
    rng = np.random.default_rng(seed)
    actual, guess = rng.permutation(12) + 1.0, rng.integers(0, 4, 12).astype(float)
    low, high = lab.tie_range(actual, guess)
    some = metrics.spearman(actual, guess + 1e-3 * rng.permutation(12))
    assert low - 1e-12 <= some <= high + 1e-12


def test_tie_range_without_ties_is_one_value():
    low, high = lab.tie_range([1.0, 5.0, 3.0], [1.0, 2.0, 3.0])
    assert low == high == pytest.approx(0.5)


def test_audit_finds_the_tables(folder):
    cells = lab.audit("nb201", folder)
    assert cells.index[cells["table"]].tolist() == ["eyeriss", "fpga"]
    phones = ["essential_ph_1", "pixel2", "samsung_a50", "samsung_s7"]
    assert cells.index[cells["whole_ms"]].tolist() == phones
    chains = lab.audit("fbnet", folder)
    assert chains.index[chains["table"]].tolist() == ["eyeriss", "fpga", "pixel3", "raspi4"]
    assert chains.loc["samsung_s7", "r2"] < 0.5


def test_prices_of_the_tables(folder):
    chosen = task("fpga", "nb201", folder)
    found = prices(counts(chosen.hot), chosen.seconds)
    expected = {"base": 1.1330, "skip": 0, "conv1x1": 0.5152, "conv3x3": 1.2576, "pool": 0.4096}
    assert {k: 1e3 * v for k, v in found.items()} == pytest.approx(expected, abs=5e-4)


def test_near_zero_latencies_are_cells_without_a_path(folder):
    alive = used_counts(coded("nb201", folder))["alive"] > 0
    assert (~alive).sum() == 341
    seconds = latencies("nb201", folder).seconds
    for device in ("raspi4", "pixel3"):
        assert not alive[(seconds[device] < 0.5e-3).to_numpy()].any()
        assert (seconds[device] < 0.5e-3).sum() > 200
    assert (seconds["gold_6226"] > 1e-3).all()


def test_used_counts_help_where_dead_code_is_removed_and_only_there(folder):
    rank = {
        device: [
            drawn(task(device, "nb201", folder), method, 10, 5).mean()
            for method in (by_counts, by_used_counts)
        ]
        for device in UNSEEN
    }
    assert [device for device, (plain, used) in rank.items() if used > plain] == ["raspi4"]


def test_few_shot_curve(folder):
    def mean(method, budget):
        return np.mean([drawn(task(one, "nb201", folder), method, budget, 5) for one in UNSEEN])

    assert mean(by_counts, 10) == pytest.approx(0.94, abs=0.02)
    assert mean(by_ridge, 10) < 0.55
    assert mean(by_neighbour, 10) == pytest.approx(0.86, abs=0.02)
    assert mean(by_ridge, 300) == pytest.approx(mean(by_counts, 300), abs=0.02)
    assert 0.8 < mean(by_mixture, 5) < mean(by_counts, 10)
