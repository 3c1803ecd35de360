from itertools import pairwise

import pytest

from perfmodel.labs.queueing.dnn_server.batches import accelerator_batches, taken_batches

GAPS = [0.4, 0.5, 0.75, 1, 1.5, 2, 4, 6]


@pytest.mark.parametrize("gap", GAPS)
def test_every_rate_can_be_read(gap):
    assert accelerator_batches(gap).faults() == []


@pytest.mark.parametrize("gap", GAPS)
def test_a_batch_takes_all_that_came_since_the_last_one_began(gap):
    taken = 0
    for (start, size), (later, _) in pairwise(taken_batches(gap)):
        taken += size
        assert (taken - 1) * gap <= start + 1e-9 < taken * gap + 1e-6
        assert later >= start + 1.5 + 0.3 * size - 1e-9


def test_by_hand():
    # an image alone takes 1.8 ms; by 0.5 ms, b images in 1.5 + 0.3 b ms give 7.5 in the long run
    assert [size for _, size in taken_batches(2, 24)] == [1] * 12
    assert accelerator_batches(2).values["busy (%)"] == pytest.approx(90)
    assert accelerator_batches(0.5).values["images a batch"] == pytest.approx(7.5, rel=0.05)


@pytest.mark.parametrize("gap", [0.1, 7])
def test_impossible_gaps_are_refused(gap):
    with pytest.raises(ValueError, match=f"gap .*{gap}"):
        taken_batches(gap)
