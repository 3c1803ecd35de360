from dataclasses import replace

import pytest
from marking import marked

from perfcourse.report.autograde_outcome import Outcome, Status


@pytest.mark.parametrize(
    ("fail_under", "status"),
    [(None, "PASSED"), (0, "PASSED"), (60, "PASSED"), (60.1, "FAILED"), (100, "FAILED")],
)
def test_points_are_held_against_the_share(fail_under, status):
    assert Outcome((marked(1, 0, 1, 0, 0),), fail_under).status.name == status


def test_without_a_share_any_point_is_enough():
    assert Outcome((marked(0, 0, 0, 0, 0),)).status is Status.FAILED
    assert Outcome((marked(0, 0, 0, 0, 0.1),)).status is Status.PASSED
    assert Outcome((marked(0, 0, 0, 0, 0),), 0).status is Status.PASSED


def test_notebooks_count_together():
    both = Outcome((marked(0, 0, 0, 0, 0), marked(1, 1, 1, 1, 1)), 50)
    assert both.status is Status.PASSED
    assert [both.of(one).name for one in both.marked] == ["FAILED", "PASSED"]


def test_worst_fault_stands_whatever_the_points():
    right = marked(1, 1, 1, 1, 1)
    nothing = marked(0, 0, 0, 0, 0, readable=False)
    broken = marked(0, 0, 0, 0, 0, broken=True)
    assert Outcome((right, nothing)).status is Status.NOTHING
    assert Outcome((nothing, broken, right)).status is Status.BROKEN


def test_question_that_could_not_be_judged_is_the_graders_fault():
    right = marked(1, 1, 1, 1, 1)
    first, *others = right.graded.verdicts
    unjudged = replace(right.graded, verdicts=(replace(first, failed=True), *others))
    assert Outcome((replace(right, graded=unjudged),), 10).status is Status.BROKEN


def test_third_of_three_reaches_a_third():
    assert Outcome((marked(0.1, 0.1, 0.1, 0.1, 0.1),), 10).status is Status.PASSED
