import pytest

from perfmodel.labs.queueing.cache_hits_that_hurt.inputs import THREADS
from perfmodel.labs.queueing.cache_hits_that_hurt.lock_queues import lock_queues


@pytest.mark.parametrize("hit", [0.4, 0.6, 0.75, 0.85, 0.95, 1.0])
@pytest.mark.parametrize("disk", [5e-6, 500e-6])
def test_every_state_can_be_read(hit, disk):
    scene = lock_queues(hit, disk)
    assert scene.faults() == []
    assert scene.height == lock_queues(0.5).height


def test_threads_move_from_the_disk_to_the_delink_lock():
    few, many = (lock_queues(hit).values for hit in (0.5, 0.95))
    assert few["threads at the disk"] > 0.9 * THREADS
    assert many["threads at the delink lock"] > 0.7 * THREADS
