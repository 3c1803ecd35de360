from pathlib import Path

from perfcourse.book import plans

PROJECT = Path(__file__).parents[3]


def test_levels_are_those_of_the_solution():
    assert plans.levels(PROJECT, "measurement") == [
        (1, 2, 3, 4),
        (5, 6, 7, 8, 9, 10),
        (11, 12, 13, 14),
    ]


def test_stock_counts_labs_questions_and_points():
    (row,) = plans.stock(PROJECT, ["measurement"])
    assert row == ["measurement", 4, 2, 14, 39, 3]
