"""What isn't equal: counted on boards by hand, and on the recorded one."""

import pandas as pd

from perfmodel.labs.prediction.shootout import evidence, leaderboards
from perfmodel.labs.prediction.shootout.fairness import alone, budgets, head_to_head


def question(dataset, split, points, whitebox, ml, most=True):
    return {
        "dataset": dataset,
        "split": split,
        "points": points,
        "whitebox": whitebox,
        "graybox": 0.01,
        "ml": ml,
        "most_points": most,
    }


def test_the_graybox_is_left_out_and_every_kind_is_counted():
    found = pd.DataFrame(
        [
            question("stable sorts", "random", 30, 0.1, 0.2, most=False),
            question("stable sorts", "random", 100, 0.2, 0.1),
            question("matrix products, CPU", "larger", 30, 0.1, 0.2),
            question("sparse products", "unseen structure", 30, 0.3, 0.1),
        ]
    )
    assert head_to_head(found) == (
        "The learner erred less than the whitebox in 2 of 4 questions: 0 of 1 among their like "
        "with at most 30 runs, 1 of 1 with more, 0 of 1 of larger runs, 1 of 1 of what is unseen "
        "or hardly seen. Of the questions that are not about matrix products it did in 2 of 3."
    )
    assert alone(found).endswith("then the learner erred less than the whitebox in 2 of 3.")


def test_budgets_beside_rows():
    board = pd.DataFrame(
        {
            "dataset": ["stable sorts", "matrix products, CPU", "FBNet raspi4"],
            "points": [100, 600, 30],
            "rows": [300, 800, 5000],
        }
    )
    assert budgets(board) == (
        "No question allows more than 600 training runs, and none that isn't about matrix products "
        "more than 100, though 1 of 3 data sets have 1,000 rows or more."
    )


def test_recorded_questions_are_all_counted():
    board = leaderboards.recorded()
    found = evidence.teams(board)
    assert f"of {len(found)} questions" in head_to_head(found)
    assert f"of {board['dataset'].nunique()} data sets" in budgets(board)
