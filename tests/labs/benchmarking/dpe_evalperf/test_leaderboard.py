"""Means and win rates against plain loops, and who leads on which tasks."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays

from perfmodel.labs.benchmarking.dpe_evalperf.leaderboard import TaskScores, printed, task_scores

TABLE = task_scores()
SCORES = arrays(float, (4, 6), elements=st.integers(0, 3).map(float) | st.just(np.nan)).map(
    lambda scores: np.column_stack([scores, np.ones(4)])
)


def of(scores):
    return TaskScores(tuple("abcd"), tuple(map(str, range(scores.shape[1]))), scores)


def loops(scores):
    """Return task and model win rates as one would count them by hand."""
    tasks, models = [], []
    for own in scores:
        wins = rounds = beaten = 0
        for other in scores:
            if other is own:
                continue
            pairs = [(x, y) for x, y in zip(own, other, strict=True) if x == x and y == y]
            wins += sum(x > y for x, y in pairs) + 0.5 * sum(x == y for x, y in pairs)
            rounds += len(pairs)
            beaten += sum(x for x, _ in pairs) > sum(y for _, y in pairs)
        tasks.append(wins / rounds)
        models.append(beaten / (len(scores) - 1))
    return tasks, models


@given(SCORES)
def test_win_rates_are_counted_on_tasks_of_both(scores):
    tasks, models = loops(list(scores))
    assert of(scores).task_win_rates() == pytest.approx(tasks)
    assert of(scores).model_win_rates() == pytest.approx(models)


def test_a_win_of_one_is_a_loss_of_the_other():
    pair = TaskScores(("a", "b"), ("x", "y", "z"), np.array([[3.0, 1, np.nan], [2.0, 1, 0]]))
    assert pair.task_win_rates().tolist() == [0.75, 0.25]
    assert pair.own_means().tolist() == [2, 1]
    assert pair.common().tolist() == [True, True, False]
    assert pair.common(1).all()


def test_a_tie_may_be_wide():
    pair = TaskScores(("a", "b"), ("x", "y"), np.array([[50.0, 30.0], [50.0 + 1e-13, 20.0]]))
    assert pair.task_win_rates().tolist() == [0.5, 0.5]
    assert pair.task_win_rates(1e-9).tolist() == [0.75, 0.25]
    with pytest.raises(ValueError, match="tie must be 0 or more, got -1"):
        pair.task_win_rates(-1)


def test_the_lead_changes_on_tasks_that_all_solve():
    own, common = TABLE.own_means(), TABLE.common()
    shared = TABLE.scores[:, common].mean(axis=1)
    assert common.sum() == 59
    assert TABLE.models[own.argmax()] == "gpt-4o-2024-08-06"
    assert TABLE.models[shared.argmax()] == "deepseek-chat-v2.5"
    assert np.sort(shared)[-2:] == pytest.approx([88.39, 89.11], abs=0.005)


def test_four_printed_rates_rest_on_the_last_bits_of_a_float():
    exact, sane = TABLE.task_win_rates(), TABLE.task_win_rates(1e-9)
    assert (exact.round(4) != sane.round(4)).sum() == 4


def test_the_printed_table_names_the_same_models():
    assert tuple(printed().index) == TABLE.models
    assert TABLE.row("o1-mini-2024-09-12").shape == (118,)
    with pytest.raises(ValueError, match="model must be one of .* got 'eliza'"):
        TABLE.row("eliza")
