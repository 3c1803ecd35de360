"""Banks that were written with earlier names load and grade as before."""

from __future__ import annotations

from perfcourse.bank import Bank, Misconception, Mistake, function, number
from perfcourse.properties import monotone


def test_earlier_names_mean_the_same():
    wrong = Misconception("twice", lambda x: 2 * x, "That is twice as much.")
    old = function(
        "q", "Half", answer="half", points=1, reference=lambda x: x / 2, inputs={"x": 3.0},
        misconceptions=[wrong],
    )  # fmt: skip
    new = number("q", "Half", answer="half", points=1, reference=1.5, mistakes=[])
    assert isinstance(wrong, Mistake)
    assert [one.name for one in old.mistakes] == ["twice"]
    assert new.mistakes == ()
    assert Bank("demo", "Demo", [old]).points == 1
    assert callable(monotone)
