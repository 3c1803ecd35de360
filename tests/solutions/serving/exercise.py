"""The exercise on serving, its students, and what they are given and answer."""

from functools import partial
from pathlib import Path

import solving

from perfcourse.bank.loader import load

BANK = load(Path(__file__).parents[3] / "solutions" / "serving.py")
STUDENTS = [f"student-{i}" for i in range(10)]
reference = partial(solving.answer, BANK)
drawn, wrong = partial(solving.drawn, BANK), partial(solving.wrong, BANK)
changed = partial(solving.changed, BANK, STUDENTS)
GIB = 2**30
