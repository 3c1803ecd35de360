"""HELP: orders of equals, the audit of what was timed, and the shape of the few-shot curve."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.labs.prediction.help.audit import audit, tie_range, tie_spread
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
from perfmodel.labs.prediction.help.inputs import (
    FBNET_UNSEEN,
    MEAN_TIE_SPREAD,
    RANKED,
    RANKED_FBNET,
    TIE_SPREAD,
)
from perfmodel.prediction.architectures.device_latency import UNSEEN, latencies, references
from perfmodel.prediction.architectures.search_space import counts, flops, used_counts
from perfmodel.prediction.arena import metrics


@settings(max_examples=20)
@given(st.integers(0, 200))
def test_tie_range_holds_every_order(seed):
    rng = np.random.default_rng(seed)
    actual, guess = rng.permutation(12) + 1.0, rng.integers(0, 4, 12).astype(float)
    low, high = tie_range(actual, guess)
    some = metrics.spearman(actual, guess + 1e-3 * rng.permutation(12))
    assert low - 1e-12 <= some <= high + 1e-12


def test_tie_range_without_ties_is_one_value():
    low, high = tie_range([1.0, 5.0, 3.0], [1.0, 2.0, 3.0])
    assert low == high == pytest.approx(0.5)


def test_random_orders_of_equals_lie_in_the_range():
    actual, guess = np.arange(1.0, 31.0), np.repeat([1.0, 3.0, 2.0], 10)
    (low, high), (mean, deviation) = tie_range(actual, guess), tie_spread(actual, guess, 400)
    assert low < mean - deviation < mean + deviation < high
    assert mean == pytest.approx((low + high) / 2, abs=0.01)
    with pytest.raises(ValueError, match="draws must be a whole number, 2 or more, got 1"):
        tie_spread(actual, guess, 1)


def test_tie_spreads_of_the_inputs_are_those_of_the_data():
    spreads = []
    for device in UNSEEN:
        chosen = task(device)
        _, spread = tie_spread(chosen.seconds[chosen.query], flops(chosen.hot)[chosen.query])
        assert spread == pytest.approx(TIE_SPREAD[device], abs=5e-5)
        spreads.append(spread)
    assert np.linalg.norm(spreads) / 6 == pytest.approx(MEAN_TIE_SPREAD, abs=5e-5)


def test_printed_correlations_of_flops_lie_between_the_orders_of_equals():
    for device, printed in zip(UNSEEN, RANKED["FLOPs"], strict=True):
        chosen = task(device)
        low, high = tie_range(chosen.seconds[chosen.query], flops(chosen.hot)[chosen.query])
        assert low <= printed <= high


ADDITIVE = {
    "titan_rtx_256": 0.991,
    "gold_6226": 0.991,
    "pixel2": 0.802,
    "raspi4": 0.912,
    "eyeriss": 0.995,
    "fpga": 1.000,
}
"""Rank correlation of five prices from the ten reference networks, calculated separately."""


@pytest.mark.parametrize("device", UNSEEN)
def test_five_prices_from_the_reference_networks(device):
    chosen = task(device)
    rank = chosen.rank(by_counts(chosen, references()))
    assert rank == pytest.approx(ADDITIVE[device], abs=0.003)
    assert rank > RANKED["HELP, 10"][UNSEEN.index(device)] - 0.003
    assert rank > chosen.rank(flops(chosen.hot))


def test_five_prices_on_average():
    ranks = [task(device).rank(by_counts(task(device), references())) for device in UNSEEN]
    assert np.mean(ranks) == pytest.approx(0.949, abs=0.003)


def test_fbnet_needs_other_devices():
    tasks = [task(device, "fbnet") for device in FBNET_UNSEEN]
    plain = np.array([drawn(chosen, by_counts, 10).mean() for chosen in tasks])
    mixed = np.array([drawn(chosen, by_mixture, 10).mean() for chosen in tasks])
    theirs = np.array(RANKED_FBNET["HELP, 10"])
    assert (plain < theirs - 0.1).all()
    assert (mixed > theirs - 0.1).all()


def test_audit_finds_the_tables():
    cells = audit("nb201")
    assert cells.index[cells["table"]].tolist() == ["eyeriss", "fpga"]
    phones = ["essential_ph_1", "pixel2", "samsung_a50", "samsung_s7"]
    assert cells.index[cells["whole_ms"]].tolist() == phones
    chains = audit("fbnet")
    assert chains.index[chains["table"]].tolist() == ["eyeriss", "fpga", "pixel3", "raspi4"]
    assert chains.loc["samsung_s7", "r2"] < 0.5


def test_prices_of_the_tables():
    chosen = task("fpga", "nb201")
    each = prices(counts(chosen.hot), chosen.seconds)
    expected = {"base": 1.1330, "skip": 0, "conv1x1": 0.5152, "conv3x3": 1.2576, "pool": 0.4096}
    assert {k: 1e3 * v for k, v in each.items()} == pytest.approx(expected, abs=5e-4)


def test_near_zero_latencies_are_cells_without_a_path():
    alive = used_counts(coded("nb201"))["alive"] > 0
    assert (~alive).sum() == 74
    seconds = latencies("nb201").seconds
    for device in ("raspi4", "pixel3"):
        assert not alive[(seconds[device] < 0.5e-3).to_numpy()].any()
        assert (seconds[device] < 0.5e-3).sum() > 50
    assert (seconds["gold_6226"] > 1e-3).all()


def test_used_counts_help_where_dead_code_is_removed_and_only_there():
    rank = {
        device: [
            drawn(task(device), method, 10, 5).mean() for method in (by_counts, by_used_counts)
        ]
        for device in UNSEEN
    }
    assert [device for device, (plain, used) in rank.items() if used > plain] == ["raspi4"]


def test_few_shot_curve():
    def mean(method, budget):
        return np.mean([drawn(task(device), method, budget, 5) for device in UNSEEN])

    assert mean(by_counts, 10) == pytest.approx(0.94, abs=0.02)
    assert mean(by_ridge, 10) < 0.55
    assert mean(by_neighbour, 10) == pytest.approx(0.86, abs=0.02)
    assert mean(by_ridge, 300) == pytest.approx(mean(by_counts, 300), abs=0.02)
    assert 0.8 < mean(by_mixture, 5) < mean(by_counts, 10)
