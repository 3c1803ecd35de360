import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.labs.serving.sleep_time.timeline import (
    END,
    GAPS,
    PLAN,
    QUESTIONS,
    answered,
    played,
    sleep_timeline,
)
from perfmodel.live.drawing import Box


@given(
    gaps=st.lists(st.floats(0, 10), min_size=1, max_size=20),
    each=st.floats(0.1, 10),
    busy=st.floats(0, 20),
)
def test_answers_are_those_of_one_after_the_other(gaps, each, busy):
    came = np.cumsum(gaps)
    free, ends = busy, []
    for time in came:
        free = max(free, time) + each
        ends.append(free)
    assert answered(came, each, busy).end == pytest.approx(ends)


def test_with_time_enough_nobody_waits_for_the_work_ahead():
    late = played(PLAN.ahead, True)
    assert late.response == pytest.approx(PLAN.fresh / PLAN.factor)
    early = played(0.0, True)
    assert early.response[0] == pytest.approx(PLAN.ahead + PLAN.fresh / PLAN.factor)
    assert played(0.0, False).response.tolist() == played(12.0, False).response.tolist()


def test_costs_are_those_of_the_plan_once_all_is_answered():
    values = sleep_timeline(12.0, END).values
    assert values["paid in time"] == pytest.approx(QUESTIONS * PLAN.cost_without)
    assert values["paid ahead"] == pytest.approx(QUESTIONS * PLAN.cost(QUESTIONS))


def test_work_ahead_while_somebody_waits_counts_in_full():
    paid = [sleep_timeline(gap, END).values["paid ahead"] for gap in GAPS]
    assert paid[0] - paid[1] == pytest.approx(4.0 * (PLAN.weight - 1))
    assert paid[2] == paid[3]


@pytest.mark.parametrize("gap", GAPS)
@pytest.mark.parametrize("moment", np.arange(0, END + 1, 2).tolist())
def test_every_state_can_be_read(gap, moment):
    scene = sleep_timeline(gap, moment)
    assert scene.faults() == []
    if moment == 0:
        assert not any(isinstance(shape, Box) for shape in scene.shapes)


def test_refuses():
    with pytest.raises(ValueError, match="moment must be between 0 and 32"):
        sleep_timeline(4.0, 33.0)
    with pytest.raises(ValueError, match="gap must be 0 or more, got -1"):
        played(-1.0, True)
