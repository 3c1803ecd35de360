"""Course plans: what each unit of a plan asks students to read and to do, and how long that takes.

A plan is a page. A unit is a section of it with three items, `**Before class**`, `**In class** (120
minutes)` and `**After class**`, whose links name pages of the book. The hours are those that the
pages state about themselves.
"""

from perfcourse.book.plans.exercises import levels, stock
from perfcourse.book.plans.reading import read

__all__ = ["levels", "read", "stock"]
