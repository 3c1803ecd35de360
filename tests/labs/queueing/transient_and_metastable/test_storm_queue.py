"""The drawing of the queue in a storm: counts, order, and states that can be read."""

import pytest

from perfmodel.labs.queueing.transient_and_metastable.storm_queue import storm_queue, waiting_at


def test_before_the_outage_nobody_waits_and_all_are_in_time():
    queue, answered = waiting_at(2.9)
    assert (queue, answered) == ([], 2)


def test_the_worker_is_blocked_from_the_second_at_which_the_outage_begins():
    """Requests 2 to 6 come in the outage; the first two of them are asked again 4 s later."""
    queue, answered = waiting_at(8.9)
    assert [each.request for each in queue] == [2, 3, 4, 2, 5, 3, 6]
    assert [each.again for each in queue] == [False, False, False, True, False, True, False]
    assert [each.left for each in queue] == [True, True, False, False, False, False, False]
    assert answered == 2


def test_after_it_nobody_is_answered_in_time_again():
    assert {waiting_at(time)[1] for time in (10, 20, 30, 44)} == {2}
    waits = [len(waiting_at(time)[0]) for time in (12, 22, 32, 42)]
    assert waits == sorted(waits)


@pytest.mark.parametrize("time", [0, 2, 5, 9, 12, 20, 30, 40, 45])
def test_every_state_can_be_read(time):
    scene = storm_queue(time)
    assert list(scene.faults()) == []
    assert scene.values["for nobody"] <= scene.values["waiting"]


def test_time_is_checked():
    with pytest.raises(ValueError, match="time must be between 0 and 45"):
        storm_queue(46)
