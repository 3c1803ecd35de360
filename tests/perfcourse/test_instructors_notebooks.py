"""The instructor's own notebooks get full marks from the real grader, as a class would."""

from pathlib import Path

import pytest
from limits import needs_sandbox

from perfcourse.grading.engine import Grader, Settings
from perfcourse.grading.preload import imported, wanted
from perfcourse.intake.submissions import Handin
from perfcourse.isolation.sandbox import PRELOAD
from perfcourse.isolation.session import Times
from perfcourse.release.assignment import topics

ROOT = Path(__file__).parents[2]
PATIENT = Times(notebook=600, cell=300, call=60, whole=1200)


@needs_sandbox
@pytest.mark.parametrize("topic", topics(ROOT))
def test_the_solution_gets_full_marks(topic):
    source = (ROOT / "solutions" / f"{topic}.ipynb").read_bytes()
    settings = Settings(
        str(ROOT / "solutions" / f"{topic}.py"),
        "a secret",
        times=PATIENT,
        preload=wanted(imported(source), PRELOAD),
    )
    grader = Grader(settings)
    try:
        for student in ("anyone", "ada"):
            graded = grader.grade(Handin(student, student, source, f"{topic}.ipynb"))
            assert (graded.problem, graded.errors) == ("", ())
            assert graded.earned == graded.points, [v for v in graded.verdicts if not v.right]
    finally:
        grader.close()
