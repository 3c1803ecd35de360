"""Strings of MetaQNN: parsing, the walk of shapes, the descriptor, and the authors' tables."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.prediction.architectures import metaqnn
from perfmodel.prediction.architectures.metaqnn import FEATURES, NetLayer, descriptor, parse, walk

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
