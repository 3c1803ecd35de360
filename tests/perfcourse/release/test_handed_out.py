import shutil

import example

from perfcourse.release.assignment import handed_out


def test_what_was_handed_out_is_the_bank_s_notebook_without_its_solutions(course):
    cells = handed_out(course / "solutions" / "example.py", example.bank)
    assert any("raise NotImplementedError  # your answer here" in cell for cell in cells)
    assert not any("BEGIN SOLUTION" in cell for cell in cells)


def test_without_a_notebook_nothing_was(course):
    shutil.move(course / "solutions" / "example.ipynb", course / "elsewhere.ipynb")
    assert handed_out(course / "solutions" / "example.py", example.bank) == frozenset()
    (course / "solutions" / "example.ipynb").write_text("{}")
    assert handed_out(course / "solutions" / "example.py", example.bank) == frozenset()
