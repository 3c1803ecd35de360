"""The tasks against the topic's flow shop, and answers that must not pass."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.labs.offloading.zo2.hiding import StageTimes, slots_to_hide, tokens_to_hide
from perfmodel.labs.offloading.zo2.inputs import Accelerator
from perfmodel.labs.offloading.zo2.tasks import buffers_enough, hiding_tokens, last_end
from perfmodel.offloading import equal_jobs_makespan, flow_shop_makespan

TIMES = st.integers(1, 9).map(float)


@settings(deadline=None)
@given(TIMES, TIMES, TIMES, st.integers(1, 12), st.integers(1, 5))
def test_the_loop_is_the_flow_shop(load, compute, store, blocks, buffers):
    stages = (load, compute, store)
    ours = last_end.reference(*stages, blocks, buffers)
    assert ours == pytest.approx(float(flow_shop_makespan([stages] * blocks, buffers)))
    assert ours == pytest.approx(float(equal_jobs_makespan(stages, blocks, buffers)))


@settings(deadline=None)
@given(TIMES, TIMES, TIMES)
def test_buffers_are_those_of_the_model(load, compute, store):
    times = StageTimes(*map(np.array, (load, compute, store)))
    assert buffers_enough.reference(load, compute, store) == slots_to_hide(times)


@pytest.mark.parametrize("case", hiding_tokens.cases)
def test_tokens_are_those_of_the_model(case):
    weight_bytes, rate, link, memory, passes = case
    model = tokens_to_hide(Accelerator(rate, link, memory), weight_bytes, passes)
    assert hiding_tokens.reference(*case) == pytest.approx(float(model))


@pytest.mark.parametrize(
    "wrong",
    [
        lambda load, compute, store: -(-(load + compute + store) // compute),
        lambda load, compute, store: 1 + -(-(load + store) // compute),
        lambda load, compute, store: 3 if load + store > compute else 2,
        lambda load, compute, store: -(-(load + compute + store) // max(load, compute)),
        lambda load, compute, store: -(-(load + compute + store) // max(compute, store)),
        lambda load, compute, store: round((load + compute + store) / max(load, compute, store)),
    ],
)
def test_functions_that_take_computing_for_the_slowest_are_wrong(wrong):
    assert buffers_enough.judge(wrong).state == "wrong"
