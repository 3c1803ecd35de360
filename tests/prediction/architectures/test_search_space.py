"""Networks of four sources: codes, counts and latencies as published."""

from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as arrays
from scipy import ndimage

from perfmodel.prediction.architectures import cell_timing, device_latency, metaqnn
from perfmodel.prediction.architectures.cell_timing import latencies_here, run, tensor
from perfmodel.prediction.architectures.device_latency import UNSEEN, query_rows
from perfmodel.prediction.architectures.metaqnn import FEATURES, NetLayer, descriptor, parse, walk
from perfmodel.prediction.architectures.search_space import (
    EDGES,
    SPACES,
    counts,
    flops,
    one_hot,
    used_counts,
)
from perfmodel.prediction.arena.contest import FAMILIES, compete

CELLS = arrays.arrays(int, st.tuples(st.integers(1, 20), st.just(6)), elements=st.integers(0, 4))


@given(CELLS)
def test_counts_are_those_of_the_code(choices):
    counted = counts(one_hot(choices))
    for code, name in enumerate(SPACES["nb201"].operations[1:], start=1):
        assert counted[name].tolist() == (choices == code).sum(axis=1).tolist()
    assert counted["base"].tolist() == [1.0] * len(choices)


def test_one_hot_says_where():
    cell = one_hot([[3, 0, 0, 0, 0, 4]]).iloc[0]
    assert cell[cell > 0].index.tolist() == ["0-1 conv3x3", "2-3 pool"]
    layers = one_hot([[8] * 21 + [0]], "fbnet").iloc[0]
    assert layers[layers > 0].index.tolist() == ["layer 22 k3e1"]
    assert len(layers) == 22 * 8


def test_flops_by_hand():
    # 3x3: 9 x 512^2 in each of three stages; batch norms 57,344 over the stages; 5 cells a stage.
    result = flops(one_hot([[3, 0, 0, 0, 0, 0], [0, 2, 0, 0, 0, 0], [0, 1, 4, 0, 0, 0], [3] * 6]))
    assert result.tolist() == [
        5 * (3 * 2_359_296 + 57_344),
        5 * (3 * 262_144 + 57_344),
        0,
        214_056_960,
    ]


def test_used_counts_by_hand():
    # Edges 0-1, 0-2, 1-2, 0-3, 1-3, 2-3.
    cells = [[3, 3, 3, 3, 3, 3], [3, 0, 2, 1, 0, 0], [3, 0, 2, 0, 0, 4], [0, 0, 0, 0, 0, 3]]
    result = used_counts(one_hot(cells))
    assert result["alive"].tolist() == [1, 1, 1, 0]
    assert result["conv3x3"].tolist() == [6, 0, 1, 0]
    assert result["conv1x1"].tolist() == [0, 0, 1, 0]
    assert result["skip"].tolist() == [0, 1, 0, 0]
    assert result["pool"].tolist() == [0, 0, 1, 0]


@given(CELLS)
def test_what_is_used_leads_to_the_output(choices):
    result = used_counts(one_hot(choices))
    for row, cell in enumerate(choices):
        steps = np.eye(4)
        for (source, to), code in zip(EDGES, cell, strict=True):
            steps[source, to] += code > 0
        reach = np.linalg.matrix_power(steps, 3) > 0
        assert bool(result["alive"][row]) is bool(reach[0, 3])
        for code, name in enumerate(SPACES["nb201"].operations[1:], start=1):
            ends = [to for (_, to), chosen in zip(EDGES, cell, strict=True) if chosen == code]
            assert result[name][row] == reach[0, 3] * sum(reach[to, 3] for to in ends)


def test_cells_without_a_path_from_input_to_output():
    every = one_hot(list(product(range(5), repeat=6)))
    assert (used_counts(every)["alive"] == 0).sum() == 341


def test_a_code_that_is_no_network_is_refused():
    with pytest.raises(ValueError, match="choices must be from 0 to 4"):
        one_hot([[5, 0, 0, 0, 0, 0]])


SHORT = "[C(64,5,1), C(256,3,1), D(1,1), GAP(10), SM(10)]"

LAYERS = st.one_of(
    st.builds(NetLayer, st.just("C"), st.tuples(*[st.integers(1, 9)] * 3)),
    st.builds(NetLayer, st.just("P"), st.tuples(*[st.integers(1, 9)] * 2)),
    st.builds(NetLayer, st.just("D"), st.tuples(*[st.integers(1, 9)] * 2)),
    st.builds(NetLayer, st.just("FC"), st.tuples(st.integers(1, 512))),
)


def written(layers):
    return f"[{', '.join(layer.kind + str(layer.numbers).replace(',)', ')') for layer in layers)}]"


def test_weights_and_operations_of_a_net_by_hand():
    steps = walk(parse(SHORT))
    assert [step.weights for step in steps] == [4_800, 147_456, 0, 2_560, 100]
    pixels = 32 * 32
    assert [step.operations for step in steps] == [
        4_800 * pixels,
        147_456 * pixels,
        0,
        2_560 * pixels,
        100,
    ]
    assert steps[3].side == (32, 1)
    assert steps[4].channels == (10, 10)
    assert [step.kernel for step in steps] == [5, 3, 1, 1, 1]


def test_shapes_of_strides_and_poolings():
    steps = walk(parse("[C(8,3,2), P(5,3), P(3,2), P(5,2), C(8,3,3), FC(6), SM(10)]"))
    assert [step.side[1] for step in steps] == [16, 4, 1, 1, 1, 1, 1]
    odd = walk(parse("[C(8,3,3), C(8,3,2)]"))
    assert [step.side[1] for step in odd] == [11, 6]
    dense = walk(parse("[P(2,2), FC(6)]"))[1]
    assert dense.weights == dense.operations == 16 * 16 * 3 * 6


def test_descriptor_by_hand():
    result = dict(
        zip(
            FEATURES, descriptor("[C(64,5,1), C(32,1,1), P(2,2), FC(9), SM(10)]", 4e-4), strict=True
        )
    )
    work = 4_800 * 1024 + 2_048 * 1024 + 256 * 32 * 9 + 90
    assert result["convolutions"] == 2
    assert result["poolings"] == result["dense"] == 1
    assert result["dropouts"] == result["global poolings"] == 0
    assert result["mean kernel"] == 3
    assert result["mean filters"] == 48
    assert result["last channels"] == 32
    assert result["last side"] == 16
    assert result["log10 FLOPs"] == pytest.approx(np.log10(1 + work))
    assert result["log10 weights"] == pytest.approx(np.log10(1 + 4_800 + 2_048 + 256 * 32 * 9 + 90))
    assert result["learning rate"] == 4e-4


def test_a_net_without_convolutions_has_a_descriptor():
    result = dict(zip(FEATURES, descriptor("[SM(10)]", 1e-3), strict=True))
    assert result["mean kernel"] == result["convolutions"] == 0
    assert (result["last channels"], result["last side"]) == (3, 32)


@settings(max_examples=40)
@given(st.lists(LAYERS, min_size=1, max_size=8))
def test_parsing_reads_what_was_written_and_shapes_fit(layers):
    assert list(parse(written(layers))) == layers
    steps = walk(layers)
    for before, after in pairwise(steps):
        assert before.side[1] == after.side[0]
        assert before.channels[1] == after.channels[0]
    assert all(1 <= step.side[1] <= step.side[0] for step in steps)
    assert all(step.operations >= step.weights for step in steps)


@pytest.mark.parametrize(
    "net", ["", "[]", "C(1,1,1)", "[C(1,1)]", "[Q(1)]", "[C(0,1,1)]", "[SM(a)]"]
)
def test_refuses_other_strings(net):
    with pytest.raises(ValueError, match="net must"):
        parse(net)


@pytest.mark.parametrize(("name", "count", "pooled"), [("cifar10", 1000, 297), ("svhn", 1300, 90)])
def test_weights_are_those_that_the_authors_print(name, count, pooled):
    family = metaqnn.family(name)
    assert family.features.shape == (count, 12)
    assert family.accuracy.shape == (count, 20)
    ours = {
        net: sum(step.weights for step in walk(parse(net)) if step.layer.kind != "SM")
        for net in family.nets
        if "GAP" in net and "FC" not in net
    }
    theirs = dict(zip(family.nets, family.weights, strict=True))
    assert len(ours) == pooled
    assert ours == {net: theirs[net] for net in ours}


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


def test_paths_are_summed():
    images = tensor(3, 5)
    assert run([1, 0, 0, 1, 1, 0], images) == pytest.approx(2 * images)
    assert run([1, 1, 1, 1, 1, 1], images) == pytest.approx(4 * images)
    assert (run([1, 1, 1, 0, 0, 0], images) == 0).all()


def test_pool_is_the_mean_of_nine():
    images = tensor(2, 6)
    expected = ndimage.uniform_filter(images, size=(1, 3, 3), mode="constant")
    assert run([0, 0, 0, 4, 0, 0], images) == pytest.approx(expected)


def test_convolution_adds_up_its_nine_products():
    images = np.zeros((2, 5, 5))
    images[0, 2, 2] = 1.0
    result = run([0, 0, 0, 3, 0, 0], images)
    assert (result[:, 1:4, 1:4] != 0).all()
    result[:, 1:4, 1:4] = 0
    assert (result == 0).all()
    one = run([0, 0, 0, 2, 0, 0], images)
    assert one[0, 2, 2] == pytest.approx(0.5)
    assert np.count_nonzero(one) == 2


def test_fastest_of_shuffled_rounds():
    # Readings 0, 9, 9, 12, ... us: runs take 9, 3, 4 and 8 us, two a round.
    readings = iter(1000 * np.cumsum([0, 9, 0, 3, 0, 4, 0, 8]))
    result = latencies_here([[0] * 6, [1] * 6], tensor(1, 1), 2, lambda: int(next(readings)))
    orders = [np.random.default_rng(seed).permutation(2).tolist() for seed in (0, 1)]
    expected = [
        min((9, 3)[orders[0].index(cell)], (4, 8)[orders[1].index(cell)]) for cell in (0, 1)
    ]
    assert result == pytest.approx(1e-6 * np.array(expected))


def test_a_cell_of_other_operations_is_refused():
    with pytest.raises(ValueError, match="cell must be six numbers from 0 to 4"):
        run([5, 0, 0, 0, 0, 0], tensor(1, 1))
    assert cell_timing.tensor(2, 3).shape == (2, 3, 3)
