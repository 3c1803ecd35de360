"""Worked values, and what each mistake does to the numbers of every student."""

import numpy as np
import pytest

from tests.solutions.offloading.exercise import (
    BANK,
    GIB,
    STUDENTS,
    changed,
    drawn,
    reference,
    wrong,
)


@pytest.mark.parametrize(
    ("id", "arguments", "by_hand"),
    [
        ("hidden", (8.0, 1e14, 2e10), 1e14 / 1.8e10),
        ("hidden_share", (np.array([3.0, 2.0, 1.0]), 4.5), 0.5),
        ("chunks", (np.array([2.0, 4.0]), 4), 4.5),
        ("chunks", (np.array([3.0]), 7), 3.0),
        ("drives", (12.0, 5.0, 4.0, 4), 2.4),
        ("price", (4.0, 100, 1 / GIB, 2), 25.0),
        ("adam", (1.0, 28e9), 1.0),
        ("flow", (np.array([2.0, 2.0]), np.array([3.0, 3.0]), 1), 10.0),
        ("flow", (np.array([2.0, 2.0]), np.array([3.0, 3.0]), 2), 8.0),
        ("johnson", (np.array([5.0, 1, 9, 3, 10, 2]), np.array([2.0, 6, 7, 8, 4, 1])), 31.0),
        ("buffers", (np.ones(5), 7, 2), 20.0),
        ("per_token", (8.0, 4, 2, 32), 1.0 * GIB),
        ("cache_moved", (1, 1, 3, 3, 1), 4 * 12.0),
        ("block_loads", (5, 10, 4, 3, 13), 90.0),
        ("gain", (512, 32), 1088 / 1056),
    ],
)
def test_worked_values(id, arguments, by_hand):
    assert float(reference(id, *arguments)) == pytest.approx(by_hand)


@pytest.mark.parametrize(
    ("id", "name"),
    [
        ("busiest", "one direction counted twice"),
        ("fits", "cache without the batch"),
        ("again", "one way"),
        ("again", "overlap assumed perfect"),
    ],
)
def test_mistake_changes_the_decision_of_some_students(id, name):
    assert any(changed(id, name))
    assert not all(changed(id, name))


@pytest.mark.parametrize(
    ("id", "name"),
    [
        ("fits", "GB for GiB"),
        ("fits", "cache without the batch"),
        ("hidden", "both directions for one"),
        ("packed", "greedy taken for optimal"),
        ("price", "price in the wrong unit"),
        ("price", "GB for GiB"),
        ("adam", "one direction forgotten"),
        ("johnson", "overlap assumed perfect"),
        ("experts", "greedy taken for optimal"),
        ("experts", "link for nothing"),
        ("gain", "bound for the value"),
        ("loop", "LRU taken for optimal"),
    ],
)
def test_mistake_is_told_from_all_others(id, name):
    question, model = BANK.question(id), wrong(id, name)
    others = [one for one in question.mistakes if one.name != name]
    for case in (drawn(id, student) for student in STUDENTS):
        answer = model(**case)
        for other in [question.reference, *(one.model for one in others)]:
            assert not question.same(answer, other(**case))


@pytest.mark.parametrize("student", STUDENTS)
class TestEveryStudent:
    """Each mistake of the chapter does to each student's numbers what the chapter says."""

    def test_powers_of_ten_make_it_look_larger(self, student):
        given = drawn("fits", student)
        right = BANK.question("fits").reference(**given)[1]
        assert wrong("fits", "GB for GiB")(**given)[1] == pytest.approx(right * GIB / 1e9)

    def test_perfect_overlap_is_too_good_and_none_too_bad(self, student):
        given = drawn("johnson", student)
        exact = BANK.question("johnson").reference(**given)
        assert wrong("johnson", "overlap assumed perfect")(**given) < exact
        assert wrong("johnson", "bound for the optimum")(**given) < exact
        assert wrong("johnson", "nothing overlapped")(**given) > exact

    def test_drives_help_less_often_than_they_are_many(self, student):
        given = drawn("drives", student)
        assert 1 < BANK.question("drives").reference(**given) < given["drives"]

    def test_greedy_is_not_the_best_nor_is_the_best_the_bound(self, student):
        table = BANK.question("packed").reference(**drawn("packed", student))
        assert 1.01 * table["greedy"] < table["best"]
        assert 1.01 * table["best"] < table["bound"]

    def test_slope_of_the_rate_promises_too_little(self, student):
        given = drawn("price", student)
        exact = BANK.question("price").reference(**given)
        assert wrong("price", "slope of the rate")(**given) < exact

    def test_drive_is_the_slower_one_today(self, student):
        given = drawn("bend", student)
        exact = BANK.question("bend").reference(**given)
        assert given["host"] < exact["bend"] < given["data"] - given["gpu"]

    def test_buffers_are_too_few(self, student):
        given = drawn("buffers", student)
        assert given["slots"] < given["times"].sum() / given["times"].max()
        assert (given["blocks"] - 1) % given["slots"] == 0

    def test_no_order_is_twice_as_good(self, student):
        assert 1 < BANK.question("gain").reference(**drawn("gain", student)) < 2

    def test_frequent_objects_for_ever_would_hit_more_often(self, student):
        given = drawn("che", student)
        exact = BANK.question("che").reference(**given)
        assert wrong("che", "first in, first out")(**given) < exact
        assert exact < wrong("che", "most popular kept")(**given)
