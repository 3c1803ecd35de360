"""Two hundred odd but honest notebooks: whatever Jupyter runs gets full marks."""

import honest
import pytest
from limits import EXAMPLE, SECRET

from perfcourse.grading.submission import grade
from perfcourse.intake.submissions import Handin
from perfcourse.isolation.session import Times

TIMES = Times(notebook=300, cell=200, call=30, whole=600)
"""Far more than is needed, so that a busy machine decides nothing."""


def test_there_are_two_hundred():
    assert len(honest.KINDS) * honest.EACH >= 200


@pytest.mark.parametrize("kind", honest.KINDS)
def test_whatever_jupyter_runs_gets_full_marks(warm, solved, kind):
    for number, data in enumerate(honest.made(kind, solved)):
        handin = Handin(f"{number}.ipynb", f"s{number}", data, f"{number}.ipynb")
        graded = grade(handin, EXAMPLE, SECRET, lambda *how: warm.session(TIMES, *how))
        assert (graded.problem, graded.errors) == ("", ())
        assert graded.earned == graded.points, graded.verdicts
