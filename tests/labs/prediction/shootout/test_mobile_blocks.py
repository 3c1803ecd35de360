import numpy as np
import pytest

from perfmodel.labs.prediction.shootout import mobile_blocks
from perfmodel.labs.prediction.shootout.mobile_blocks import Place, block_work
from perfmodel.prediction.architectures.search_space import SPACES, one_hot

FBNET = SPACES["fbnet"]


def test_places_are_those_of_the_chain():
    at = mobile_blocks.places()
    assert len(at) == len(FBNET.places)
    assert [place.after for place in at if place.stride == 2] == [56, 28, 14, 7]
    assert set(mobile_blocks.KINDS) == set(FBNET.operations) - {"skip"}


def test_a_block_by_hand():
    dense, depthwise, moved, blocks = block_work(Place(8, 16, 4, 2), "k5e3")
    # 24 channels inside: widened on 16 pixels, filtered and narrowed on 4.
    assert dense == 8 * 24 * 16 + 24 * 16 * 4
    assert depthwise == 25 * 24 * 4
    assert moved == (8 + 24) * 16 + (24 + 24 * 4 // 4 * 0) * 16 + (24 + 24 + 16) * 4
    assert blocks == 1


def test_groups_halve_the_dense_work_alone():
    place = Place(16, 16, 8, 1)
    plain, grouped = block_work(place, "k3e1"), block_work(place, "k3e1g2")
    assert grouped[0] == plain[0] / 2
    np.testing.assert_array_equal(grouped[1:], plain[1:])


def test_a_skip_is_nothing_unless_the_shape_changes():
    assert block_work(Place(16, 16, 8, 1), "skip").tolist() == [0, 0, 0, 0]
    assert block_work(Place(16, 24, 8, 2), "skip")[0] == 16 * 24 * 16


def test_a_network_is_the_sum_of_its_blocks():
    rng = np.random.default_rng(0)
    choices = rng.integers(0, len(FBNET.operations), (5, len(FBNET.places)))
    found = mobile_blocks.network_work(one_hot(choices, "fbnet"))
    by_hand = [
        sum(
            block_work(place, FBNET.operations[code])
            for place, code in zip(mobile_blocks.places(), row, strict=True)
        )
        for row in choices
    ]
    columns = np.column_stack(list(found.values()))
    np.testing.assert_allclose(columns[:, 1:], by_hand)
    assert columns[:, 0] == pytest.approx(1)
