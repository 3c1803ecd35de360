"""Worked values, and what each mistake does to the numbers of every student."""

from itertools import combinations

import numpy as np
import pytest

from perfcourse.bank.parameters import answers
from tests.solutions.serving.exercise import (
    BANK,
    GIB,
    STUDENTS,
    changed,
    drawn,
    reference,
    wrong,
)

MANY = [f"other-{i}" for i in range(200)]
DRAWN = [question for question in BANK.questions if question.kind not in ("function", "measured")]


@pytest.mark.parametrize(
    ("id", "arguments", "by_hand"),
    [
        ("room", (1.0, 10, 8, 2, 5, 100, 2e9 / GIB + 4e5 / GIB), 10.0),
        ("ridge", (1.0, 16.0, 0, 1e5, 1e14, 1e12), 100.0),
        ("steps", (0, 1, 0, 1e9, 2.0, 1e5, 1e14, 1e12), 0.002),
        ("steps", (999, 1, 0, 1e9, 2.0, 1e5, 1e14, 1e12), 0.02),
        ("held", (10, [1]), 10.0),
        ("held", (10, [1, 3]), (10 + 10 + 11 + 12) / 4),
        ("reserved", (100, 201, 0.0, 300), 2.0),
        ("refilled", (np.array([1, 4, 2, 3]), 2), 6.0),
        ("steady", (5.0, np.array([0.01, 0.015]), np.array([0.1, 0.04])), 0.02),
        ("seat", (0.5, 1.0, 0.1, [1]), 0.5 / (2 * 0.5) + 1.0),
        ("price", (3.6, 1, 1.0, 0.5, 10, 200), 10.0),
        ("exits", (20, np.array([5, 15]), 1.0, 0.1), 20 / 12),
        ("together", (np.array([1, 0, 0, 1]), 2), 3.25),
        ("guesses", (0.5, 2), 1.75),
    ],
)
def test_worked_values(id, arguments, by_hand):
    assert float(reference(id, *arguments)) == pytest.approx(by_hand)


@pytest.mark.parametrize(
    ("id", "arguments", "by_hand"),
    [
        ("graph", (1.0, 10, 20, 0.02, 0.005, 1e14), {"busy": 0.8, "used": 0.008}),
        ("clock", (1.0, 2.0, 4.0, 5.0, 11), {"first": 3.0, "token": 0.1}),
        ("stall", (10, 2, 6, 1.0, 0.5), {"whole": 7.0, "chunked": 4.0, "first": 11.0}),
        (
            "limits",
            (10, 100, 0.01, 0.1, 0.2, 1000, 0.02),
            {"arithmetic": 5.0, "tokens": 5.0, "cache": 1000 / 110, "capacity": 5.0},
        ),
        ("worked_ahead", (600, 100, 2, 4.0, 6), {"from": 3.0, "saving": 4 / 3}),
        (
            "goodput",
            ([1.0, 2.0], [3.0], [10, 90], [10], 2.0, 50, 4.0),
            {"p90": 2.8, "goodput": 0.25},
        ),
    ],
)
def test_worked_tables(id, arguments, by_hand):
    arguments = [np.array(one) if isinstance(one, list) else one for one in arguments]
    assert reference(id, *arguments) == pytest.approx(by_hand)


@pytest.mark.parametrize(
    ("id", "arguments", "by_hand"),
    [
        ("wall", (1.0, 0, 10, 100, 1e6, 1e14, 1e12), ("memory", 15.0)),
        ("wall", (1.0, 990, 10, 100, 1e5, 1e14, 1e12), ("arithmetic", 20 / 2.1)),
        ("evicted", (10, 10, 1e6, 1.0, 1e14, 1e12, 1e12), ("swap", 1e11)),
        ("evicted", (10, 10, 1e6, 1.0, 1e14, 1e12, 1e10), ("recompute", 1e11)),
        ("pays", (0.5, 2, 0.25, 1, 100), ("pays", 1.75 / 1.5)),
        ("pays", (0.5, 2, 0.25, 100, 100), ("doesn't pay", 1.75 / 3.5)),
        ("think", (1.0, 2.0, 1.0, 1.0, 10, 10, 1), ("small", (2e10 + 50) / (4e10 + 50))),
    ],
)
def test_worked_choices(id, arguments, by_hand):
    word, value = reference(id, *arguments)
    assert (word, value) == (by_hand[0], pytest.approx(by_hand[1]))


@pytest.mark.parametrize(
    ("id", "name"),
    [
        ("wall", "weights for each sequence"),
        ("wall", "caches forgotten"),
        ("evicted", "one way"),
        ("pays", "free token forgotten"),
        ("think", "caches forgotten"),
    ],
)
def test_mistake_changes_the_decision_of_some_students(id, name):
    assert any(changed(id, name))
    assert not all(changed(id, name))


@pytest.mark.parametrize("question", DRAWN, ids=lambda question: question.id)
def test_mistake_is_told_from_all_others(question):
    names = ["right", *(one.name for one in question.mistakes)]
    for student in MANY:
        (given,) = answers(BANK.topic, question, student)
        for (one, mine), (other, theirs) in combinations(zip(names, given, strict=True), 2):
            assert not question.same(mine, theirs), (student, one, other)


def test_there_are_mistakes_enough():
    assert min(len(question.mistakes) for question in BANK.questions) >= 7
    assert sum(len(question.mistakes) for question in BANK.questions) >= 250


@pytest.mark.parametrize("student", STUDENTS)
class TestEveryStudent:
    """Each mistake of the chapter does to each student's numbers what the chapter says."""

    def test_memory_in_powers_of_ten_has_less_room(self, student):
        given = drawn("room", student)
        exact = BANK.question("room").reference(**given)
        assert wrong("room", "GB for GiB")(**given) < exact
        assert wrong("room", "all heads")(**given) < exact / 2

    def test_busy_is_far_from_used(self, student):
        table = BANK.question("graph").reference(**drawn("graph", student))
        assert table["used"] < 0.2 < 0.6 < table["busy"] < 1

    def test_caches_put_the_ridge_off(self, student):
        given = drawn("ridge", student)
        exact = BANK.question("ridge").reference(**given)
        assert 0 < wrong("ridge", "caches forgotten")(**given) < exact

    def test_long_answers_fill_the_batch(self, student):
        given = drawn("held", student)
        exact = BANK.question("held").reference(**given)
        assert wrong("held", "long answers forgotten")(**given) < exact
        assert exact < wrong("held", "full answers")(**given)

    def test_reservations_waste(self, student):
        assert BANK.question("reserved").reference(**drawn("reserved", student)) > 1

    def test_chunks_shorten_the_stall_and_put_the_first_token_off(self, student):
        table = BANK.question("stall").reference(**drawn("stall", student))
        assert table["chunked"] < table["whole"] < table["first"]

    def test_first_token_waits_for_the_variance(self, student):
        given = drawn("seat", student)
        exact = BANK.question("seat").reference(**given)
        for name in ("mean for the variance", "first token without waiting", "queue forgotten"):
            assert wrong("seat", name)(**given) < exact

    def test_shared_step_is_longer_than_without_chance(self, student):
        given = drawn("shared", student)
        exact = BANK.question("shared").reference(**given)
        assert wrong("shared", "no chance")(**given)["mean"] < exact["mean"]
        assert wrong("shared", "variance counted")(**given)["mean"] > exact["mean"]
        other = BANK.question("shared").reference(**given | {"scv": 7.0})
        assert other == exact

    def test_late_answers_make_tokens_dearer(self, student):
        given = drawn("price", student)
        exact = BANK.question("price").reference(**given)
        assert wrong("price", "late answers counted")(**given) < exact

    def test_capacity_is_the_least(self, student):
        table = BANK.question("limits").reference(**drawn("limits", student))
        assert table["capacity"] == min(table.values())
