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
    """a - 2: either part alone, turned round, three other operations, four other numbers."""
    by_change = {v.change: v.model(5.0) for v in variants(lambda a: a - 2)}
    assert by_change == {
        "without the part that subtracts 2": 5.0,
        "without the part that has `a`": 2,
        "with a difference the other way round": -3.0,
        "with a sum in place of a difference": 7.0,
        "with a product in place of a difference": 10.0,
        "with a ratio in place of a difference": 2.5,
        "with 3 in place of 2": 2.0,
        "with 1 in place of 2": 4.0,
        "with 4 in place of 2": 1.0,
    }


def test_calls_are_swapped_or_left_out():
    assert "with `maximum` in place of `minimum`" in changes(lambda a, b: np.minimum(a, b))
    assert "without `sqrt`" in changes(lambda a: np.sqrt(a))


def test_what_could_grow_without_bound_is_left_alone():
    assert changes(lambda n: sum(j for j in range(n * 1000))) == []
    inside = ("multiplies by 3", "in place of 3", "in place of a product")
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
