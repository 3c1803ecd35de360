"""What is handed in to other graders, and what our own gives for the same files."""

import example
import handed_in
import pytest

from perfcourse.grading.submission import grade
from perfcourse.intake.submissions import Handin
from perfcourse.isolation.session import Times

TIMES = Times(notebook=20, cell=10, call=2, whole=40)


@pytest.fixture
def hand_in(tmp_path):
    """Return a function that writes each student's file, and returns the paths by student."""

    def write(released, layout):
        paths = {student: tmp_path / layout.format(student) for student in handed_in.EDITS}
        for student, path in paths.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(handed_in.filled(released, student))
        return paths

    return write


@pytest.fixture
def ours(warm):
    """Return a function that grades files by student and returns the points of each."""

    def points(path, student):
        handin = Handin(path.name, student, path.read_bytes(), path.name)
        new_session = lambda *how: warm.session(TIMES, *how)  # noqa: E731
        return grade(handin, example.bank, "a secret of the tests", new_session).earned

    return lambda paths: {student: points(path, student) for student, path in paths.items()}
