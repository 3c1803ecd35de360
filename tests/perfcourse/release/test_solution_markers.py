import pytest

from perfcourse.release.solutions import ReleaseError, cleared, stray_lines


def test_placeholder_names_every_answer_of_a_cell():
    text = "### BEGIN SOLUTION\na, b = 1, 2\nc = 3\n### END SOLUTION"
    assert cleared(text, ["a", "b"]).splitlines() == [
        "a = ...  # your answer here",
        "b = ...  # your answer here",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "### BEGIN SOLUTION\nx = 1",
        "x = 1\n### END SOLUTION",
        "### BEGIN SOLUTION\n### BEGIN SOLUTION\n### END SOLUTION",
    ],
)
def test_unbalanced_markers_are_refused(text):
    with pytest.raises(ReleaseError, match="cell 3: ### (BEGIN|END) SOLUTION"):
        cleared(text, [], "cell 3")


def test_stray_line_is_found():
    assert stray_lines("x = 2\ny = ...  # your answer here", "x = 1") == ["x = 2"]
