"""Question banks: every question of a topic, declared once.

From one declaration come the check in the notebook, the hidden grading, the feedback and the
tests. A bank is the value `bank` of `solutions/TOPIC.py`. A question in ten lines:

>>> from perfcourse.bank import Bank, Mistake, function
>>> question = function(
...     "q1", "Speedup by Amdahl's law", answer="speedup", points=4,
...     reference=lambda serial, n: 1 / (serial + (1 - serial) / n),
...     inputs=lambda rng: {"serial": rng.uniform(0.01, 0.9), "n": int(rng.integers(2, 64))},
...     mistakes=[Mistake(
...         "scaled problem", lambda serial, n: n + (1 - n) * serial,
...         "That is Gustafson's law: there the problem grows with the machine.")],
... )
>>> Bank("demo", "A demonstration", [question]).points
4.0

- `function(...)`: the student writes a function; it is called with the drawn inputs by position.
- `number(...)`, `array(...)`: the student computes a number, or an array or table (a dict of
  columns, or a pandas DataFrame), from personal parameters: `check.parameters("q2")`.
- `choice(...)`: the student gives `("choice", number)`; both must be right.
- `measured(...)`: the student gives `{"column": measured values, ..., "answer": number}`; the
  reference is called with the student's own columns, so no machine's seconds are graded.
- `text(...)`, `one_of(...)`, `true_false(...)`: the student answers in words, or with a choice.
- `plot(...)`: the student draws; the reference says what a `Plot` must show.
- `parts(...)`: the student gives a dict, tuple or dataclass; each part has points of its own.

`inputs` draws from a seeded NumPy generator; it may be a dict instead, the same for all, or left
out. For questions with parameters the draw is repeated until every mistake's answer differs
from the reference's and from every other's by three times the tolerance: each mistake then has
its own hint for every student. A question may come with a data file (`file=`).
Properties (`perfcourse.bank.properties`) give a function's points in parts.
"""

from __future__ import annotations

from perfcourse.bank.collection import Accepted, Bank
from perfcourse.bank.composite import parts
from perfcourse.bank.errors import BankError
from perfcourse.bank.files import DataFile
from perfcourse.bank.plots import Axis, Curve, Plot, plot
from perfcourse.bank.question import Question
from perfcourse.bank.values import array, choice, function, measured, number
from perfcourse.bank.words import one_of, text, true_false
from perfmodel.answers.mistakes import Mistake, Model, by_place, mistakes, rounded

Misconception = Mistake
"""The earlier name of `Mistake`; banks that have it still load."""

__all__ = [
    "Accepted",
    "Axis",
    "Bank",
    "BankError",
    "Curve",
    "DataFile",
    "Mistake",
    "Model",
    "Plot",
    "Question",
    "array",
    "by_place",
    "choice",
    "function",
    "measured",
    "mistakes",
    "number",
    "one_of",
    "parts",
    "plot",
    "rounded",
    "text",
    "true_false",
]
