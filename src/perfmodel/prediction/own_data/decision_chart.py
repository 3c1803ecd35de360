"""The decision chart: what is advised for which kind of question, in one place.

The founding question's page counts the recorded contest's rows for and against each branch; the
report on own runs says which branches were asked, and what came out.

>>> [branch.advised for branch in CHART if branch.asks("larger", 30)]
[('whitebox', 'graybox')]
"""

from __future__ import annotations

from dataclasses import dataclass

FEW = 30
"""Training runs that the chart calls few."""
NEAR, LARGER, ELSEWHERE = "among its like", "larger", "unseen, or a few runs of it"
"""Kinds of question, from the names of splits."""
LIKE_RANDOM = ("unseen shape", "unseen layer")
"""Splits that only keep a row's relatives out of training: shapes and layers come from one
distribution."""
MODELLED, FREE = ("whitebox", "graybox"), ("regression", "ml")
"""Families that know the system, and those that don't."""


@dataclass(frozen=True)
class Branch:
    """A condition, the advice that it leads to, and which families would bear it out."""

    condition: str
    advice: str
    kind: str
    """`NEAR`, `LARGER` or `ELSEWHERE`."""
    few: bool | None
    """Whether it holds for few training runs or for more; for any number if None."""
    advised: tuple[str, ...]
    others: tuple[str, ...]
    """The other families: if they are ahead, that speaks against the branch."""

    def asks(self, split: str, points: int) -> bool:
        """Return whether a question, by its split's name and training runs, is this branch's."""
        return kind(split) == self.kind and self.few in (None, points <= FEW)


CHART = (
    Branch(
        "something larger or longer than you measured",
        "whitebox, or whitebox times a learner",
        LARGER,
        None,
        MODELLED,
        FREE,
    ),
    Branch(
        f"similar runs, at most {FEW} measured",
        "whitebox or graybox",
        NEAR,
        True,
        MODELLED,
        FREE,
    ),
    Branch(
        f"similar runs, more than {FEW} measured",
        "graybox or learner",
        NEAR,
        False,
        ("graybox", "ml"),
        ("whitebox", "regression"),
    ),
    Branch(
        "a new machine, mixture or workload",
        "whitebox and graybox; test on whole groups",
        ELSEWHERE,
        None,
        MODELLED,
        FREE,
    ),
)


def kind(split: str) -> str:
    """Return which kind of question a split asks: `NEAR`, `LARGER` or `ELSEWHERE`."""
    if split.startswith("random") or split in LIKE_RANDOM:
        return NEAR
    return LARGER if split.startswith("larger") else ELSEWHERE
