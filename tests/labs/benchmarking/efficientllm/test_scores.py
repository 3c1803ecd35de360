"""Scores that depend on who is in the table, and those that don't."""

import numpy as np
import pytest

from perfmodel.benchmarking import addition_reversals, removal_reversals
from perfmodel.labs.benchmarking.efficientllm.scores import (
    TABLE,
    reference_score,
    spread_score,
    terrible_method,
)


def test_a_terrible_method_turns_the_spread_scores_around():
    before = spread_score(TABLE)
    after = spread_score(np.vstack([TABLE, terrible_method(3)]))
    assert before.argmax() == after[:4].argmin() == 2
    assert before.argmin() == after[:4].argmax() == 3
    assert addition_reversals(TABLE, terrible_method(3), spread_score)
    assert not removal_reversals(TABLE, spread_score)


@pytest.mark.parametrize("factor", [1, 1.5, 3, 10, 100])
def test_scores_against_a_reference_do_not_care_who_else_is_there(factor):
    crowd = np.vstack([TABLE, terrible_method(factor)])
    assert reference_score(crowd)[:4] == pytest.approx(reference_score(TABLE))
    assert addition_reversals(TABLE, terrible_method(factor), reference_score) == []


def test_spread_scores_by_hand():
    steps = [(9.48 - 8.09) / 2.38, (76.53 - 44.82) / 46.28, (0.142 - 0.128) / 0.0395, 39 / 181]
    assert spread_score(TABLE)[0] == pytest.approx(np.mean(steps))


def test_a_method_no_worse_than_none_is_refused():
    with pytest.raises(ValueError, match="factor must be above 0"):
        terrible_method(0)
