"""Models of the contest: laws of curves, circuits, an accelerator, rings, blocks, past devices."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

from perfmodel.labs.communication.collectives.contest import RingPrices
from perfmodel.labs.prediction.shootout import v100_products
from perfmodel.labs.prediction.shootout.challenges import (
    accelerators,
    circuits,
    latencies as devices,
)
from perfmodel.labs.prediction.shootout.challenges.collectives import TwoProtocols
from perfmodel.labs.prediction.shootout.challenges.curves import (
    LAWS,
    SHAPES,
    CommonPower,
    CurveLaw,
    observed_epochs,
)
from perfmodel.labs.prediction.shootout.challenges.latencies import Layer, block_work
from perfmodel.labs.prediction.shootout.challenges.servers import (
    PastMachines,
    meta_learner as machine_learner,
)
from perfmodel.prediction.architectures.device_latency import latencies, pool_rows
from perfmodel.prediction.architectures.search_space import SPACES, one_hot
from perfmodel.prediction.arena.estimators import Formula
from perfmodel.prediction.arena.metrics import mape, spearman

AT = [1, 2, 3, 4, 5]
COLUMNS = [f"after epoch {epoch}" for epoch in AT]


def values_of(curve):
    return pd.DataFrame([[curve(epoch) for epoch in AT]], columns=COLUMNS)


@given(st.floats(0, 10), st.floats(0.1, 10), st.integers(0, len(SHAPES["power"]) - 1))
def test_a_curve_of_the_law_is_continued(floor, height, index):
    shape = SHAPES["power"][index]
    curve = values_of(lambda epoch: floor + height * epoch**-shape)
    model = CurveLaw(COLUMNS, AT, 20).fit(curve, [1.0])
    assert model.predict(curve) == pytest.approx([floor + height * 20**-shape], rel=1e-3)


def test_an_exponential_too():
    shape = SHAPES["exponential"][10]
    curve = values_of(lambda epoch: 1 + 2 * np.exp(-shape * (epoch - 1)))
    model = CurveLaw(COLUMNS, AT, 20, "exponential").fit(curve, [1.0])
    assert model.predict(curve) == pytest.approx([1 + 2 * np.exp(-shape * 19)])


@pytest.mark.parametrize("law", LAWS)
def test_a_rising_curve_stays_where_it_is_and_none_ends_at_0(law):
    rising = values_of(lambda epoch: 1 + 0.1 * epoch)
    model = CurveLaw(COLUMNS, AT, 20, law).fit(rising, [1.0])
    assert model.predict(rising) == pytest.approx([1.3])
    steep = values_of(lambda epoch: 10.0 ** (6 - 2 * epoch))
    assert model.predict(steep) > 0


def test_common_power_by_hand():
    curves = pd.DataFrame({"last": [4.0, 8.0, 6.0]})
    model = CommonPower("last", 5, 20).fit(curves, [2.0, 4.0, 6.0])
    assert model.exponent_ == pytest.approx(-0.5)
    assert model.predict(curves) == pytest.approx([2, 4, 3])


def test_looks_end_where_what_is_seen_ends():
    assert observed_epochs(50)[-1] == 12


def test_parts_by_hand():
    layer = pd.DataFrame({"d_in": [16.0], "d_out": [8.0], "prec": [4.0], "rf": [32.0]})
    parts = {name: float(count[0]) for name, count in circuits.parts(layer).items()}
    # Four multipliers at once; sixteen terms carry four bits; 32 weights need five bits.
    assert parts == {
        "control": 1,
        "adder bits": 4 * 4**2,
        "accumulator bits": 8 * (2 * 4 + 4),
        "selector bits": 4 * 4 * 5,
    }


def test_rows_are_those_of_the_mixtures():
    runs = accelerators.dataset()
    assert len(runs) == 5 * (2 + 2 + 3)
    assert (runs.features["modelled"] > runs.features["service"]).all()
    assert runs.features["busy"].between(0, 1).all()


def test_formula_is_near_what_was_measured_and_reloads_matter():
    runs = accelerators.dataset()
    full = accelerators.queue_with_reloads(runs.features)
    np.testing.assert_array_equal(full, runs.features["modelled"])
    assert mape(runs.target, full) < 0.06
    assert mape(runs.target, accelerators.plain_queue(runs.features)) > mape(runs.target, full)


def test_plain_queue_of_one_network_is_the_textbooks():
    alone = pd.DataFrame({"service": [0.1], "own_rate": [5.0], "other_rate": [0.0], "busy": [0.5]})
    assert accelerators.plain_queue(alone) == pytest.approx([0.2])


def test_learners_see_the_moments_that_the_formula_takes():
    """From the columns seen the formula's own answer follows: nothing is kept from learners."""
    runs = accelerators.dataset().features
    pair = runs[: 5 * 2]
    alike = pair["own_rate"] * pair["service"] + pair["other_rate"] * pair["other_service"]
    np.testing.assert_allclose(alike, pair["busy"])
    squares = (
        pair["own_rate"] * pair["service"] ** 2 + pair["other_rate"] * pair["other_service"] ** 2
    )
    np.testing.assert_allclose(squares, pair["squares"])
    assert (runs[list(accelerators.SEEN)] > 0).all(axis=None)


@pytest.mark.parametrize(("sizes", "breaks"), [(5, 0), (6, 1)])
def test_a_break_needs_six_sizes(sizes, breaks):
    runs = pd.DataFrame(
        {"ranks": [2.0] * sizes, "bytes": [4.0**exponent for exponent in range(sizes)]}
    )
    times = 1e-5 + 1e-9 * runs["bytes"]
    predicted = TwoProtocols("all-reduce").fit(runs, times).predict(runs)
    same = RingPrices("all-reduce", breaks).fit(runs, times).predict(runs)
    assert predicted.tolist() == same.tolist()
    assert predicted == pytest.approx(times.to_numpy(), rel=1e-6)


FBNET = SPACES["fbnet"]


def test_places_are_those_of_the_chain():
    at = devices.layers()
    assert len(at) == len(FBNET.positions)
    assert [place.after for place in at if place.stride == 2] == [56, 28, 14, 7]
    assert set(devices.KINDS) == set(FBNET.operations) - {"skip"}


def test_a_block_by_hand():
    dense, depthwise, moved, blocks = block_work(Layer(8, 16, 4, 2), "k5e3")
    # 24 channels inside: widened on 16 pixels, filtered and narrowed on 4.
    assert dense == 8 * 24 * 16 + 24 * 16 * 4
    assert depthwise == 25 * 24 * 4
    assert moved == (8 + 24) * 16 + (24 + 24 * 4 // 4 * 0) * 16 + (24 + 24 + 16) * 4
    assert blocks == 1


def test_groups_halve_the_dense_work_alone():
    place = Layer(16, 16, 8, 1)
    plain, grouped = block_work(place, "k3e1"), block_work(place, "k3e1g2")
    assert grouped[0] == plain[0] / 2
    np.testing.assert_array_equal(grouped[1:], plain[1:])


def test_a_skip_is_nothing_unless_the_shape_changes():
    assert block_work(Layer(16, 16, 8, 1), "skip").tolist() == [0, 0, 0, 0]
    assert block_work(Layer(16, 24, 8, 2), "skip")[0] == 16 * 24 * 16


def test_a_network_is_the_sum_of_its_blocks():
    rng = np.random.default_rng(0)
    choices = rng.integers(0, len(FBNET.operations), (5, len(FBNET.positions)))
    work = devices.network_work(one_hot(choices, "fbnet"))
    by_hand = [
        sum(
            block_work(place, FBNET.operations[code])
            for place, code in zip(devices.layers(), row, strict=True)
        )
        for row in choices
    ]
    columns = np.column_stack(list(work.values()))
    np.testing.assert_allclose(columns[:, 1:], by_hand)
    assert columns[:, 0] == pytest.approx(1)


@pytest.mark.parametrize("space", ["nb201", "fbnet"])
def test_a_new_device_is_none_of_the_past(space):
    assert not set(devices.DEVICES[space]) & set(devices.PAST[space])
    assert set(devices.PAST[space]) <= set(latencies(space).seconds.columns)


def test_predictions_follow_devices_on_networks_outside_the_pool():
    predicted = devices.predicted_elsewhere("nb201")
    outside = slice(pool_rows("nb201").size, None)
    measured = latencies("nb201").seconds["1080ti_256"].to_numpy()[outside]
    assert spearman(measured, predicted["1080ti_256, predicted"].to_numpy()[outside]) > 0.9
    assert (predicted > 0).all(axis=None)


def test_tested_networks_have_no_part_in_past_predictions(monkeypatch):
    table = latencies("nb201")
    before = devices.predicted_elsewhere("nb201").to_numpy()
    changed = table.seconds.copy()
    changed.iloc[pool_rows("nb201").size :] *= 7
    other = type(table)(table.space, table.choices, changed)
    monkeypatch.setattr(devices, "latencies", lambda space: other)
    again = devices._predicted.__wrapped__("nb201")
    np.testing.assert_array_equal(again, before)


def test_four_settings_of_which_one_sees_the_network():
    entry = devices.meta_learner("nb201", ["pool"])
    settings = entry.estimator.settings
    assert len(settings) == 4
    assert [list(setting.plain) for setting in settings.values()].count(["pool"]) == 1


def test_the_graybox_sees_past_devices_and_is_told_two_models():
    models = {"one": Formula(np.ravel), "two": Formula(np.ravel)}
    entry = devices.informed_learner("fbnet", ["pool"], models)
    settings = entry.estimator.settings
    assert entry.family == "graybox"
    assert len(settings) == 4
    assert {id(setting.model) for setting in settings.values()} == set(map(id, models.values()))
    past = devices.past_columns("fbnet")
    assert all(list(setting.columns) == past for setting in settings.values())


def runs(scores):
    rows = pd.DataFrame(scores, columns=["machine", "component", "cores", "score"])
    return rows.drop(columns="score"), rows["score"]


TWO = [("a", "x", 8.0, 10.0), ("a", "y", 8.0, 20.0), ("b", "x", 64.0, 40.0), ("b", "y", 64.0, 80.0)]


def test_a_new_machine_scores_like_the_one_it_is_like():
    model = PastMachines(["cores"], 0.1, shifted=False).fit(*runs(TWO))
    new, _ = runs([("c", "x", 9.0, 0), ("c", "y", 60.0, 0)])
    assert model.predict(new) == pytest.approx([10, 80], rel=1e-3)


def test_few_scores_of_the_new_machine_move_all_of_it():
    model = PastMachines(["cores"], 0.1).fit(*runs([*TWO, ("c", "x", 8.0, 15.0)]))
    new, _ = runs([("c", "y", 8.0, 0)])
    assert model.predict(new) == pytest.approx([30], rel=1e-3)


def test_a_component_that_none_has_is_the_mean_of_all():
    model = PastMachines(["cores"], 0.1, shifted=False).fit(*runs(TWO))
    new, _ = runs([("c", "z", 8.0, 0)])
    assert model.predict(new) == pytest.approx([200**0.5], rel=1e-3)


def test_one_machine_alone_is_predicted_from_its_own_rows():
    model = PastMachines(["cores"]).fit(*runs(TWO[:2]))
    assert model.predict(runs(TWO[:2])[0]) == pytest.approx([10, 20], rel=1e-3)


def test_four_settings():
    assert len(machine_learner(["cores"]).estimator.settings) == 4


def test_profile(third_party):
    folder = third_party("apex", "v100_gemm.csv").parents[1]
    runs = v100_products.dataset(folder, rows=500)
    assert len(runs) == 500
    assert runs.features["word"].eq(2).all()
    table = v100_products.table(folder)
    assert len(table) == 92_191
    assert len(table.groupby(["n", "k"])) > 5000 > table["m"].nunique()
    assert len(set(runs.group(v100_products.PAIR))) == len(runs.features.groupby(["n", "k"]))
    rate = 2 * table["m"] * table["n"] * table["k"] / table["seconds"]
    assert rate.max() == pytest.approx(100.2e12, rel=0.001)


def test_waves_by_hand():
    shape = pd.DataFrame({"m": [129.0], "n": [128.0 * 41], "k": [64.0], "word": [2.0]})
    counts = v100_products.waves(shape)
    # Two rows of 41 tiles on 80 processors: a round for 80 tiles and another for two.
    assert counts["wave steps"].tolist() == [2 * 64]
    assert counts["multiply-adds"].tolist() == [129 * 128 * 41 * 64]
