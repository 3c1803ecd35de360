"""The job by hand and in arrays, and the drawing of processes that take turns."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.labs.scaling.amdahl_on_your_machine.job import (
    LARGEST,
    MOST,
    checksum,
    process_turns,
    step,
)
from perfmodel.labs.scaling.amdahl_on_your_machine.tasks import in_arrays


@given(st.lists(st.integers(0, LARGEST), min_size=1, max_size=5))
def test_arrays_and_numbers_take_the_same_steps(states):
    together = step(np.array(states, np.uint64))
    assert together.dtype == np.uint64
    assert together.tolist() == [step(state) for state in states]


@given(st.sets(st.integers(0, LARGEST), max_size=20))
def test_no_two_states_have_one_successor(states):
    assert len({step(state) for state in states}) == len(states)


def test_by_hand():
    # 1 ^ 1 << 13 = 8193; 8193 ^ 8193 >> 7 = 8257; 8257 ^ 8257 << 17 = 1,082,269,761.
    assert step(1) == 1_082_269_761
    assert checksum(0, 0) == 1
    assert checksum(0, 2) == 1 ^ step(LARGEST) ^ step(LARGEST - 1)
    assert checksum(2, 0) == step(LARGEST - step(LARGEST - 1)) ^ 1


@given(st.integers(0, 20), st.integers(0, 20))
def test_the_faster_way_gives_the_same(chained, free):
    assert in_arrays(chained, free) == checksum(chained, free)


@pytest.mark.parametrize("processes", [1, 2, 3, 4, 6, 8])
@pytest.mark.parametrize("cores", range(1, MOST + 1))
def test_all_turns_can_be_read_and_fill_the_time(processes, cores):
    scene = process_turns(processes, cores)
    assert scene.faults() == []
    ends = [shape.x + shape.width for shape in scene.shapes if getattr(shape, "height", 0) == 24]
    said = 60 + 286 * scene.values["time (1 = one process)"]
    assert max(ends) == pytest.approx(said)


def test_more_processes_than_cores_gain_nothing():
    assert process_turns(8, 2).values["speedup"] == process_turns(2, 2).values["speedup"]
