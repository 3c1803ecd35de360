"""What instructors run: release exercises, grade submissions, return feedback, build the book.

In a student's notebook there is one name to import:

>>> from perfcourse import checker
"""

import sys

from perfcourse.checking import checker

__all__ = ["checker"]

# Reading a notebook imports jsonschema, which would build 38 grammars of web addresses: two seconds
# in each process, for a check that notebooks don't ask for. It does without what can't be imported.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
