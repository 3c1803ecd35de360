"""HELP: the protocol, its audit, few-shot predictors and the drawing of a cell."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.labs.prediction.help import few_shot
from perfmodel.labs.prediction.help.cell_drawing import cell_graph
from perfmodel.labs.prediction.help.few_shot import (
    DeviceTask,
    audit,
    by_counts,
    by_forest,
    by_mixture,
    by_neighbour,
    by_ridge,
    by_used_counts,
    device_task,
    one_hot_networks,
    prices,
    resampled_ranks,
    tie_deviation,
    tie_range,
)
from perfmodel.labs.prediction.help.inputs import (
    FBNET_UNSEEN,
    MEAN_TIE_DEVIATION,
    RANKED,
    RANKED_FBNET,
    TIE_DEVIATION,
)
from perfmodel.prediction.architectures.device_latency import UNSEEN, latencies, references
from perfmodel.prediction.architectures.search_space import counts, flops, one_hot, used_counts
from perfmodel.prediction.arena import metrics


@settings(max_examples=20)
@given(st.integers(0, 200))
def test_tie_range_holds_every_order(seed):
    rng = np.random.default_rng(seed)
    actual, guess = rng.permutation(12) + 1.0, rng.integers(0, 4, 12).astype(float)
    low, high = tie_range(actual, guess)
    rank = metrics.spearman(actual, guess + 1e-3 * rng.permutation(12))
    assert low - 1e-12 <= rank <= high + 1e-12


def test_tie_range_without_ties_is_one_value():
    low, high = tie_range([1.0, 5.0, 3.0], [1.0, 2.0, 3.0])
    assert low == high == pytest.approx(0.5)


def test_random_orders_of_equals_lie_in_the_range():
    actual, guess = np.arange(1.0, 31.0), np.repeat([1.0, 3.0, 2.0], 10)
    (low, high), (mean, deviation) = tie_range(actual, guess), tie_deviation(actual, guess, 400)
    assert low < mean - deviation < mean + deviation < high
    assert mean == pytest.approx((low + high) / 2, abs=0.01)


def test_tie_spreads_of_the_inputs_are_those_of_the_data():
    spreads = []
    for device in UNSEEN:
        chosen = device_task(device)
        _, spread = tie_deviation(chosen.seconds[chosen.query], flops(chosen.hot)[chosen.query])
        assert spread == pytest.approx(TIE_DEVIATION[device], abs=5e-5)
        spreads.append(spread)
    assert np.linalg.norm(spreads) / 6 == pytest.approx(MEAN_TIE_DEVIATION, abs=5e-5)


def test_printed_correlations_of_flops_lie_between_the_orders_of_equals():
    for device, printed in zip(UNSEEN, RANKED["FLOPs"], strict=True):
        chosen = device_task(device)
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
    chosen = device_task(device)
    rank = chosen.rank(by_counts(chosen, references()))
    assert rank == pytest.approx(ADDITIVE[device], abs=0.003)
    assert rank > RANKED["HELP, 10"][UNSEEN.index(device)] - 0.003
    assert rank > chosen.rank(flops(chosen.hot))


def test_five_prices_on_average():
    ranks = [
        device_task(device).rank(by_counts(device_task(device), references())) for device in UNSEEN
    ]
    assert np.mean(ranks) == pytest.approx(0.949, abs=0.003)


def test_fbnet_needs_other_devices():
    tasks = [device_task(device, "fbnet") for device in FBNET_UNSEEN]
    plain = np.array([resampled_ranks(chosen, by_counts, 10).mean() for chosen in tasks])
    mixed = np.array([resampled_ranks(chosen, by_mixture, 10).mean() for chosen in tasks])
    published = np.array(RANKED_FBNET["HELP, 10"])
    assert (plain < published - 0.1).all()
    assert (mixed > published - 0.1).all()


def test_audit_finds_the_tables():
    cells = audit("nb201")
    assert cells.index[cells["table"]].tolist() == ["eyeriss", "fpga"]
    phones = ["essential_ph_1", "pixel2", "samsung_a50", "samsung_s7"]
    assert cells.index[cells["whole_ms"]].tolist() == phones
    chains = audit("fbnet")
    assert chains.index[chains["table"]].tolist() == ["eyeriss", "fpga", "pixel3", "raspi4"]
    assert chains.loc["samsung_s7", "r2"] < 0.5


def test_prices_of_the_tables():
    chosen = device_task("fpga", "nb201")
    fitted = prices(counts(chosen.hot), chosen.seconds)
    expected = {"base": 1.1330, "skip": 0, "conv1x1": 0.5152, "conv3x3": 1.2576, "pool": 0.4096}
    assert {k: 1e3 * v for k, v in fitted.items()} == pytest.approx(expected, abs=5e-4)


def test_near_zero_latencies_are_cells_without_a_path():
    alive = used_counts(one_hot_networks("nb201"))["alive"] > 0
    assert (~alive).sum() == 74
    seconds = latencies("nb201").seconds
    for device in ("raspi4", "pixel3"):
        assert not alive[(seconds[device] < 0.5e-3).to_numpy()].any()
        assert (seconds[device] < 0.5e-3).sum() > 50
    assert (seconds["gold_6226"] > 1e-3).all()
    kept = 1e3 * seconds["raspi4"][~alive & (seconds["raspi4"] >= 0.5e-3)]
    assert (len(kept), round(kept.min(), 1), round(kept.max())) == (21, 0.5, 34)


def test_used_counts_help_where_dead_code_is_removed_and_only_there():
    rank = {
        device: [
            resampled_ranks(device_task(device), method, 10, 5).mean()
            for method in (by_counts, by_used_counts)
        ]
        for device in UNSEEN
    }
    assert [device for device, (plain, used) in rank.items() if used > plain] == ["raspi4"]


def test_few_shot_curve():
    def mean(method, budget):
        return np.mean(
            [resampled_ranks(device_task(device), method, budget, 5) for device in UNSEEN]
        )

    assert mean(by_counts, 10) == pytest.approx(0.94, abs=0.02)
    assert mean(by_ridge, 10) < 0.55
    assert mean(by_neighbour, 10) == pytest.approx(0.86, abs=0.02)
    assert mean(by_ridge, 300) == pytest.approx(mean(by_counts, 300), abs=0.02)
    assert 0.8 < mean(by_mixture, 5) < mean(by_counts, 10)


CELLS = ["".join(digits) for digits in product("0134", repeat=6)][::41]


@pytest.mark.parametrize("cell", [*CELLS, "333000", "042020", "000004", "222222", "444444"])
def test_is_readable_and_agrees_with_the_counts(cell):
    scene = cell_graph(cell)
    assert scene.faults() == []
    counted = used_counts(one_hot([[int(digit) for digit in cell]]))
    del counted["always"], counted["alive"]
    assert scene.values["used"] == sum(float(number[0]) for number in counted.values())
    dashed = sum(getattr(shape, "dashed", False) for shape in scene.shapes)
    assert dashed == scene.values["operations"] - scene.values["used"]


@pytest.mark.parametrize("cell", ["33300", "33300x", "333005"])
def test_wants_six_digits_of_operations(cell):
    with pytest.raises(ValueError, match="cell must be 6 digits"):
        cell_graph(cell)


METHODS = [by_counts, by_used_counts, by_ridge, by_neighbour, by_mixture]
PRICE = {"base": 2e-3, "skip": 0.0, "conv1x1": 5e-4, "conv3x3": 3e-3, "pool": 7e-4}


def a_task(counted=counts, price=PRICE, size=1900, seed=1):
    rng = np.random.default_rng(seed)
    hot = one_hot(rng.integers(0, 5, (size, 6)))
    seconds = sum(price[name] * n for name, n in counted(hot).items() if name in price)
    known = np.column_stack([rng.uniform(1, 2, size), 3 * seconds + 1, rng.uniform(1, 2, size)])
    return DeviceTask("nb201", "made up", seconds, hot, known, np.arange(900, size))


@given(st.lists(st.floats(0.1, 10), min_size=3, max_size=3), st.integers(0, 99))
def test_prices_come_back(wanted, seed):
    counted = np.random.default_rng(seed).integers(0, 7, (12, 2))
    named = {"base": np.ones(12), "a": counted[:, 0], "b": counted[:, 1]}
    seconds = sum(price * n for price, n in zip(wanted, named.values(), strict=True))
    fitted = prices(named, seconds)
    again = sum(fitted[name] * n for name, n in named.items())
    assert again == pytest.approx(seconds)


def test_no_price_is_below_0():
    fitted = prices({"base": np.ones(3), "a": np.arange(3)}, [3.0, 2.0, 1.0])
    assert fitted["a"] == 0
    assert fitted["base"] == pytest.approx(2)


@settings(max_examples=10)
@given(st.integers(0, 50))
def test_counts_are_exact_where_latency_is_a_sum(seed):
    chosen = a_task(seed=seed)
    rows = np.random.default_rng(seed).permutation(900)[:30]
    assert by_counts(chosen, rows) == pytest.approx(chosen.seconds)


def test_used_counts_are_exact_where_dead_code_is_gone():
    price = {"always": 1e-5, "alive": 4e-3, **{k: v for k, v in PRICE.items() if k != "base"}}
    chosen = a_task(used_counts, price)
    assert by_used_counts(chosen, np.arange(200)) == pytest.approx(chosen.seconds)
    assert by_counts(chosen, np.arange(200)) != pytest.approx(chosen.seconds, rel=0.01)


def test_what_is_borrowed():
    chosen = a_task()
    assert (by_neighbour(chosen, np.arange(10)) == chosen.known[:, 1]).all()
    # The known device has a base of 1 s more, which no share of 0 or more can take off.
    assert chosen.rank(by_mixture(chosen, np.arange(100))) > 0.9
    assert chosen.rank(by_neighbour(chosen, np.arange(10))) == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.__name__)
def test_only_timed_rows_are_seen(method):
    chosen, rows = a_task(), np.arange(40)
    hidden = np.where(np.arange(1900) < 40, chosen.seconds, 1.0)
    blind = DeviceTask("nb201", "made up", hidden, chosen.hot, chosen.known, chosen.query)
    assert method(chosen, rows) == pytest.approx(method(blind, rows))


def test_more_measurements_help_the_learners():
    chosen = a_task()
    for method in (by_ridge, by_forest):
        few = chosen.rank(method(chosen, np.arange(10)))
        assert few < chosen.rank(method(chosen, np.arange(300)))


def test_drawn_is_repeatable():
    chosen = a_task()
    first = resampled_ranks(chosen, by_ridge, 10, 4)
    assert first.shape == (4,)
    assert first.tolist() == resampled_ranks(chosen, by_ridge, 10, 4).tolist()
    assert resampled_ranks(chosen, by_ridge, 10, 2).tolist() == first[:2].tolist()
    assert len(set(first.tolist())) == 4


def test_task_of_the_data():
    chosen = few_shot.device_task("fpga", "nb201")
    assert chosen.known.shape == (4_006, 9)
    assert chosen.query.size == 800
    assert chosen.rank(chosen.seconds) == pytest.approx(1)
    assert chosen.rank(-chosen.seconds) == pytest.approx(-1)
    other = few_shot.device_task("fpga", "fbnet")
    assert other.hot.shape == (5000, 176)
    assert other.query.min() >= 4000
