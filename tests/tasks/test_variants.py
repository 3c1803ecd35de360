"""One change of a reference at a time: what is changed, what is left alone, in all labs' tasks."""

import importlib

import numpy as np
import pytest

from perfmodel.tasks import Faster, Task
from perfmodel.tasks.record import LABS
from perfmodel.tasks.variants import MOST, variants

MODULES = [
    f"perfmodel.labs.{path.parts[-3]}.{path.parts[-2]}.tasks"
    for path in sorted(LABS.glob("*/*/tasks.py"))
]


def changes(reference):
    return [variant.change for variant in variants(reference)]


def test_terms_operations_and_numbers_by_hand():
    """a - 2: either side alone, both swapped, three other operations, four other numbers."""
    by_change = {v.change: v.model(5.0) for v in variants(lambda a: a - 2)}
    assert by_change == {
        "without the term 2": 5.0,
        "with the term 2 alone": 2,
        "with the sides of a difference swapped": -3.0,
        "with a sum instead of a difference": 7.0,
        "with a product instead of a difference": 10.0,
        "with a ratio instead of a difference": 2.5,
        "with 3 instead of 2": 2.0,
        "with 1 instead of 2": 4.0,
        "with 4 instead of 2": 1.0,
    }


def test_a_side_is_named_by_its_operator_and_by_what_is_in_it():
    said = changes(lambda a, b, c: a * (b + c) / (1 - b) ** 2)
    assert {
        "without the divisor in `b`",
        "with the divisor in `b` alone",
        "without the factor `a`",
        "without the factor in `b` and `c`",
        "without the term `c`",
        "without the exponent 2",
    } <= set(said)


def test_calls_are_swapped_or_left_out():
    by_change = {v.change: v.model(2.0, 3.0) for v in variants(lambda a, b: np.minimum(a, b))}
    assert by_change == {"with `maximum` instead of `minimum`": 3.0}
    assert [v.model(2.0, 3.0) for v in variants(lambda a, b: max(a, b))] == [2.0]
    assert [v.model(4.0) for v in variants(lambda a: np.sqrt(a))] == [4.0]


def test_what_could_grow_without_bound_is_left_alone():
    assert changes(lambda n: sum(j for j in range(n * 1000))) == []
    inside = ("factor 3", "instead of 3", "instead of a product")
    assert [c for c in changes(lambda n: 2 ** (n * 3)) if c.endswith(inside)] == []


def test_a_function_with_a_loop_has_none():
    def total(n):
        found = 0
        for j in range(n):
            found += j * 2
        return found

    assert changes(total) == []


@pytest.mark.parametrize("module", MODULES)
def test_every_task_of_a_lab_can_be_varied(module):
    for task in vars(importlib.import_module(module)).values():
        if isinstance(task, Task | Faster):
            assert len(changes(task.reference)) <= MOST
