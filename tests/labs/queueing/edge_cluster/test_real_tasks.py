"""Tasks at one instant: what the clock is asked, and that slices are slices."""

import threading
from functools import partial

import pytest

from perfmodel.labs.queueing.edge_cluster.real_tasks import in_slices, in_turns


def test_in_turns_keeps_the_order():
    ran, ticks = [], iter([10.0, 11.0, 14.0, 14.5])
    done = in_turns([partial(ran.append, i) for i in range(3)], clock=lambda: next(ticks))
    assert ran == [0, 1, 2]
    assert done.tolist() == [1.0, 4.0, 4.5]


def test_in_slices_lets_all_progress_at_once():
    # Each task waits for the others: run in turns, the first would never end.
    meeting = threading.Barrier(3, timeout=10)
    done = in_slices([meeting.wait] * 3)
    assert done.shape == (3,)
    assert (done >= 0).all()


def test_times_count_from_the_common_start():
    ticks = iter([100.0, 101.0, 103.0])
    assert sorted(in_slices([int, int], clock=lambda: next(ticks))) == [1.0, 3.0]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_task_that_raises_is_not_passed_over():
    with pytest.raises(RuntimeError, match="task 1 raised"):
        in_slices([int, partial(int, "x")])


@pytest.mark.parametrize("run", [in_turns, in_slices])
def test_bad_input(run):
    with pytest.raises(ValueError, match="tasks must be one or more, got none"):
        run([])
