"""What instructors run: release exercises, grade submissions, return feedback, build the book.

In a student's notebook there is one name to import:

>>> from perfcourse import checker
"""

from perfcourse.judge.checker import checker

__all__ = ["checker"]
