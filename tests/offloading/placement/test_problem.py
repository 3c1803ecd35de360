from dataclasses import replace

import numpy as np
import pytest

from perfmodel.offloading import (
    PlacementProblem,
    best_placement,
    link_times,
    placement_time,
    tier_problem,
)

PROBLEM = PlacementProblem(
    size=np.array([1.0, 2, 3]),
    capacity=np.array([4.0, np.inf]),
    work=np.ones((3, 3, 2)),
    rate=np.array([1.0, 2, 3]),
    phase=np.array([0, 1, 1]),
    repeats=np.array([1.0, 2]),
)


def test_reads_and_writes_have_links_of_their_own():
    problem = tier_problem([1], [6], [4], [9], [2], [1], items=["w"], tiers=["DRAM"])
    assert problem.links == ("DRAM read", "DRAM write")
    assert link_times(problem, [[1]]) == pytest.approx([3, 4])
    assert placement_time(problem, [[1]]) == 4
    one_after_the_other = tier_problem([1], [6], [4], [9], [2], [1], overlap=False)
    assert placement_time(one_after_the_other, [[1]]) == 7


def test_problems_are_compared_by_identity():
    assert PROBLEM == PROBLEM
    assert replace(PROBLEM) != PROBLEM
    assert len({PROBLEM, best_placement(PROBLEM)}) == 2


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"size": np.ones(2)}, "size must be one for each of 3 items"),
        ({"work": np.ones(3)}, "work must have shape"),
        ({"phase": np.array([0, 2, 2])}, "phase must number phases"),
        ({"links": ["one"]}, "links must be 3 names"),
        ({"phase": np.array([])}, "phase must number phases"),
        ({"allowed": np.array([["no", "yes"]] * 3)}, "allowed must be true or false"),
        ({"allowed": np.array([[True, True]] * 2 + [[False, False]])}, "allowed must leave each"),
    ],
)
def test_bad_fields_are_named(changed, said):
    with pytest.raises(ValueError, match=said):
        replace(PROBLEM, **changed)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (([10], 10, [0], [1], [4], [4]), "read must be one for each size"),
        (([10, 5], [10, 5], [0], [1], [4], [4]), "written must be one for each size"),
        (([10], [10], [0], [1, 1], [4, 1, 3], [4]), "write_rate must be one for each read_rate"),
        (([10], [10], [0], [1, 1], 4, [4]), "read_rate must be a one-dimensional sample"),
    ],
)
def test_bad_tiers_are_named(given, said):
    with pytest.raises(ValueError, match=said):
        tier_problem(*given)
