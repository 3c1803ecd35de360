"""What stands still in the queue that the reader feeds; its numbers are tested in a browser."""

from perfmodel.drawings import fed_queue
from perfmodel.drawings.queueing.fed_queue import frame


def test_the_frame_can_be_read():
    assert frame().faults() == []


def test_one_seed_draws_the_same_sizes_and_another_does_not():
    assert fed_queue().html == fed_queue(1).html
    assert fed_queue(2).html != fed_queue(1).html
