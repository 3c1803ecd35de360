"""The drawing of ways to adapt: readable, and it counts what the learners of the lab learn."""

import pytest
from sklearn.linear_model import Ridge

from perfmodel.labs.prediction.aio_p.task_transfer import OTHERS, tasks
from perfmodel.labs.prediction.aio_p.ways_drawing import WAYS, ways_to_adapt


@pytest.mark.parametrize("way", WAYS)
def test_is_readable(way):
    assert ways_to_adapt(way).faults() == []


def test_numbers_are_those_that_a_ridge_learns():
    known = tasks()
    ridge = Ridge(1.0).fit(known.features[:20], known.on("fpga")[:20])
    alone = ridge.coef_.size + 1
    counts = {way: ways_to_adapt(way).values["numbers to learn"] for way in WAYS}
    assert counts["target only"] == alone
    assert counts["line + residual"] == counts["line"] + alone
    assert counts["adapter"] == len(OTHERS) + 2


def test_wants_a_way():
    with pytest.raises(ValueError, match="way must be one of line, target only"):
        ways_to_adapt("matched")
