"""What is drawn of a batch is what the server does."""

import numpy as np
import pytest

from perfmodel.drawings import GANTT_POLICIES, batch_gantt
from perfmodel.drawings.serving import batch_gantt as module
from perfmodel.live.drawing import Box
from perfmodel.serving import BatchRules, simulate_serving

REQUESTS, STEPS = module._REQUESTS, module._STEPS


@pytest.mark.parametrize("policy", GANTT_POLICIES)
def test_the_end_is_the_simulators_and_all_tokens_are_out(policy):
    rules = BatchRules(max_num_seqs=3, policy=policy, chunk_size=320)
    run = simulate_serving(REQUESTS, STEPS, rules)
    values = batch_gantt(policy, 99).values
    assert values["time (ms)"] == pytest.approx(1e3 * run.finish.max())
    assert values["tokens out"] == REQUESTS.output.sum()


@pytest.mark.parametrize("policy", GANTT_POLICIES)
def test_a_box_for_each_token_after_the_first(policy):
    boxes = [s for s in batch_gantt(policy, 99).shapes if isinstance(s, Box) and s.y > 60]
    solid = [box for box in boxes if box.fill == "solid"]
    assert len(solid) == (REQUESTS.output - 1).sum()
    for one in boxes:
        row = [box for box in boxes if box.y == one.y and box is not one]
        assert all(
            box.x >= one.x + one.width - 1e-6 or box.x + box.width <= one.x + 1e-6 for box in row
        )


def test_seats_stay_empty_in_static_batches_alone():
    kept = {
        policy: [s for s in batch_gantt(policy, 99).shapes if isinstance(s, Box) and s.dashed]
        for policy in GANTT_POLICIES
    }
    assert len(kept["static"]) > 1  # the legend's and more
    assert len(kept["prefill first"]) == len(kept["chunked prefill"]) == 1


@pytest.mark.parametrize("policy", GANTT_POLICIES)
def test_time_and_tokens_only_grow(policy):
    shown = [batch_gantt(policy, k).values for k in range(1, 16)]
    assert (np.diff([values["time (ms)"] for values in shown]) >= 0).all()
    assert (np.diff([values["tokens out"] for values in shown]) >= 0).all()


def test_bad_input():
    with pytest.raises(ValueError, match="policy must be one of static, prefill first"):
        batch_gantt("priority", 3)
    with pytest.raises(ValueError, match="shown must be"):
        batch_gantt("static", 0)
